package ground

import (
	"math"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// heads counts groundings for each atom of the head of a formula that has a shape.
type heads struct {
	// The groundings for which the evidence holds; nil where they are not needed.
	evidence *compiled
	// Those for which all but the head holds in the data; in modes Counting and Heading alone.
	rest *compiled
}

// newHeads returns nil where a formula's own query has all that is needed.
func newHeads(prog *plan.Program, c *compiled, mode Mode) *heads {
	h := &heads{}
	literals, head := c.formula.Head()
	var others []mln.Literal // target literals
	for _, l := range literals {
		if l.Atom != nil && prog.Schema.Predicates[l.Atom.Pred].Role.IsTarget() {
			others = append(others, l)
		}
	}
	count := func(source plan.Source, state bool) *compiled {
		of := &compiled{formula: c.formula, residual: head.Atom}
		conj, binder := prog.Conjunction(c.formula.Vars[:c.formula.Free], c.selector)
		for _, l := range others {
			if !state || l.Negated {
				conj.Add(plan.Literal{Source: source, Pred: l.Atom.Pred, Args: binder.Args(l.Atom)})
			}
			if state {
				conj.Add(plan.Literal{Source: plan.SourceTrue, Pred: l.Atom.Pred, Args: binder.Args(l.Atom), Negated: l.Negated})
			}
		}
		of.outputs(prog, conj, binder)
		template(prog.Schema, of, binder, of.residual)
		return of
	}
	if c.formula.Shape == mln.ShapeMean {
		h.evidence = count(mode.source(), false)
	}
	if mode.fixes() {
		h.rest = count(mode.source(), true)
	} else if h.evidence == nil {
		return nil
	}
	return h
}

// scales returns what the counts of formulas are multiplied with, nil where that is always 1.
func scales(formulas []*mln.Formula) []float64 {
	var out []float64
	for i, f := range formulas {
		if f.Shape != mln.ShapeLog && f.Shape != mln.ShapeMean {
			continue
		}
		if out == nil {
			out = make([]float64, len(formulas))
			for k := range out {
				out[k] = 1
			}
		}
		out[i] = network.Unit
	}
	return out
}

// worth returns what n groundings of one atom of the head add to the formula's count.
func (c *compiled) worth(n int64) int64 {
	switch c.formula.Shape {
	case mln.ShapeOnce:
		return min(n, 1)
	case mln.ShapeLog:
		return int64(math.Round(network.PerUnit * elementary.Log2(1+float64(n))))
	case mln.ShapeNone, mln.ShapeMean:
	}
	return n
}

// mostShares is more than the groundings of a few heads have together: those of one have 1.
const mostShares = 1 << 52

// setShares sets, by query atom, what a grounding of the current formula adds for that head; where the network is replicas, for
// the heads of the first.
func (g *Grounder) setShares() {
	g.shares = grow.Zeroed(g.shares, g.atoms.Len())
	share := func(atom int, m int64) { g.shares[atom] = (network.PerUnit + m/2) / m }
	if h := g.c.heads.evidence; g.net.replicas > 1 && h.query.Reduced {
		g.eachFirstHead(h, share)
	} else {
		g.eachHead(h, share)
	}
}

// dataValue returns the value of the current formula on the data.
func (g *Grounder) dataValue() float64 {
	h, sum := g.c.heads, 0.0
	_, head := g.c.formula.Head()
	if h.evidence != nil {
		g.totals = grow.Zeroed(g.totals, g.atoms.Len())
		g.eachHead(h.evidence, func(atom int, m int64) { g.totals[atom] = m })
	}
	g.eachHead(h.rest, func(atom int, n int64) {
		switch {
		case (g.atoms.free[atom] == fixedTrue) == head.Negated:
		case g.c.formula.Shape == mln.ShapeMean:
			sum += float64(n) / float64(g.totals[atom])
		case g.c.formula.Shape == mln.ShapeLog:
			sum += elementary.Log2(1 + float64(n))
		default:
			sum++
		}
	})
	return sum
}

// HeadCount is the number of groundings that an atom has as the head of a formula.
type HeadCount struct {
	Atom int   // query atom
	N    int64 // in which the rest holds in the data, above 0
}

// Heads returns, after Ground in mode Heading, the atoms that groundings of a formula have as the head in which the rest holds
// in the data; and of a formula with ShapeMean those in which the evidence holds. Both are borrowed until the next call of Ground.
// The formula is a conjunction of literals, its head the last one, of a target.
func (g *Grounder) Heads(formula int) (rest, evidence []HeadCount) {
	h := &g.headCounts[formula]
	return h.rest, h.evidence
}

// headCounts are what Heads returns.
type headCounts struct{ rest, evidence []HeadCount }

// countHeads counts what Heads returns of the current formula.
func (g *Grounder) countHeads(to *headCounts) {
	h := g.c.heads
	g.eachHead(h.rest, func(atom int, n int64) { to.rest = append(to.rest, HeadCount{atom, n}) })
	if h.evidence != nil {
		g.eachHead(h.evidence, func(atom int, n int64) { to.evidence = append(to.evidence, HeadCount{atom, n}) })
	}
}

// eachHead calls visit with each atom of the head that has groundings, and their number.
func (g *Grounder) eachHead(h *compiled, visit func(atom int, n int64)) {
	c := g.c
	g.c = h
	g.each(func(n int64) { visit(g.found[0], n) })
	g.c = c
}

// eachFirstHead calls visit with those of the first replica, whose heads are p(x, y) of one x.
func (g *Grounder) eachFirstHead(h *compiled, visit func(atom int, n int64)) {
	c := g.c
	g.c = h
	if n := g.scalar(); n > 0 && g.locate(-1, 0) {
		g.bound, g.leaf = len(h.query.Outputs), func(k int64) { visit(g.found[0], join.Mul(n, k)) }
		x := g.atoms.of(h.slots[0].pred).firsts[0]
		g.step(0, x, 1, -1, func(n int64) { g.bind(1, n) })
	}
	g.c = c
}

// each calls leaf for each binding of the current query's outputs for which the query atoms exist, with its multiplicity.
func (g *Grounder) each(leaf func(n int64)) {
	q := g.c.query
	if !q.Reduced {
		g.scratch.Enumerate(q, true, func(binding []uint32, n int64) bool {
			g.binding = append(g.binding[:0], binding...)
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

// scalar prepares the binding of a reduced query's outputs, and returns the product of its factors over none; 0 where it
// has no solution.
func (g *Grounder) scalar() int64 {
	q := g.c.query
	if !g.scratch.Guards(q.Conj) {
		return 0
	}
	n := int64(1)
	for _, id := range q.Scalars {
		if n = join.Mul(n, g.scratch.Count(id)); n == 0 {
			return 0
		}
	}
	g.binding = grow.Zeroed(g.binding, len(q.Outputs))
	return n
}
