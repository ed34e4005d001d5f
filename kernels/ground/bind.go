package ground

import (
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// binding is the current binding of a formula's variables, and its memory.
type binding struct {
	values []uint32 // by output
	found  []int    // by slot: the query atom
	inner  []uint32 // by variable: those of inner quantifiers
	first  int      // number of outputs that bind binds
	leaf   func(n int64)
	lits   []network.Lit
	tuple  []uint32
}

// each calls leaf for each binding of the current query's outputs whose query atoms exist, with its multiplicity.
func (g *Grounder) each(leaf func(n int64)) {
	q := g.c.query
	if !q.Reduced {
		g.bound.found = grow.To(g.bound.found, len(g.c.slots))
		g.scratch.Enumerate(q, true, func(binding []uint32, n int64) bool {
			g.bound.values = append(g.bound.values[:0], binding...)
			if g.locate(-1, len(binding)) {
				leaf(n)
			}
			return g.err == nil
		})
		return
	}
	if n := g.scalar(); n > 0 {
		g.outputs(len(q.Outputs), func(k int64) { leaf(join.Mul(n, k)) })
	}
}

// eachAtom calls visit with each atom for which a formula over one atom has groundings, and their number; if the atom's replicas are
// listed, with the number for a single replica.
func (g *Grounder) eachAtom(c *compiled, replicas int, visit func(atom int, n int64)) {
	outer := g.c
	g.c = c
	if c.indexed == nil {
		g.each(func(n int64) { visit(g.bound.found[0], n) })
	} else if n := g.scalar(); n > 0 {
		p := g.atoms.of(c.indexed.pred)
		for _, x := range p.firsts[:len(p.firsts)/replicas] {
			g.eachOfFirst(n, x, p, visit)
		}
	}
	g.c = outer
}

// scalar prepares the binding of a reduced query's outputs, and returns the product of its factors over no output; 0 if it has no solution.
func (g *Grounder) scalar() int64 {
	q := g.c.query
	g.bound.values, g.bound.found = grow.To(g.bound.values, len(q.Outputs)), grow.To(g.bound.found, len(g.c.slots))
	return g.scratch.Scalar(q)
}

// outputs enumerates the bindings of the first outputs and calls leaf with each multiplicity.
func (g *Grounder) outputs(first int, leaf func(n int64)) {
	g.bound.first, g.bound.leaf = first, leaf
	if g.locate(-1, 0) {
		g.bind(0, 1)
	}
}

// bind extends the binding by output d; n is the multiplicity so far.
func (g *Grounder) bind(d int, n int64) {
	switch {
	case g.err != nil:
	case d == g.bound.first:
		g.bound.leaf(n)
	default:
		g.values(d, n, func(n int64) { g.bind(d+1, n) })
	}
}

// values binds output d to each value that the factors over it and earlier outputs allow, and for which the query atoms exist.
func (g *Grounder) values(d int, n int64, visit func(n int64)) {
	g.scratch.Values(g.c.query, d, g.bound.first, g.bound.values, n, g.listed(d), func(v uint32, n int64) {
		g.bound.values[d] = v
		if g.hopeful(d, v) && g.locate(d, d+1) {
			visit(n)
		}
	})
}

// pairTable returns the atoms of a slot of a listed binary target, nil for other slots.
func (g *Grounder) pairTable(s *slot) *subgraph.Table {
	if len(s.args) != 2 || g.p.prog.Schema.Predicates[s.pred].Role != mln.RoleListed {
		return nil
	}
	return g.atoms.of(s.pred).table
}

// listed returns the values of output d for which the atom that it completes, of a listed binary target, exists; nil if there is no such
// target.
func (g *Grounder) listed(d int) []uint32 {
	for i := range g.c.slots {
		s := &g.c.slots[i]
		table := g.pairTable(s)
		if s.level != d || table == nil || s.args[0] == s.args[1] {
			continue
		}
		other, index := s.args[0], &table.Forward
		if other == plan.Arg(d) {
			other, index = s.args[1], &table.Backward
		}
		if id := g.value(other); id >= 0 && table.Len() > 0 {
			return index.Row(uint32(id))
		}
		return []uint32{}
	}
	return nil
}

// hopeful reports whether v has a query atom in each listed target that output d starts and a later output completes.
func (g *Grounder) hopeful(d int, v uint32) bool {
	for i := range g.c.slots {
		s := &g.c.slots[i]
		if s.level <= d {
			continue
		}
		if t := g.pairTable(s); t != nil &&
			(s.args[0] == plan.Arg(d) && len(t.Forward.Row(v)) == 0 || s.args[1] == plan.Arg(d) && len(t.Backward.Row(v)) == 0) {
			return false
		}
	}
	return true
}

// locate finds the atoms of the slots completed by levels from..to-1. It returns false if one does not exist.
func (g *Grounder) locate(from, to int) bool {
	for k := range g.c.slots {
		s := &g.c.slots[k]
		if s.level < from || s.level >= max(to, 0) {
			continue
		}
		tuple := g.bound.tuple[:0]
		for _, a := range s.args {
			id := g.value(a)
			if id < 0 {
				return false
			}
			tuple = append(tuple, uint32(id))
		}
		g.bound.tuple = tuple
		at := g.atoms.of(s.pred).find(tuple)
		if at < 0 || g.atoms.free[at] == missing && !g.whole {
			return false
		}
		g.bound.found[k] = at
	}
	return true
}

func (g *Grounder) value(a plan.Arg) int64 {
	if a.IsVar() {
		return int64(g.bound.values[a])
	}
	return int64(g.scratch.Const(a))
}
