package ground

import (
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/join"
	"resolwe/kernels/network"
	"resolwe/kernels/plan"
)

// pairList is the pairs of atoms p(x, y) and p(x, z), or p(y) and p(z), left and right, whose y and z a matrix connects: their bundle, and
// the contributions of formulas over them to single atoms. If one of the atoms is a head, each pair counts as much as its share.
type pairList struct {
	source uint32
	most   int64 // largest allowed count of a pair
	misfit bool  // some number does not fit

	total, leftTrue, rightTrue, bothTrue int64   // pairs, those whose left atom is fixed to true, ..
	left, leftBoth, right, rightBoth     []int64 // by atom: pairs that contain it, and those whose other atom, or itself, is true
}

// pairsKey identifies a pair list.
type pairsKey struct {
	pred int
	mat  plan.NodeID
	head headPlace
	n    int64 // factor of the shares of a formula with a head; otherwise 0
}

// headPlace says which of two atoms is the head of a formula whose groundings have shares.
type headPlace uint8

const (
	headNone headPlace = iota
	headLeft
	headRight
)

// paired adds the current formula n times to the pairs of a target's atoms. It returns false if it has no such route or a number does not
// fit.
func (g *Grounder) paired(n int64) bool {
	d := g.c.indexed
	if d == nil {
		return false
	}
	key := pairsKey{pred: d.pred, mat: d.mat}
	switch {
	case g.c.heads == nil:
	case d.left == headSlot:
		key.head, key.n = headLeft, g.shares.times
	default:
		key.head, key.n = headRight, g.shares.times
	}
	l, ok := g.meeting.pairLists[key]
	if !ok {
		l = g.listPairs(d, key.head)
		g.meeting.pairLists[key] = l
	}
	if l.misfit {
		return false
	}
	b, f := g.net, g.c.form.swapped(d.left == 1)
	for _, t := range [...][2]int64{{l.total, f.one}, {l.leftTrue, f.leftOnly}, {l.rightTrue, f.rightOnly}, {l.bothTrue, f.both}} {
		b.constantOfEach(g.i, product(n, product(t[0], t[1])))
	}
	b.addUnaries(g.i, l.left, n, f.leftOnly)
	b.addUnaries(g.i, l.leftBoth, n, f.both)
	b.addUnaries(g.i, l.right, n, f.rightOnly)
	b.addUnaries(g.i, l.rightBoth, n, f.both)
	if f.both != 0 {
		bundle := &b.pairs.bundles[l.source-b.pairs.formulas]
		*bundle = append(*bundle, network.Coef{Formula: g.i, Mult: product(n, f.both)})
	}
	return true
}

// listPairs lists the pairs.
func (g *Grounder) listPairs(d *indexed, head headPlace) *pairList {
	l := &pairList{source: g.net.pairs.bundle(nil), most: math.MaxInt32}
	p := g.atoms.of(d.pred)
	if head != headNone {
		l.most = mostShares
	}
	size := p.sizes[len(p.sizes)-1]
	among := make([]int64, size) // groundings of the heads p(x, y) with one x, by y
	begin := len(g.net.pairs.list)
	for _, counts := range [...]*[]int64{&l.left, &l.leftBoth, &l.right, &l.rightBoth} {
		*counts = make([]int64, g.net.atoms)
	}
	for ys, first := range p.rows(g.net.replicas) {
		free := g.meeting.places(size)
		for i, y := range ys {
			free[y] = g.atoms.free[first+i]
			if head != headNone {
				among[y] = g.shares.among[first+i]
			}
		}
		for _, y := range ys {
			if free[y] == missing {
				continue
			}
			lefts, rights := g.scratch.CountRow(d.mat, y), g.scratch.CountRow(d.transposed, y)
			if head != headNone {
				lefts.N = g.shares.weighed(0, lefts, among, y, head == headLeft)
				rights.N = g.shares.weighed(1, rights, among, y, head == headRight)
			}
			l.lefts(free, free[y], lefts)
			if right := free[y]; right >= 0 {
				n, yes, _ := l.count(free, right, rights)
				l.right[right] += n
				l.rightBoth[right] += yes
				g.net.pairs.addAbove(free, y, l.source, lefts, rights)
			}
		}
	}
	if l.misfit {
		g.net.pairs.list = g.net.pairs.list[:begin]
	}
	return l
}

// weighed returns the shares of a row's counts among the groundings of its entities or, with own, of y, in one of the memories.
func (s *shares) weighed(memory int, row join.Vec, among []int64, y uint32, own bool) []int64 {
	dst := &s.memory[memory]
	*dst = grow.To(*dst, len(row.IDs))
	for i, z := range row.IDs {
		if own {
			z = y
		}
		(*dst)[i] = s.share(row.At(i), among[z])
	}
	return *dst
}

// lefts counts the pairs whose left atom is the given one; free holds the states of the possible right atoms.
func (l *pairList) lefts(free []int32, left int32, row join.Vec) {
	n, yes, own := l.count(free, left, row)
	l.total += n
	l.rightTrue += yes
	switch {
	case left >= 0:
		l.left[left] += n
		l.leftBoth[left] += yes + own
	case left == fixedTrue:
		l.leftTrue += n
		l.bothTrue += yes
	}
}

// count counts the pairs of an atom with those of a row: all, those with an atom fixed to true, and those with itself.
func (l *pairList) count(free []int32, atom int32, row join.Vec) (n, yes, own int64) {
	for i, z := range row.IDs {
		other, k := free[z], row.At(i)
		if other == missing {
			continue
		}
		l.misfit = l.misfit || k > l.most
		n += k
		switch {
		case other == fixedTrue:
			yes += k
		case other == atom && atom >= 0:
			own += k
		}
	}
	return n, yes, own
}

// addAbove adds the pairs of a free atom y with free atoms of greater z, from its row in a matrix and in the transpose.
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

// above returns how many of the ascending ids are at most y.
func above(ids []uint32, y uint32) int {
	i, _ := slices.BinarySearch(ids, y+1)
	return i
}
