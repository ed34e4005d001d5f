package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// reduced enumerates the bindings of the outputs with their multiplicities.
func (g *Grounder) reduced() {
	n := g.scalar()
	switch {
	case n == 0 || g.factored(n) || g.indexed(n):
		return
	case g.net.replicas > 1:
		g.err = errUnlike
		return
	}
	g.outputs(len(g.c.query.Outputs), func(k int64) { g.emit(join.Mul(n, k)) })
}

// outputs binds the first so many outputs in every way and calls leaf with the multiplicity.
func (g *Grounder) outputs(first int, leaf func(n int64)) {
	g.bound, g.leaf = first, leaf
	if g.locate(-1, 0) {
		g.bind(0, 1)
	}
}

// bind extends the binding by output d, whose multiplicity so far is n.
func (g *Grounder) bind(d int, n int64) {
	if g.err != nil {
		return
	}
	if d == g.bound {
		g.leaf(n)
		return
	}
	g.values(d, n, func(n int64) { g.bind(d+1, n) })
}

// values binds output d to each of its values that the factors over it and the first outputs allow, those that bind
// binds, and for which the query atoms exist.
func (g *Grounder) values(d int, n int64, visit func(n int64)) {
	q := g.c.query
	driver, rows := -1, join.Vec{}
	for k, m := range q.Mats {
		if m.Col != d || m.Row >= g.bound {
			continue
		}
		if r := g.scratch.CountRow(m.Node, g.binding[m.Row]); driver < 0 || len(r.IDs) < len(rows.IDs) {
			driver, rows = k, r
		}
	}
	if driver >= 0 {
		for i, v := range rows.IDs {
			g.step(d, v, join.Mul(n, rows.At(i)), driver, visit)
		}
		return
	}
	if row, ok := g.listed(d); ok {
		for _, v := range row {
			g.step(d, v, n, -1, visit)
		}
		return
	}
	for v := range uint32(g.scratch.Size(q.Conj.Types[q.Outputs[d]])) {
		g.step(d, v, n, -1, visit)
	}
}

// listed returns the values of output d for which a listed target's binary atom that d completes exists.
func (g *Grounder) listed(d int) ([]uint32, bool) {
	for _, s := range g.c.slots {
		if s.level != d || len(s.args) != 2 || g.p.prog.Schema.Predicates[s.pred].Role != mln.RoleListed {
			continue
		}
		table := g.atoms.of(s.pred).table
		for c, index := range []*subgraph.Index{&table.Forward, &table.Backward} {
			if other := s.args[c]; s.args[1-c] == plan.Arg(d) && other != plan.Arg(d) {
				if id := g.value(other); id >= 0 {
					return index.Row(uint32(id)), true
				}
				return nil, true
			}
		}
	}
	return nil, false
}

// hopeful reports whether v has a query atom in each listed target that output d begins and a later one completes.
func (g *Grounder) hopeful(d int, v uint32) bool {
	for i := range g.c.slots {
		s := &g.c.slots[i]
		if s.level <= d || len(s.args) != 2 || g.p.prog.Schema.Predicates[s.pred].Role != mln.RoleListed {
			continue
		}
		table := g.atoms.of(s.pred).table
		if s.args[0] == plan.Arg(d) && len(table.Forward.Row(v)) == 0 || s.args[1] == plan.Arg(d) && len(table.Backward.Row(v)) == 0 {
			return false
		}
	}
	return true
}

// step binds output d to v where the other factors allow it.
func (g *Grounder) step(d int, v uint32, n int64, driver int, visit func(n int64)) {
	g.scratch.Step()
	if !g.hopeful(d, v) {
		return
	}
	q := g.c.query
	for _, f := range q.Vectors {
		if f.Var == d {
			n = join.Mul(n, g.scratch.Counts(f.Node)[v])
		}
	}
	for k, m := range q.Mats {
		if m.Col != d || m.Row >= g.bound || k == driver || n == 0 {
			continue
		}
		row := g.scratch.CountRow(m.Node, g.binding[m.Row])
		i, ok := slices.BinarySearch(row.IDs, v)
		if !ok {
			return
		}
		n = join.Mul(n, row.At(i))
	}
	if n == 0 {
		return
	}
	g.binding[d] = v
	if g.locate(d, d+1) {
		visit(n)
	}
}

// locate finds the atoms of the slots that levels from..to-1 complete. It returns false where one does not exist.
func (g *Grounder) locate(from, to int) bool {
	for k := range g.c.slots {
		s := &g.c.slots[k]
		if s.level < from || s.level >= max(to, 0) {
			continue
		}
		if !g.slot(k, s) {
			return false
		}
	}
	return true
}

// slot finds the atom of one slot.
func (g *Grounder) slot(k int, s *slot) bool {
	g.tuple = g.tuple[:0]
	for _, a := range s.args {
		id := g.value(a)
		if id < 0 {
			return false
		}
		g.tuple = append(g.tuple, uint32(id))
	}
	g.found[k] = g.atoms.find(s.pred, g.tuple)
	if g.found[k] < 0 {
		return false
	}
	return g.atoms.free[g.found[k]] != missing
}

func (g *Grounder) value(a plan.Arg) int64 {
	if a.IsVar() {
		return int64(g.binding[a])
	}
	return int64(g.scratch.Const(a))
}
