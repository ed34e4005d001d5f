package distributed

import (
	"maps"
	"slices"

	"resolwe"
	"resolwe/internal/wire"
	"resolwe/kernels/gain"
)

// clonedRows returns a copy of rows, which may be nil.
func clonedRows(g *resolwe.GainRows) *resolwe.GainRows {
	if g == nil {
		return nil
	}
	out := &resolwe.GainRows{Positions: maps.Clone(g.Positions)}
	for _, b := range g.Builders {
		out.Builders = append(out.Builders, b.Clone())
	}
	return out
}

// alike reports whether rows can be added.
func alike(a, b *resolwe.GainRows) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Builders, b.Builders, (*gain.Builder).Like)
}

// addRows adds rows that are alike.
func addRows(to, g *resolwe.GainRows) {
	if to == nil {
		return
	}
	for i, b := range to.Builders {
		b.Merge(g.Builders[i])
	}
	maps.Copy(to.Positions, g.Positions)
}

// named returns the names of the subgraphs that have rows, ascending.
func named(builders []*gain.Builder) []string {
	var names []string
	for _, b := range builders {
		names = append(names, b.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// writeRows writes the number of builders, 0 for nil, each as a string, and the positions of the subgraphs in them by name.
func writeRows(w *wire.Writer, g *resolwe.GainRows) error {
	if g == nil {
		w.Int(0)
		return nil
	}
	w.Int(len(g.Builders))
	for _, b := range g.Builders {
		data, err := b.MarshalBinary()
		if err != nil {
			return err
		}
		w.String(string(data))
	}
	for _, name := range named(g.Builders) {
		w.Int(g.Positions[name])
	}
	return nil
}

// readRows reads what writeRows wrote.
func readRows(r *wire.Reader) *resolwe.GainRows {
	out := &resolwe.GainRows{Positions: map[string]int{}}
	out.Builders = wire.List(r, 8, func() *gain.Builder {
		b, err := gain.ReadBuilder([]byte(r.String()))
		r.Refuse(err != nil)
		return b
	})
	if len(out.Builders) == 0 || !r.Good() {
		return nil
	}
	for _, name := range named(out.Builders) {
		out.Positions[name] = r.Int()
	}
	return out
}
