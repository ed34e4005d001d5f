package distributed

import (
	"resolwe/internal/stage/selecting"
	"resolwe/internal/wire"
	"resolwe/kernels/gain"
	"resolwe/kernels/selection"
)

// SelectionCounts are the counts of a resolwe.Selector on a part of a stream, which can be sent as bytes. Counts of parts that
// share no subgraph add up, in any order, to the counts of all of them. The zero value is empty.
type SelectionCounts struct {
	selecting.SelectionCounts // Work is not sent
}

// PartError reports that the parts of a computation cannot be combined.
type PartError struct{ What, Reason string }

// Error gives the reason.
func (e *PartError) Error() string { return e.What + ": " + e.Reason }

var (
	errCountsDamaged = &PartError{"selection counts", "damaged"}
	errCountsOther   = &PartError{"selection counts", "for other candidates"}
)

// Add adds the counts of another part, which must not be used afterwards. If they are for other candidates, the error is a
// *PartError and nothing is added.
func (c *SelectionCounts) Add(o *SelectionCounts) error {
	switch {
	case o.isEmpty():
		return nil
	case c.isEmpty():
		*c = *o
		return nil
	case !c.Rows.Like(o.Rows) || c.Sums.Add(o.Sums) != nil:
		return errCountsOther
	}
	c.Rows.Merge(o.Rows)
	c.Subgraphs += o.Subgraphs
	c.Skipped += o.Skipped
	c.Work.Add(o.Work)
	return nil
}

func (c *SelectionCounts) isEmpty() bool { return c.Rows == nil && len(c.Sums) == 0 }

// countsMagic begins encoded counts: subgraphs, skipped, rows, and sums, written with package wire.
const countsMagic = "\x93RSWSC\x05\n"

// MarshalBinary returns the counts as bytes: the same ones for the same counts.
func (c *SelectionCounts) MarshalBinary() ([]byte, error) {
	w := wire.NewWriter(countsMagic)
	w.Uint(c.Subgraphs)
	w.Uint(c.Skipped)
	c.Rows.Write(w)
	c.Sums.Write(w)
	return w.Sealed(), nil
}

// UnmarshalBinary reads the output of MarshalBinary. It is safe for arbitrary bytes, and uses memory in proportion to them. The
// error is a *PartError.
func (c *SelectionCounts) UnmarshalBinary(data []byte) error {
	r := wire.NewReader(data, countsMagic)
	out := SelectionCounts{selecting.SelectionCounts{Subgraphs: r.Uint(), Skipped: r.Uint()}}
	out.Rows = gain.ReadRows(r)
	out.Sums = selection.ReadSums(r)
	if !r.Done() {
		return errCountsDamaged
	}
	*c = out
	return nil
}
