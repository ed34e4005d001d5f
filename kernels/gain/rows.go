package gain

import (
	"maps"
	"slices"

	"resolwe/internal/wire"
	"resolwe/kernels/features"
)

// Rows are the query atoms that selection goes by, and how often each candidate holds for them. It is not safe for concurrent
// use; several may gather parts of a stream, to be merged.
type Rows struct {
	Builders  []*features.Builder // by target predicate
	Positions map[string]int      // in the stream, of the subgraphs by name, of which some may have no rows
}

// NewRows returns no rows of a task; of more than limit, a sample by the seed is kept.
func (t *Task) NewRows(seed uint64, limit int) *Rows {
	out := &Rows{Positions: map[string]int{}}
	for _, to := range t.Targets {
		opt := features.BuilderOptions{Seed: seed, Limit: limit}
		for _, c := range to.Candidates {
			opt.Thresholds = append(opt.Thresholds, c.Comparable())
		}
		for _, c := range to.Measures {
			opt.Thresholds[c] = to.isCut(c)
		}
		opt.Measures = to.Measures
		out.Builders = append(out.Builders, features.NewBuilder(len(to.Candidates), opt))
	}
	return out
}

// Keep has matrices leave the rows as they are.
func (r *Rows) Keep() {
	for _, b := range r.Builders {
		b.Keep = true
	}
}

// Bounded reports whether there may be subgraphs that Wants does not want.
func (r *Rows) Bounded() bool {
	return slices.ContainsFunc(r.Builders, (*features.Builder).Bounded)
}

// Wants tells whether a subgraph of that name may be kept.
func (r *Rows) Wants(name string) bool {
	return slices.ContainsFunc(r.Builders, func(b *features.Builder) bool { return b.Wants(name) })
}

// Add takes the rows of a subgraph, by target, of its position in the stream; nothing of them is kept but the names.
func (r *Rows) Add(of []features.Subgraph, position int) error {
	for i, b := range r.Builders {
		if err := b.Add(&of[i]); err != nil {
			return err
		}
		r.Positions[of[i].Name] = position
	}
	return nil
}

// Like reports whether rows may be merged: of as many candidates with the same options.
func (r *Rows) Like(o *Rows) bool {
	if r == nil || o == nil {
		return r == o
	}
	return slices.EqualFunc(r.Builders, o.Builders, (*features.Builder).Like)
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
		b.Each(func(o *features.Origin, _ []bool) { names = append(names, o.Name) })
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
		b.Write(w)
	}
	for _, name := range r.named() {
		w.Int(r.Positions[name])
	}
}

// ReadRows reads what Write wrote, from any bytes; it takes memory in proportion to them.
func ReadRows(r *wire.Reader) *Rows {
	out := &Rows{features.ReadBuilders(r), map[string]int{}}
	if len(out.Builders) == 0 || !r.Good() {
		return nil
	}
	for _, name := range out.named() {
		out.Positions[name] = r.Int()
	}
	return out
}
