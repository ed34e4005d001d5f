package distributed

import (
	"context"

	"resolwe"
	"resolwe/internal/wire"
	"resolwe/kernels/gain"
	"resolwe/kernels/selection"
)

// Selector evaluates the candidates of a model on parts of a stream: wherever the parts lie, and in whatever order their
// counts are added, Select gives the Selection of resolwe.Select on the whole. Its methods may be called by several
// goroutines, whose workers keep their memory from one call to the next.
type Selector struct {
	*resolwe.Selector
	identity string
}

// NewSelector compiles the candidates of a model. The errors are those of resolwe.Select.
func NewSelector(m *resolwe.Model, opt resolwe.SelectOptions) (*Selector, error) {
	s, err := resolwe.NewSelector(m, opt)
	if err != nil {
		return nil, err
	}
	return &Selector{s, s.Identity()}, nil
}

// Count counts on all subgraphs of a stream, opened for the selector's model; the options' number of subgraphs has no
// effect.
func (s *Selector) Count(ctx context.Context, stream *resolwe.Stream) (*SelectionCounts, error) {
	c, err := s.Selector.Count(ctx, stream)
	if err != nil {
		return nil, err
	}
	return &SelectionCounts{*c, s.identity}, nil
}

// Select decides on counts of the selector's model, of any process; again is that of resolwe.Selector.Select. The error is a
// *PartError, or of that.
func (s *Selector) Select(ctx context.Context, c *SelectionCounts, again resolwe.Again) (*resolwe.Selection, error) {
	total := &SelectionCounts{*s.NewCounts(), s.identity}
	if err := total.Add(c); err != nil {
		return nil, err
	}
	return s.Selector.Select(ctx, &total.SelectionCounts, again)
}

// SelectionCounts are the counts on a part of a stream. Parts that share no subgraph add up to the counts of all of them,
// in any order. The zero value is the counts on nothing.
type SelectionCounts struct {
	resolwe.SelectionCounts // of which Work does not travel

	identity string // of the model, the criterion and its options; "" for counts on nothing
}

// PartError says that the parts of a computation cannot be put together.
type PartError struct{ What, Reason string }

// Error gives the reason.
func (e *PartError) Error() string { return e.What + ": " + e.Reason }

var (
	errCountsDamaged = &PartError{"selection counts", "damaged"}
	errCountsOther   = &PartError{"selection counts", "of another model, criterion or options"}
)

// Add adds the counts of another part, which are not to be used any more. The error is a *PartError where they are of another
// model, criterion or options; then nothing is added.
func (c *SelectionCounts) Add(o *SelectionCounts) error {
	switch {
	case o.identity == "":
		return nil
	case c.identity == "":
		*c = *o
		return nil
	case c.identity != o.identity || !c.Rows.Like(o.Rows) || c.Sums.Add(o.Sums) != nil:
		return errCountsOther
	}
	c.Rows.Merge(o.Rows)
	c.Subgraphs += o.Subgraphs
	c.Skipped += o.Skipped
	c.Work.Add(o.Work)
	return nil
}

// countsMagic begins counts, by package wire: subgraphs, skipped, identity, rows, and the sums.
const countsMagic = "\x93RSWSC\x04\n"

// MarshalBinary returns the counts as bytes: the same ones for the same counts.
func (c *SelectionCounts) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(countsMagic)
	w.Uint(c.Subgraphs)
	w.Uint(c.Skipped)
	w.String(c.identity)
	c.Rows.Write(w)
	c.Sums.Write(w)
	return w.Sealed(), nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Any bytes may be given, and take memory in proportion. The error is a
// *PartError.
func (c *SelectionCounts) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, countsMagic)
	out := SelectionCounts{resolwe.SelectionCounts{Subgraphs: r.Uint(), Skipped: r.Uint()}, r.String()}
	out.Rows = gain.ReadRows(r)
	out.Sums = selection.ReadSums(r)
	r.Refuse(out.identity == "" && (len(out.Sums) > 0 || out.Rows != nil))
	if !r.Done() {
		return errCountsDamaged
	}
	*c = out
	return nil
}
