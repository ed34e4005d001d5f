package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
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
	atoms := atomList{index: &p.table.Forward, free: g.atoms.free[p.first : p.first+p.n]}
	for _, x := range p.firsts {
		if !g.indexedRun(d, n, x, g.atoms.run(p, x)) {
			atoms.at(x)
			g.indexedAtoms(d, n, x, &atoms)
		}
	}
	return true
}

// list is the atoms p(x, y) of one x.
type atomList struct {
	index *subgraph.Index
	free  []int32  // of all atoms
	ids   []uint32 // the y of the present x
	codes []int32  // of the atoms of the present x
	whole []int32  // the same where the list is 0, 1, ..; else none
}

func (l *atomList) at(x uint32) {
	l.ids, l.whole = l.index.Row(x), nil
	n := len(l.ids)
	l.codes = l.free[l.index.Offsets[x]:][:n]
	if n > 0 && int(l.ids[n-1]) == n-1 {
		l.whole = l.codes
	}
}

// find returns what the atom of y is.
func (l *atomList) find(y uint32) int32 {
	if int(y) < len(l.whole) {
		return l.whole[y]
	}
	return l.search(y)
}

func (l *atomList) search(y uint32) int32 {
	if int(y) < len(l.ids) && l.ids[y] == y { // the list has all up to it
		return l.codes[y]
	}
	if i, ok := slices.BinarySearch(l.ids, y); ok {
		return l.codes[i]
	}
	return missing
}

// indexedRun adds the atoms of one x where they are free for y from 0 on, each with its entry of a matrix. It returns
// false where that is not all that there is to them.
func (g *Grounder) indexedRun(d *indexed, n int64, x uint32, atoms run) bool {
	l, ys := g.c.linear, atoms.ys
	if n != 1 || g.c.formula.Shape != mln.ShapeNone || len(g.c.query.Vectors) > 0 || l.slope*l.slope != 1 || len(ys) == 0 || int(ys[len(ys)-1]) != len(ys)-1 {
		return false
	}
	row := join.Vec{IDs: ys}
	if d.mat != plan.None {
		row = g.scratch.CountRow(d.mat, x)
	}
	if k := len(row.IDs); k > 0 && int(row.IDs[k-1]) >= len(ys) {
		return false
	}
	g.net.unary.add(sparseRun{atoms.first, row.IDs, row.N, l.slope})
	if l.at != 0 {
		g.net.constant(g.i, product(weightOf(row), l.at))
	}
	return true
}

// weightOf returns the sum of a row's counts.
func weightOf(row join.Vec) int64 {
	if row.N == nil {
		return int64(len(row.IDs))
	}
	sum := int64(0)
	for _, n := range row.N {
		sum = join.Add(sum, n)
	}
	return sum
}

// indexedAtoms adds the atoms of one x, each with its multiplicity.
func (g *Grounder) indexedAtoms(d *indexed, n int64, x uint32, atoms *atomList) {
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
	row := join.Vec{IDs: atoms.ids}
	if d.mat != plan.None {
		row = g.scratch.CountRow(d.mat, x)
	}
	l := g.c.linear
	no, yes := int64(0), int64(0) // groundings that count at, and those whose atom is fixed to true, which count at + slope
	u := &g.net.unary
	begin := len(u.ids)
	for i, y := range row.IDs {
		free := atoms.find(y)
		if free == missing {
			continue
		}
		k := n
		if row.N != nil {
			k = join.Mul(k, row.N[i])
		}
		if own != nil {
			k = join.Mul(k, own[y])
		}
		k = g.c.worth(k)
		if free == fixedTrue {
			if l.at+l.slope != 0 {
				yes = join.Add(yes, k)
			}
			continue
		}
		if l.at != 0 {
			no = join.Add(no, k)
		}
		if free >= 0 && k != 0 && l.slope != 0 {
			if l.slope != 1 {
				k = product(k, l.slope)
			}
			u.ids, u.n = append(u.ids, uint32(free)), append(u.n, k)
		}
	}
	u.add(sparseRun{0, u.ids[begin:], u.n[begin:], 1})
	g.net.constant(g.i, sum(product(no, l.at), product(yes, l.at+l.slope)))
}
