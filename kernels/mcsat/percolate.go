package mcsat

import (
	"math"
	"math/rand/v2"

	"resolwe/kernels/ground"
)

// percolation draws the bonds that the terms of a product freeze, without looking at each of them. Within a hub every
// pair of atoms in the right states is frozen with one probability, so that the clusters are those of a random graph:
// each is explored from a first atom over those that are not found yet, and what lies between two bonds is skipped in one
// draw. An atom is found once, and costs one draw at most.
type percolation struct {
	rest  [2][]uint32 // by end: places in the side's atoms that are not found yet
	queue []uint32    // 2 * place, plus the end
	skip  int64       // candidates before the next bond
	rate  float64     // logarithm of the probability of no bond between the atoms that weigh most
	most  float64     // product of their multiplicities
}

// freezeHubs unites the atoms that products freeze.
func (c *Chain) freezeHubs(r *rand.Rand) {
	net, x := c.m.net, &c.m.hubs
	for i, p := range net.Products {
		j := x.energy[i]
		if j == 0 {
			continue
		}
		c.bonds.most = float64(x.heaviest[p.Left]) * float64(x.heaviest[p.Right])
		c.bonds.rate = -math.Abs(j) * c.bonds.most / 2
		if p.Left == p.Right { // each pair is there twice
			c.bonds.rate *= 2
		}
		c.bonds.draw(r)
		l, s := &net.Sides[p.Left], &net.Sides[p.Right]
		for h := range uint32(l.Hubs()) {
			if l.Start[h] == l.Start[h+1] || s.Start[h] == s.Start[h+1] || c.bonds.passes(c.candidates(p, h, j > 0)) {
				continue
			}
			c.freezeHub(l, s, h, j > 0, r)
		}
	}
}

// candidates returns how many pairs of atoms a hub can freeze where it freezes none, or more than may pass.
func (c *Chain) candidates(p ground.Product, h uint32, equal bool) int64 {
	l, s := &c.m.net.Sides[p.Left], &c.m.net.Sides[p.Right]
	if l.Mult != nil || s.Mult != nil {
		return far // counts have multiplicities
	}
	x, count := &c.m.hubs, c.counts()
	n, m := int64(l.Start[h+1]-l.Start[h]), int64(s.Start[h+1]-s.Start[h])
	i, j := int64(count[x.place(p.Left, h)]), int64(count[x.place(p.Right, h)]) // true ones
	switch {
	case p.Left != p.Right && equal:
		return i*j + (n-i)*(m-j)
	case p.Left != p.Right:
		return i*(m-j) + (n-i)*j
	case equal:
		return (i*(i-1) + (n-i)*(n-i-1)) / 2
	default:
		return i * (n - i)
	}
}

// passes reports whether there is no bond among so many candidates, which are then behind.
func (b *percolation) passes(candidates int64) bool {
	if b.skip < candidates {
		return false
	}
	b.skip -= candidates
	return true
}

// far is beyond all candidates.
const far = 1 << 60

// freezeHub freezes equal atoms of a hub, or unequal ones.
func (c *Chain) freezeHub(l, s *ground.Side, h uint32, equal bool, r *rand.Rand) {
	for _, v := range [...]bool{true, false} {
		c.list(0, l, h, v)
		switch {
		case l == s && equal:
			c.percolate(l, l, 0, r)
		case l != s || v:
			c.list(1, s, h, v == equal)
			c.percolate(l, s, 1, r)
		}
	}
}

// list sets the atoms of a hub that are in a state.
func (c *Chain) list(end int, s *ground.Side, h uint32, state bool) {
	rest := c.bonds.rest[end][:0]
	for k := s.Start[h]; k < s.Start[h+1]; k++ {
		if c.x[s.Atoms[k]] == state {
			rest = append(rest, k)
		}
	}
	c.bonds.rest[end] = rest
}

// draw draws how many candidates have no bond.
func (b *percolation) draw(r *rand.Rand) {
	b.skip = int64(min(far-1, math.Log(1-r.Float64())/b.rate))
}

// percolate unites the clusters of the atoms of one hub that are left: those of the first end with those of the other
// one, which is 1, or 0 where the two ends are one list.
func (c *Chain) percolate(l, s *ground.Side, other uint32, r *rand.Rand) {
	b := &c.bonds
	sides := [2]*ground.Side{l, s}
	for len(b.rest[0]) > 0 && len(b.rest[other]) > 0 {
		last := len(b.rest[0]) - 1
		b.queue = append(b.queue[:0], b.rest[0][last]<<1)
		b.rest[0] = b.rest[0][:last]
		for len(b.queue) > 0 {
			at := b.queue[len(b.queue)-1]
			b.queue = b.queue[:len(b.queue)-1]
			end := at & 1
			c.explore(sides[end], at>>1, sides[end^other], end^other, r)
		}
	}
}

// explore unites an atom with those of the other end that are bound to it.
func (c *Chain) explore(from *ground.Side, k uint32, to *ground.Side, end uint32, r *rand.Rand) {
	b := &c.bonds
	rest := b.rest[end]
	for i := int64(0); ; {
		left := int64(len(rest)) - i
		if b.skip >= left {
			b.skip -= left
			break
		}
		i += b.skip
		b.draw(r)
		o := rest[i]
		if weight := from.At(k) * to.At(o); float64(weight) < b.most && !b.keeps(float64(weight), r) {
			i++
			continue
		}
		rest[i] = rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		b.queue = append(b.queue, o<<1|end)
		c.aux.forest.unite(from.Atoms[k], to.Atoms[o])
	}
	b.rest[end] = rest
}

// keeps reports whether a bond that was drawn for the heaviest atoms is one of lighter ones.
func (b *percolation) keeps(weight float64, r *rand.Rand) bool {
	return r.Float64()*math.Expm1(b.rate) > math.Expm1(b.rate*weight/b.most)
}
