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
	parts [2][2][]uint32 // by side: places in its atoms that are true, then those that are false
	rest  [2][]uint32    // by end: those of them that are not found yet
	queue []uint32       // 2 * place, plus the end
	skip  int64          // candidates before the next bond
	rate  float64        // logarithm of the probability of no bond between the atoms that weigh most
	most  float64        // product of their multiplicities
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
		hubs := uint32(x.hubsOf(&net.Sides[p.Left]))
		for copied := range x.copies.n {
			for h := range hubs {
				if !c.bonds.passes(c.candidates(p, h, copied, j > 0)) {
					c.freezeHub(p, copied*hubs+h, j > 0, r)
				}
			}
		}
	}
}

// candidates returns how many pairs of atoms a hub of a copy can freeze where it freezes none, or more than may pass.
func (c *Chain) candidates(p ground.Product, h, copied uint32, equal bool) int64 {
	l, s := &c.m.net.Sides[p.Left], &c.m.net.Sides[p.Right]
	n, m := int64(l.Start[h+1]-l.Start[h]), int64(s.Start[h+1]-s.Start[h])
	if n == 0 || m == 0 {
		return 0
	}
	if l.Mult != nil || s.Mult != nil {
		return far // counts have multiplicities
	}
	x, count := &c.m.hubs, c.counts()
	layer, column := x.column(count, copied)
	i := int64(layer[int(x.base[p.Left]+h)*x.width+column]) // true ones
	j := int64(layer[int(x.base[p.Right]+h)*x.width+column])
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
func (c *Chain) freezeHub(p ground.Product, h uint32, equal bool, r *rand.Rand) {
	b, l, s := &c.bonds, &c.m.net.Sides[p.Left], &c.m.net.Sides[p.Right]
	left := &b.parts[0]
	c.part(left, l, h)
	if p.Left != p.Right {
		right := &b.parts[1]
		c.part(right, s, h)
		if !equal {
			right[0], right[1] = right[1], right[0]
		}
		for v := range left {
			b.rest = [2][]uint32{left[v], right[v]}
			c.percolate(l, s, 1, r)
		}
		return
	}
	if !equal {
		b.rest = *left
		c.percolate(l, s, 1, r)
		return
	}
	for v := range left {
		b.rest[0] = left[v]
		c.percolate(l, l, 0, r)
	}
}

// part divides the atoms of a hub by their state.
func (c *Chain) part(parts *[2][]uint32, s *ground.Side, h uint32) {
	from, atoms := s.Start[h], s.Atoms[s.Start[h]:s.Start[h+1]]
	yes, no := resized(parts[0], len(atoms)), resized(parts[1], len(atoms))
	n := uint64(0)
	for k, a := range atoms { // without a branch, which would be hard to foresee
		yes[n], no[uint64(k)-n] = from+uint32(k), from+uint32(k)
		n += mask(c.x[a]) & 1
	}
	parts[0], parts[1] = yes[:n], no[:len(atoms)-int(n)]
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
	for {
		last := len(b.rest[0]) - 1
		pairs := int64(last+1) * int64(len(b.rest[1]))
		if other == 0 {
			pairs = int64(last+1) * int64(last) / 2
		}
		if b.passes(pairs) {
			return
		}
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
