package mcsat

import (
	"math"
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// clusterGrowth draws the bonds that the terms of a bilinear factor freeze, without looking at each of them. Within an entity every
// pair of atoms in the right states is frozen with one probability, so that the clusters are those of a random graph:
// each is explored from a first atom over those that are not found yet, and what lies between two bonds is skipped in one
// draw. An atom is found once, and costs one draw at most.
type clusterGrowth struct {
	parts [2][2][]uint32 // by incidence: places in its atoms that are true, then those that are false
	rest  [2][]uint32    // by end: those of them that are not found yet
	queue []uint32       // 2 * place, plus the end
	skip  int64          // candidates before the next bond
	rate  float64        // logarithm of the probability of no bond between the atoms that weigh most
	most  float64        // product of their multiplicities
}

// freezeBilinear unites the atoms that bilinear factors freeze.
func (c *Chain) freezeBilinear(r *rand.Rand) {
	net, x := c.s.M.Net, &c.s.M.Bilinear
	for i, p := range net.Bilinears {
		j := x.Energy[i]
		if j == 0 {
			continue
		}
		c.bonds.most = float64(x.Heaviest[p.Left]) * float64(x.Heaviest[p.Right])
		c.bonds.rate = float64(-math.Abs(j) * c.bonds.most / 2)
		if p.Left == p.Right { // each pair is there twice
			c.bonds.rate *= 2
		}
		c.bonds.draw(r)
		entities := uint32(x.Replicas.Entities(&net.Incidences[p.Left]))
		for replica := range x.Replicas.N {
			for h := range entities {
				if !c.bonds.passes(c.candidates(p, h, replica, j > 0)) {
					c.freezeEntity(p, replica*entities+h, j > 0, r)
				}
			}
		}
	}
}

// candidates returns how many pairs of atoms an entity of a replica can freeze where it freezes none, or more than may pass.
func (c *Chain) candidates(p network.Bilinear, h, replica uint32, equal bool) int64 {
	l, s := &c.s.M.Net.Incidences[p.Left], &c.s.M.Net.Incidences[p.Right]
	n, m := int64(l.Start[h+1]-l.Start[h]), int64(s.Start[h+1]-s.Start[h])
	if n == 0 || m == 0 {
		return 0
	}
	if l.Mult != nil || s.Mult != nil {
		return far // counts have multiplicities
	}
	x, count := &c.s.M.Bilinear, c.s.Counts()[replica:]
	i := int64(count[int(x.Base[p.Left]+h)*x.Width]) // true ones
	j := int64(count[int(x.Base[p.Right]+h)*x.Width])
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

// passes reports whether the next n candidates have no bond, and skips them.
func (b *clusterGrowth) passes(candidates int64) bool {
	if b.skip < candidates {
		return false
	}
	b.skip -= candidates
	return true
}

// far is beyond all candidates.
const far = 1 << 60

// freezeEntity freezes equal atoms of an entity, or unequal ones.
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
	for k, a := range atoms { // without a branch, which would be hard to foresee
		yes[n], no[uint64(k)-n] = from+uint32(k), from+uint32(k)
		n += loglinear.Mask(c.s.X[a]) & 1
	}
	parts[0], parts[1] = yes[:n], no[:len(atoms)-int(n)]
}

// draw draws how many candidates have no bond.
func (b *clusterGrowth) draw(r *rand.Rand) {
	b.skip = int64(min(far-1, elementary.Log(1-float64(r.Float64()))/b.rate))
}

// grow unites the clusters of the atoms of one entity that are left: those of the first end with those of the other
// one, which is 1, or 0 where the two ends are one list.
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

// explore unites an atom with those of the other end that are bound to it.
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

// keeps reports whether a bond that was drawn for the heaviest atoms also holds for lighter ones.
func (b *clusterGrowth) keeps(weight float64, r *rand.Rand) bool {
	return r.Float64()*elementary.Expm1(b.rate) > elementary.Expm1(b.rate*weight/b.most)
}
