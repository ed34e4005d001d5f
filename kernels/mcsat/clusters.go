package mcsat

import (
	"math"
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// clusterGrowth draws the bonds that freeze terms of a bilinear factor, without visiting each. Within an entity every pair of atoms in the
// right states is frozen with the same probability, so the clusters are those of a random graph: each is explored from a first atom over
// those not found yet, and one draw skips the candidates between two bonds. An atom is found once, and costs at most one draw.
type clusterGrowth struct {
	parts [2][2][]uint32 // by incidence: positions in its atoms that are true, then those that are false
	rest  [2][]uint32    // by end: those not found yet
	queue []uint32       // 2 * position, plus the end
	skip  int64          // candidates before the next bond
	rate  float64        // logarithm of the probability of no bond between the heaviest atoms
	most  float64        // product of their multiplicities
}

// freezeBilinear joins the clusters of atoms that bilinear factors freeze.
func (c *Chain) freezeBilinear(r *rand.Rand) {
	net, x := c.s.M.Net, &c.s.M.Bilinear
	for i, p := range net.Bilinears {
		j := x.Energy[i]
		if j == 0 {
			continue
		}
		c.bonds.most = float64(x.Heaviest[p.Left]) * float64(x.Heaviest[p.Right])
		c.bonds.rate = float64(-math.Abs(j) * c.bonds.most / 2)
		if p.Left == p.Right { // each pair occurs twice
			c.bonds.rate *= 2
		}
		c.bonds.draw(r)
		entities := uint32(x.Replicas.Entities(&net.Incidences[p.Left]))
		for replica := range x.Replicas.N {
			for h := range entities {
				c.freezeEntity(p, replica*entities+h, j > 0, r)
			}
		}
	}
}

// passes reports whether the next candidates have no bond, and skips them.
func (b *clusterGrowth) passes(candidates int64) bool {
	if b.skip < candidates {
		return false
	}
	b.skip -= candidates
	return true
}

// far exceeds any number of candidates.
const far = 1 << 60

// freezeEntity freezes equal atoms of an entity or, if equal is false, unequal ones.
func (c *Chain) freezeEntity(p network.Bilinear, h uint32, equal bool, r *rand.Rand) {
	b, l, s := &c.bonds, &c.s.M.Net.Incidences[p.Left], &c.s.M.Net.Incidences[p.Right]
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
			c.grow(l, s, 1, r)
		}
		return
	}
	if !equal {
		b.rest = *left
		c.grow(l, s, 1, r)
		return
	}
	for v := range left {
		b.rest[0] = left[v]
		c.grow(l, l, 0, r)
	}
}

// part divides the atoms of an entity by their state.
func (c *Chain) part(parts *[2][]uint32, s *network.Incidence, h uint32) {
	from, atoms := s.Start[h], s.Atoms[s.Start[h]:s.Start[h+1]]
	yes, no := grow.To(parts[0], len(atoms)), grow.To(parts[1], len(atoms))
	n := uint64(0)
	for k, a := range atoms { // without a branch, which would be mispredicted
		yes[n], no[uint64(k)-n] = from+uint32(k), from+uint32(k)
		n += loglinear.Mask(c.s.X[a]) & 1
	}
	parts[0], parts[1] = yes[:n], no[:len(atoms)-int(n)]
}

// draw draws the number of candidates without a bond.
func (b *clusterGrowth) draw(r *rand.Rand) {
	b.skip = int64(min(far-1, elementary.Log(1-float64(r.Float64()))/b.rate))
}

// grow joins the clusters of an entity's remaining atoms: those of the first end with those of the other, which is 1, or 0 if both ends are
// the same list.
func (c *Chain) grow(l, s *network.Incidence, other uint32, r *rand.Rand) {
	b := &c.bonds
	incidences := [2]*network.Incidence{l, s}
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
			c.explore(incidences[end], at>>1, incidences[end^other], end^other, r)
		}
	}
}

// explore joins an atom with the atoms of the other end that are bound to it.
func (c *Chain) explore(from *network.Incidence, k uint32, to *network.Incidence, end uint32, r *rand.Rand) {
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
		c.aux.forest.Unite(from.Atoms[k], to.Atoms[o])
	}
	b.rest[end] = rest
}

// keeps reports whether a bond drawn for the heaviest atoms also holds for lighter ones.
func (b *clusterGrowth) keeps(weight float64, r *rand.Rand) bool {
	return r.Float64()*elementary.Expm1(b.rate) > elementary.Expm1(b.rate*weight/b.most)
}
