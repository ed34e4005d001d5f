package ground

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join"
	"resolwe/kernels/plan"
)

// bilinear is a formula's value in terms of the truth l and r of two atoms: one + leftOnly l + rightOnly r + both l r.
type bilinear struct{ one, leftOnly, rightOnly, both int64 }

// bilinear sums up the terms of a simple formula over two slots, and what it takes from the groundings of its selector.
func (c *compiled) bilinear(left, right int) bilinear {
	var v bilinear
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

// direct grounds a soft formula over the lists of a listed target's atoms: one atom p(x, y), or two atoms p(x, y) and
// p(x, z), where at most one matrix ties the two outputs that come last.
type direct struct {
	pred       int
	mat        plan.NodeID // counts by the last two outputs, or plan.None
	transposed plan.NodeID // of two atoms
	batch      int         // in the program, -1 for none
	bilinear
}

// newDirect returns nil where a formula has another shape.
func (c *compiled) newDirect(prog *plan.Program) *direct {
	outputs := len(c.query.Outputs)
	if !c.simple || c.hard || !c.query.Reduced || len(c.slots) == 0 || outputs != len(c.slots)+1 || outputs > 3 {
		return nil
	}
	d := &direct{pred: c.slots[0].pred, mat: plan.None}
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
	d.bilinear, d.transposed = c.bilinear(left, right), prog.Transpose(d.mat)
	if d.transposed < d.mat { // so that formulas that read it either way share one
		d.mat, d.transposed = d.transposed, d.mat
		d.leftOnly, d.rightOnly = d.rightOnly, d.leftOnly
	}
	return d
}

// direct adds the current formula by its direct route, n times. It returns false where there is none.
func (g *Grounder) direct(n int64) bool {
	d := g.c.direct
	if d == nil {
		return false
	}
	p := g.atoms.of(d.pred)
	if len(g.c.slots) == 2 {
		return g.directPairs(d, n, p)
	}
	g.prepare(d.batch, p.firsts)
	atoms := list{index: &p.table.Forward, free: g.atoms.free[p.first : p.first+p.n]}
	for _, x := range p.firsts {
		if !g.directRun(d, n, x, g.atoms.run(p, x)) {
			atoms.at(x)
			g.directAtoms(d, n, x, &atoms)
		}
	}
	return true
}

// prepare builds the rows of a batch, unless that has been done.
func (g *Grounder) prepare(i int, firsts []uint32) {
	if i >= 0 && !g.built[i] {
		g.built[i] = true
		g.rows.build(&g.p.batches[i], firsts)
	}
}

// list is the atoms p(x, y) of one x.
type list struct {
	index *subgraph.Index
	free  []int32  // of all atoms
	ids   []uint32 // the y of the present x
	codes []int32  // of the atoms of the present x
	whole []int32  // the same where the list is 0, 1, ..; else none
}

func (l *list) at(x uint32) {
	l.ids, l.whole = l.index.Row(x), nil
	n := len(l.ids)
	l.codes = l.free[l.index.Offsets[x]:][:n]
	if n > 0 && int(l.ids[n-1]) == n-1 {
		l.whole = l.codes
	}
}

// find returns what the atom of y is.
func (l *list) find(y uint32) int32 {
	if int(y) < len(l.whole) {
		return l.whole[y]
	}
	return l.search(y)
}

func (l *list) search(y uint32) int32 {
	if int(y) < len(l.ids) && l.ids[y] == y { // the list has all up to it
		return l.codes[y]
	}
	if i, ok := slices.BinarySearch(l.ids, y); ok {
		return l.codes[i]
	}
	return missing
}

// directRun adds the atoms of one x where they are free for y from 0 on, each with its entry of a matrix. It returns false
// where that is not all that there is to them.
func (g *Grounder) directRun(d *direct, n int64, x uint32, atoms run) bool {
	l, ys := g.c.linear, atoms.ys
	if n != 1 || len(g.c.query.Vectors) > 0 || l.slope*l.slope != 1 || len(ys) == 0 || int(ys[len(ys)-1]) != len(ys)-1 {
		return false
	}
	row := join.Vec{IDs: ys}
	if d.mat != plan.None {
		row = g.rows.row(d.mat, x)
	}
	if k := len(row.IDs); k > 0 && int(row.IDs[k-1]) >= len(ys) {
		return false
	}
	g.net.unary.add(stretch{atoms.first, row.IDs, row.N, l.slope})
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

// directAtoms adds the atoms of one x, each with its multiplicity.
func (g *Grounder) directAtoms(d *direct, n int64, x uint32, atoms *list) {
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
		row = g.rows.row(d.mat, x)
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
	u.add(stretch{0, u.ids[begin:], u.n[begin:], 1})
	g.net.constant(g.i, sum(product(no, l.at), product(yes, l.at+l.slope)))
}
