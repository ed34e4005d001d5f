package ground

import (
	"errors"
	"slices"

	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// indexed grounds a soft formula through the lists of a target's atoms by their first argument: one atom p(x, y), or two atoms p(x, y) and
// p(x, z), where at most one matrix connects the last two outputs. Two atoms may also be p(y) and p(z), as if with the same x.
type indexed struct {
	pred       int
	mat        plan.NodeID // counts by the last two outputs, or plan.None
	transposed plan.NodeID // for two atoms
	left       int         // the slot of the atom for rows
}

// newIndexed returns nil if a simple soft formula has another shape.
func (c *compiled) newIndexed(prog *plan.Program) *indexed {
	if !c.query.Reduced || len(c.slots) == 0 || len(c.slots) > 2 {
		return nil
	}
	outputs, last := len(c.query.Outputs), len(c.slots[0].args)-1 // the argument that differs between atoms
	if last < 0 || last > 1 || outputs != len(c.slots)+last || outputs < 2 {
		return nil
	}
	d := &indexed{pred: c.slots[0].pred, mat: plan.None}
	for _, m := range c.query.Mats {
		if m.Row != outputs-2 {
			return nil
		}
		d.mat = m.Node
	}
	for _, s := range c.slots {
		if s.pred != d.pred || last == 1 && s.args[0] != 0 {
			return nil
		}
	}
	at := func(out int) int {
		return slices.IndexFunc(c.slots, func(s slot) bool { return s.args[last] == plan.Arg(out) })
	}
	d.left = at(last)
	switch {
	case d.left < 0:
		return nil
	case len(c.slots) == 1:
		return d
	case d.mat == plan.None || len(c.query.Vectors) > 0 || at(last+1) < 0:
		return nil
	}
	if d.transposed = prog.Transpose(d.mat); d.transposed < d.mat { // so that formulas that read it either way share one
		d.mat, d.transposed = d.transposed, d.mat
		d.left = 1 - d.left
	}
	return d
}

// byLists reports whether a formula has an index-driven route.
func (c *compiled) byLists() bool {
	if c.rule == nil {
		return c.indexed != nil
	}
	return !slices.ContainsFunc(c.rule.parts, func(p rulePart) bool { return p.indexed == nil })
}

// eachOfFirst calls visit with the atoms of one first argument for which the current formula, whose index-driven route has one atom, has
// groundings, and with their number, n times as large.
func (g *Grounder) eachOfFirst(n int64, x uint32, p *predicateAtoms, visit func(atom int, n int64)) {
	var own []int64
	for _, v := range g.c.query.Vectors {
		counts := g.scratch.Counts(v.Node)
		if v.Var == 0 {
			n = join.Mul(n, counts[x])
		} else {
			own = counts
		}
	}
	if n == 0 {
		return
	}
	ys, first := p.row(x)
	row := join.Vec{IDs: ys}
	if g.c.indexed.mat != plan.None {
		row = g.scratch.CountRow(g.c.indexed.mat, x)
	}
	for i, y := range row.IDs {
		at, found := place(ys, y)
		if !found {
			continue
		}
		k := n
		if row.N != nil {
			k = join.Mul(k, row.N[i])
		}
		if own != nil {
			k = join.Mul(k, own[y])
		}
		if k > 0 && (g.whole || g.atoms.free[first+at] != missing) {
			visit(first+at, k)
		}
	}
}

// If the lists of a target's atoms p(x, y) have the same y for each x, and formulas distinguish values of x only in terms of single atoms,
// then apart from those terms the network consists of copies of the first x's: it is built once and repeated.

// errUnlike stops the grounding of replicas that differ.
var errUnlike = errors.New("the atoms of one entity are not a replica of those of another")

// replicas returns how many replicas of the first of them make up the free atoms.
func (a *Atoms) replicas() int {
	if len(a.preds) != 1 || len(a.preds[0].firsts) == 0 || len(a.back) != len(a.truth) {
		return 1
	}
	p := &a.preds[0]
	ys, _ := p.row(p.firsts[0])
	for _, x := range p.firsts[1:] {
		if others, _ := p.row(x); !slices.Equal(ys, others) {
			return 1
		}
	}
	return len(p.firsts)
}
