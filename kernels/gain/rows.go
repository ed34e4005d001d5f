package gain

import (
	"maps"
	"slices"

	"resolwe/internal/wire"
)

// Rows are the query atoms that selection goes by, and how often each candidate holds for them. It is not safe for concurrent
// use; several may gather parts of a stream, to be merged.
type Rows struct {
	Builders  []*Builder     // by target predicate
	Positions map[string]int // in the stream, of the subgraphs by name, of which some may have no rows
}

// NewRows returns no rows of a task; of more than limit, a sample by the seed is kept.
func (t *Task) NewRows(seed uint64, limit int) *Rows {
	out := &Rows{Positions: map[string]int{}}
	for _, to := range t.Targets {
		opt := BuilderOptions{Seed: seed, Limit: limit}
		for _, c := range to.Candidates {
			opt.Thresholds = append(opt.Thresholds, c.Comparable())
		}
		out.Builders = append(out.Builders, NewBuilder(len(to.Candidates), opt))
	}
	return out
}

// Wants tells whether a subgraph of that name may be kept.
func (r *Rows) Wants(name string) bool {
	return slices.ContainsFunc(r.Builders, func(b *Builder) bool { return b.Wants(name) })
}

// Add takes the rows of a subgraph, by target, of its position in the stream; nothing of them is kept but the names.
func (r *Rows) Add(of []Subgraph, position int) error {
	for i, b := range r.Builders {
		if err := b.Add(&of[i]); err != nil {
			return err
		}
		r.Positions[of[i].Name] = position
	}
	return nil
}

// Clone returns the same rows.
func (r *Rows) Clone() *Rows {
	if r == nil {
		return nil
	}
	out := &Rows{Positions: maps.Clone(r.Positions)}
	for _, b := range r.Builders {
		copied := *b
		copied.parts = slices.Clone(b.parts)
		out.Builders = append(out.Builders, &copied)
	}
	return out
}

// Like reports whether rows may be merged: of as many candidates with the same options.
func (r *Rows) Like(o *Rows) bool {
	if r == nil || o == nil {
		return r == o
	}
	return slices.EqualFunc(r.Builders, o.Builders, (*Builder).like)
}

// Merge adds rows that are Like r, which may be nil.
func (r *Rows) Merge(o *Rows) {
	if r == nil {
		return
	}
	for i, b := range r.Builders {
		b.Merge(o.Builders[i])
	}
	maps.Copy(r.Positions, o.Positions)
}

// named returns the names of the subgraphs that have rows, ascending.
func (r *Rows) named() []string {
	var names []string
	for _, b := range r.Builders {
		for i := range b.parts {
			names = append(names, b.parts[i].name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Write writes the rows, the same bytes whatever the order: the number of builders, 0 for no rows, these, and the positions of
// the subgraphs in them by name.
func (r *Rows) Write(w *wire.Writer) {
	if r == nil {
		w.Int(0)
		return
	}
	w.Int(len(r.Builders))
	for _, b := range r.Builders {
		b.write(w)
	}
	for _, name := range r.named() {
		w.Int(r.Positions[name])
	}
}

// ReadRows reads what Write wrote, from any bytes; it takes memory in proportion to them.
func ReadRows(r *wire.Reader) *Rows {
	out := &Rows{Positions: map[string]int{}}
	out.Builders = wire.List(r, builderBytes, func() *Builder { return readBuilder(r) })
	if len(out.Builders) == 0 || !r.Good() {
		return nil
	}
	for _, name := range out.named() {
		out.Positions[name] = r.Int()
	}
	return out
}
