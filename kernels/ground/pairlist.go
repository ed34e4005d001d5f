package ground

import (
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// pairList is the pairs of atoms p(x, y) and p(x, z), left and right, whose y and z a matrix ties: their bundle, and
// what formulas over them add to single atoms. Where one of the atoms is a head each pair counts as much as its share.
type pairList struct {
	source uint32
	most   int64 // that a pair may count
	misfit bool  // a number of it does not fit

	total, leftTrue, rightTrue, bothTrue int64   // pairs, those whose left atom is fixed to true, ..
	left, leftBoth, right, rightBoth     []int64 // by atom: pairs of which it is one, of which the other is true or itself
}

// pairsKey tells the pair lists apart.
type pairsKey struct {
	mat  plan.NodeID
	head headPlace
	n    int64 // how often a formula with a head has each grounding, which is part of the shares; else 0
}

// indexedPairs adds the current formula to the pairs of atoms of a listed target, n times. It returns false where a
// number does not fit.
func (g *Grounder) indexedPairs(d *indexed, n int64, p *predicateAtoms) bool {
	key := pairsKey{mat: d.mat, head: d.head}
	if d.head != headNone {
		key.n = n
	}
	l, ok := g.pairLists[key]
	if !ok {
		l = g.listPairs(d, p)
		g.pairLists[key] = l
	}
	if l.misfit {
		return false
	}
	b := &g.net
	for _, t := range [...][2]int64{
		{l.total, d.one}, {l.leftTrue, d.leftOnly}, {l.rightTrue, d.rightOnly}, {l.bothTrue, d.both},
	} {
		b.constantOfEach(g.i, product(n, product(t[0], t[1])))
	}
	b.addUnaries(l.left, n, d.leftOnly)
	b.addUnaries(l.leftBoth, n, d.both)
	b.addUnaries(l.right, n, d.rightOnly)
	b.addUnaries(l.rightBoth, n, d.both)
	if d.both != 0 {
		coefs := b.pairs.bundle(l.source)
		*coefs = append(*coefs, network.Coef{Formula: g.i, Mult: product(n, d.both)})
	}
	return true
}

// list lists the pairs.
func (g *Grounder) listPairs(d *indexed, p *predicateAtoms) *pairList {
	l := &pairList{source: g.net.pairs.newBundle(), most: math.MaxInt32}
	if d.head != headNone {
		l.most = mostShares
		g.shareOf = g.net.counts.take(p.sizes[1])
	}
	begin := len(g.net.pairs.list)
	for _, counts := range [...]*[]int64{&l.left, &l.leftBoth, &l.right, &l.rightBoth} {
		*counts = g.net.counts.take(g.net.atoms)
	}
	for _, x := range p.firsts[:len(p.firsts)/g.net.replicas] {
		g.listPairsOf(l, d, p, x)
	}
	if l.misfit {
		g.net.pairs.list = g.net.pairs.list[:begin]
	}
	return l
}

// listPairsOf lists the pairs of one x.
func (g *Grounder) listPairsOf(l *pairList, d *indexed, p *predicateAtoms, x uint32) {
	free, ys := g.places(p.sizes[1]), p.table.Forward.Row(x)
	first := p.first + int(p.table.Forward.Offsets[x])
	codes := g.atoms.free[first:]
	for i, y := range ys {
		free[y] = codes[i]
		if d.head != headNone {
			g.shareOf[y] = g.shares[first+i]
		}
	}
	for _, y := range ys {
		if free[y] == missing {
			continue
		}
		row, transposed := g.pairRows(d, y)
		l.lefts(free, free[y], row)
		if free[y] >= 0 {
			l.rights(free, free[y], transposed)
			g.net.pairs.addAbove(free, y, l.source, row, transposed)
		}
	}
}

// pairRows returns how much the pairs count of which the atom of y is the left one, and those of which it is the right one.
func (g *Grounder) pairRows(d *indexed, y uint32) (lefts, rights join.Vec) {
	lefts, rights = g.scratch.CountRow(d.mat, y), g.scratch.CountRow(d.transposed, y)
	switch d.head {
	case headLeft:
		lefts.N = weighed(&g.weights[0], lefts, func(uint32) int64 { return g.shareOf[y] })
		rights.N = weighed(&g.weights[1], rights, func(z uint32) int64 { return g.shareOf[z] })
	case headRight:
		lefts.N = weighed(&g.weights[0], lefts, func(z uint32) int64 { return g.shareOf[z] })
		rights.N = weighed(&g.weights[1], rights, func(uint32) int64 { return g.shareOf[y] })
	case headNone:
	}
	return lefts, rights
}

// weighed returns the counts of a row times what each entity weighs, in the memory of dst.
func weighed(dst *[]int64, row join.Vec, weight func(z uint32) int64) []int64 {
	*dst = grow.To(*dst, len(row.IDs))
	for i, z := range row.IDs {
		(*dst)[i] = join.Mul(row.At(i), weight(z))
	}
	return *dst
}

// lefts counts the pairs of which an atom is the left one, where free says what the atoms are that may be the right
// one.
func (l *pairList) lefts(free []int32, left int32, row join.Vec) {
	n, both := int64(0), int64(0)
	for i, z := range row.IDs {
		right := free[z]
		if right == missing {
			continue
		}
		k := row.At(i)
		l.misfit = l.misfit || k > l.most
		n += k
		if right == fixedTrue {
			l.rightTrue += k
		}
		if right == fixedTrue || right == left {
			both += k
		}
	}
	l.total += n
	switch {
	case left >= 0:
		l.left[left] += n
		l.leftBoth[left] += both
	case left == fixedTrue:
		l.leftTrue += n
		l.bothTrue += both
	}
}

// rights counts the pairs of which a free atom is the right one.
func (l *pairList) rights(free []int32, right int32, row join.Vec) {
	n, both := int64(0), int64(0)
	for i, z := range row.IDs {
		switch left := free[z]; {
		case left == fixedTrue:
			both += row.At(i)
			n += row.At(i)
		case left != missing:
			n += row.At(i)
		}
	}
	l.right[right] += n
	l.rightBoth[right] += both
}

// addAbove adds the pairs of a free atom y with free atoms of greater z, from its row in a matrix and in its transpose.
func (p *pairTerms) addAbove(free []int32, y, source uint32, row, transposed join.Vec) {
	i, j := above(row.IDs, y), above(transposed.IDs, y)
	for i < len(row.IDs) || j < len(transposed.IDs) {
		left := j == len(transposed.IDs) || i < len(row.IDs) && row.IDs[i] <= transposed.IDs[j]
		right := i == len(row.IDs) || j < len(transposed.IDs) && transposed.IDs[j] <= row.IDs[i]
		z, n := uint32(0), int64(0)
		if left {
			z, n = row.IDs[i], row.At(i)
			i++
		}
		if right {
			z, n = transposed.IDs[j], n+transposed.At(j)
			j++
		}
		if other := free[z]; other >= 0 && n != 0 {
			p.add(uint32(free[y]), uint32(other), source, n)
		}
	}
}

// above returns how many of ascending ids are at most y.
func above(ids []uint32, y uint32) int {
	i, _ := slices.BinarySearch(ids, y+1)
	return i
}

// places returns a table of what atoms are by one of their arguments, which has n values: missing for all.
func (g *Grounder) places(n int) []int32 {
	g.place = slices.Grow(g.place[:0], n)[:n]
	for i := range g.place {
		g.place[i] = missing
	}
	return g.place
}
