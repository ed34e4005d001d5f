package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// bilinearForm is a formula's value in terms of the truth l and r of two atoms: one + leftOnly l + rightOnly r + both l
// r.
type bilinearForm struct{ one, leftOnly, rightOnly, both int64 }

// bilinearForm sums up the terms of a simple formula over two slots, and what it takes from the groundings of its
// selector.
func (c *compiled) bilinearForm(left, right int) bilinearForm {
	var v bilinearForm
	if c.fallback {
		v.one--
	}
	for _, t := range c.terms {
		at, slope := [2]int64{1, 1}, [2]int64{} // by slot: a literal is at + slope * truth
		for _, l := range t.lits {
			at[l.Atom()], slope[l.Atom()] = 0, 1
			if l.Negated() {
				at[l.Atom()], slope[l.Atom()] = 1, -1
			}
		}
		v.one += t.n * at[left] * at[right]
		v.leftOnly += t.n * slope[left] * at[right]
		v.rightOnly += t.n * at[left] * slope[right]
		v.both += t.n * slope[left] * slope[right]
	}
	return v
}

// indexed grounds a soft formula over the lists of a listed target's atoms: one atom p(x, y), or two atoms p(x, y) and
// p(x, z), where at most one matrix ties the two outputs that come last.
type indexed struct {
	pred       int
	mat        plan.NodeID // counts by the last two outputs, or plan.None
	transposed plan.NodeID // of two atoms
	head       headPlace
	bilinearForm
}

// headPlace says which of two atoms is the head of a formula whose groundings take its share.
type headPlace uint8

const (
	headNone headPlace = iota
	headLeft
	headRight
)

// newIndexed returns nil where a formula has another shape.
func (c *compiled) newIndexed(prog *plan.Program) *indexed {
	outputs := len(c.query.Outputs)
	if !c.simple || c.hard || !c.query.Reduced || len(c.slots) == 0 || outputs != len(c.slots)+1 || outputs > 3 {
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
		if s.pred != d.pred || len(s.args) != 2 || s.args[0] != 0 {
			return nil
		}
	}
	switch {
	case prog.Schema.Predicates[d.pred].Role != mln.RoleListed:
		return nil
	case outputs == 2:
		if c.slots[0].args[1] != 1 {
			return nil
		}
		return d
	case d.mat == plan.None || len(c.query.Vectors) > 0:
		return nil
	}
	left := slices.IndexFunc(c.slots, func(s slot) bool { return s.args[1] == 1 })
	right := slices.IndexFunc(c.slots, func(s slot) bool { return s.args[1] == 2 })
	if left < 0 || right < 0 {
		return nil
	}
	d.bilinearForm, d.transposed = c.bilinearForm(left, right), prog.Transpose(d.mat)
	if d.transposed < d.mat { // so that formulas that read it either way share one
		d.mat, d.transposed = d.transposed, d.mat
		d.leftOnly, d.rightOnly = d.rightOnly, d.leftOnly
		left = right
	}
	switch {
	case c.heads == nil:
	case left == headSlot:
		d.head = headLeft
	default:
		d.head = headRight
	}
	return d
}

// indexed adds the current formula by its index-driven route, n times. It returns false where there is none.
func (g *Grounder) indexed(n int64) bool {
	d := g.c.indexed
	if d == nil {
		return false
	}
	p := g.atoms.of(d.pred)
	if len(g.c.slots) == 2 {
		return g.indexedPairs(d, n, p)
	}
	for _, x := range p.firsts {
		g.indexedAtoms(n, x, p)
	}
	return true
}

// indexedAtoms adds the atoms of one first argument, each with its multiplicity.
func (g *Grounder) indexedAtoms(n int64, x uint32, p *predicateAtoms) {
	l := g.c.linear
	no, yes := int64(0), int64(0) // groundings that count at, and those whose atom is fixed to true, which count at + slope
	g.eachOfFirst(g.c, n, x, p, func(at int, k int64) {
		k = g.c.worth(k)
		free := g.atoms.free[p.first+at]
		switch {
		case free == missing:
			return
		case free == fixedTrue:
			if l.at+l.slope != 0 {
				yes = join.Add(yes, k)
			}
			return
		case l.at != 0:
			no = join.Add(no, k)
		}
		if free >= 0 && l.slope != 0 {
			g.net.unary.append(uint32(free), product(k, l.slope))
		}
	})
	g.net.constant(g.i, sum(product(no, l.at), product(yes, l.at+l.slope)))
}

// eachOfFirst calls visit with the place in the list of a target's atoms, and the number of groundings, of those with one first
// argument that have any. The formula has an index-driven route of one atom, n times.
func (g *Grounder) eachOfFirst(c *compiled, n int64, x uint32, p *predicateAtoms, visit func(at int, n int64)) {
	var own []int64
	for _, v := range c.query.Vectors {
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
	ys, first := p.table.Forward.Row(x), int(p.table.Forward.Offsets[x])
	row := join.Vec{IDs: ys}
	if c.indexed.mat != plan.None {
		row = g.scratch.CountRow(c.indexed.mat, x)
	}
	for i, y := range row.IDs {
		at := int(y)
		if at >= len(ys) || ys[at] != y {
			var found bool
			if at, found = slices.BinarySearch(ys, y); !found {
				continue
			}
		}
		k := n
		if row.N != nil {
			k = join.Mul(k, row.N[i])
		}
		if own != nil {
			k = join.Mul(k, own[y])
		}
		if k > 0 {
			visit(first+at, k)
		}
	}
}
