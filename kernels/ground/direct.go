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
	pred int
	own  int         // the output y
	mat  plan.NodeID // counts by the last two outputs, or plan.None
	bilinear
}

// newDirect returns nil where a formula has another shape.
func (c *compiled) newDirect(prog *plan.Program) *direct {
	outputs := len(c.query.Outputs)
	if !c.simple || c.hard || !c.query.Reduced || len(c.slots) == 0 || outputs != len(c.slots)+1 || outputs > 3 {
		return nil
	}
	d := &direct{pred: c.slots[0].pred, own: 1, mat: plan.None}
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
	d.bilinear = c.bilinear(left, right)
	return d
}

// direct adds the current formula by its direct route, n times. It returns false where there is none.
func (g *Grounder) direct(n int64) bool {
	d := g.c.direct
	if d == nil {
		return false
	}
	k := slices.IndexFunc(g.atoms.preds, func(p predicateAtoms) bool { return p.pred == d.pred })
	p := &g.atoms.preds[k]
	atoms := list{index: &p.table.Forward, free: g.atoms.free[p.first : p.first+p.n]}
	for x := range uint32(p.sizes[0]) {
		if atoms.at(x); len(atoms.ids) == 0 {
			continue
		}
		if len(g.c.slots) == 1 {
			g.directAtoms(d, n, x, &atoms)
		} else {
			g.directPairs(d, n, &atoms)
		}
	}
	return true
}

// list is the atoms p(x, y) of one x.
type list struct {
	index *subgraph.Index
	free  []int32  // of all atoms
	ids   []uint32 // the y of the present x
	first uint32   // its first atom
}

func (l *list) at(x uint32) {
	if l.ids = l.index.Row(x); len(l.ids) > 0 {
		l.first = l.index.Offsets[x]
	}
}

// find returns what the atom of y is.
func (l *list) find(y uint32) int32 {
	i := int(y)
	if i >= len(l.ids) || l.ids[i] != y { // else the list has all up to it
		var ok bool
		if i, ok = slices.BinarySearch(l.ids, y); !ok {
			return missing
		}
	}
	return l.free[int(l.first)+i]
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
	for i, y := range row.IDs {
		free := atoms.find(y)
		if free == missing {
			continue
		}
		k := join.Mul(n, row.At(i))
		if own != nil {
			k = join.Mul(k, own[y])
		}
		if k == 0 {
			continue
		}
		g.net.constant(g.i, product(k, l.at))
		switch {
		case free >= 0:
			g.net.addUnary(uint32(free), product(k, l.slope))
		case free == fixedTrue:
			g.net.constant(g.i, product(k, l.slope))
		}
	}
}

// directPairs adds the pairs of atoms of one x.
func (g *Grounder) directPairs(d *direct, n int64, atoms *list) {
	for i, y := range atoms.ids {
		left := atoms.free[int(atoms.first)+i]
		if left == missing {
			continue
		}
		row := g.scratch.CountRow(d.mat, y)
		for k, z := range row.IDs {
			if right := atoms.find(z); right != missing {
				g.addBilinear(d.bilinear, join.Mul(n, row.At(k)), left, right)
			}
		}
	}
}

// addBilinear adds a value of two atoms, n times, each free or fixed.
func (g *Grounder) addBilinear(v bilinear, n int64, left, right int32) {
	b := &g.net
	if left < 0 {
		if left == fixedTrue {
			v.one, v.rightOnly = v.one+v.leftOnly, v.rightOnly+v.both
		}
		v.leftOnly, v.both = 0, 0
	}
	if right < 0 {
		if right == fixedTrue {
			v.one, v.leftOnly = v.one+v.rightOnly, v.leftOnly+v.both
		}
		v.rightOnly, v.both = 0, 0
	}
	if left == right {
		v.leftOnly, v.both = v.leftOnly+v.both, 0
	}
	if v.one != 0 {
		b.constant(g.i, product(n, v.one))
	}
	if v.leftOnly != 0 {
		b.addUnary(uint32(left), product(n, v.leftOnly))
	}
	if v.rightOnly != 0 {
		b.addUnary(uint32(right), product(n, v.rightOnly))
	}
	if v.both != 0 {
		b.pairs = append(b.pairs, pairEntry(uint32(left), uint32(right), Coef{g.i, product(n, v.both)}))
	}
}
