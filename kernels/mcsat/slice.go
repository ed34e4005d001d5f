package mcsat

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// auxiliary is the memory of one slice.
type auxiliary struct {
	forest network.Forest
	gain   []float64 // by cluster: change of energy when flipped; then the probability of flipping
	flips  []bool    // by cluster
	frozen []bool    // by cluster: may not flip
	head   []uint32  // by cluster: its first atom
	next   []uint32  // by atom: the next one of its cluster, network.Unset for the last
	move   []uint32  // atoms of one move
	kept   []bool    // by soft factor: must keep its value
	values []bool    // by soft factor: that value
	unused []float64 // by atom
}

// slice draws one slice and moves within it. Fields stay in the distribution: given the slice, a state's probability is proportional to
// exp(fields). Couplings and bilinear factors freeze pairs into clusters (Swendsen and Wang, 1987). A true conjunction of positive weight
// freezes its atoms; a false one of negative weight must stay false. A feature keeps its value (Poon and Domingos, 2006), and so does a
// parity.
func (c *Chain) slice(r *rand.Rand) {
	c.s.M.SplitCouplings()
	s := &c.aux
	n := len(c.s.X)
	s.forest = grow.To(s.forest, n)
	for a, l := range c.s.M.Implications.Block {
		s.forest[a] = l.Atom()
	}
	scope := &c.s.M.Scope
	sums, products, grouped := c.sums, len(c.s.M.Net.Bilinears) > 0, len(scope.Groups) > 0
	unsummed := products || grouped || c.blocks > 0 || len(c.s.M.Parities) > 0
	if unsummed { // these slices know less than the sweeps
		c.sums = grow.To(s.unused, len(c.sums))
		s.unused = c.sums
	}
	s.gain, s.flips, s.frozen = grow.Zeroed(s.gain, n), grow.To(s.flips, n), grow.Zeroed(s.frozen, n)
	if grouped {
		c.pickValues(r)
	}
	c.freezePairs(r)
	c.freezeBilinear(r)
	if scope.Pairwise {
		c.gather()
		c.flipClusters(r)
	} else {
		c.freezeSoft(r)
		c.keepParities(r)
		c.gather()
		c.link()
		c.solveParities(c.s.M.Parities, r)
		c.tryClusters(r)
		c.tryParities(r)
	}
	switch {
	case products:
		c.sums = sums
		c.s.SetFields()
	case unsummed:
		c.sums = sums
	default:
		c.passes++
	}
}

// freezePairs draws the bonds of pairs. With groups, a pair with an immovable atom is a field of the other, and groups that a hard clause
// of two atoms keeps apart move together.
func (c *Chain) freezePairs(r *rand.Rand) {
	f, m, d := c.aux.forest, c.s.M, &c.groups
	grouped := len(m.Scope.Groups) > 0
	for _, i := range m.Scope.Pairs {
		p, class := m.Net.Pairs[i], m.Couplings.Class[i]
		if grouped && (!d.movable[p.A] || !d.movable[p.B]) {
			j := m.Couplings.Energy[class] / 2
			if d.movable[p.A] {
				d.shift[p.A] += float64(j * loglinear.Sign(c.s.X[p.B]))
			} else if d.movable[p.B] {
				d.shift[p.B] += float64(j * loglinear.Sign(c.s.X[p.A]))
			}
			continue
		}
		bond := m.Couplings.Bond[class]
		if (c.s.X[p.A] == c.s.X[p.B]) == (bond < 0) {
			continue
		}
		if a, b := f.Root(p.A), f.Root(p.B); a != b && r.Float64() < math.Abs(bond) {
			f[max(a, b)] = min(a, b)
		}
	}
	if !grouped {
		return
	}
	for _, i := range m.Groups.Ties {
		clause := m.Net.Clauses[i]
		if a, b := clause[0].Atom(), clause[1].Atom(); c.s.ClauseTrue[i] == 1 && d.movable[a] && d.movable[b] {
			f.Unite(a, b)
		}
	}
}

// freezeSoft draws which values of the soft factors the slice keeps.
func (c *Chain) freezeSoft(r *rand.Rand) {
	s, m := &c.aux, c.s.M
	s.kept, s.values = grow.To(s.kept, len(m.SoftEnergy)), grow.To(s.values, len(m.SoftEnergy))
	for _, i := range m.Scope.Soft {
		w, holds := m.SoftRest[i], c.s.Holds(i)
		s.kept[i], s.values[i] = false, holds
		if holds != (w > 0) || r.Float64() >= -elementary.Expm1(-math.Abs(w)) {
			continue
		}
		lits, feature := m.SoftFactor(i)
		s.kept[i] = !holds || feature != nil
		if !s.kept[i] {
			for _, l := range lits {
				s.frozen[l.Atom()] = true
			}
		}
	}
}

// gather sums the fields and finds the frozen atoms of each cluster.
func (c *Chain) gather() {
	s, shift := &c.aux, c.groups.shift
	grouped := len(c.s.M.Scope.Groups) > 0
	for _, a := range c.s.M.Scope.Atoms {
		root := s.forest.Root(a)
		s.forest[a] = root
		s.frozen[root] = s.frozen[root] || s.frozen[a]
		h := c.s.M.Centred[a]
		if grouped {
			h += shift[a]
		}
		if c.s.X[a] {
			s.gain[root] -= h
		} else {
			s.gain[root] += h
		}
	}
}

// flipClusters draws every cluster from its exact conditional distribution: only pairs connect its atoms.
func (c *Chain) flipClusters(r *rand.Rand) {
	s := &c.aux
	for _, a := range c.s.M.Scope.Atoms { // a root is the first atom of its cluster
		root := s.forest[a]
		if root == a {
			s.gain[a] = elementary.Sigmoid(s.gain[a])
			s.flips[a] = r.Float64() < s.gain[a]
		}
		p := s.gain[root]
		if c.s.X[a] {
			p = 1 - p
		}
		c.sums[a] += p
		c.s.X[a] = c.s.X[a] != s.flips[root]
	}
}

// tryClusters draws every cluster from its conditional distribution given the others, within the slice.
func (c *Chain) tryClusters(r *rand.Rand) {
	s := &c.aux
	for _, root := range c.s.M.Scope.Atoms {
		if s.forest[root] != root || c.parities.Tied(root) {
			continue
		}
		c.tryCluster(c.moveOf(root), elementary.Sigmoid(s.gain[root]), s.frozen[root], r)
	}
}

func (c *Chain) tryCluster(atoms []uint32, p float64, frozen bool, r *rand.Rand) {
	if frozen {
		c.sum(atoms, 1)
		return
	}
	if len(c.s.M.Scope.Groups) > 0 { // their slices leave the sums alone
		c.tryMove(atoms, p, r)
		return
	}
	c.flipAll(atoms)
	if !c.inSlice(atoms) {
		p = 0
	}
	c.sum(atoms, p)
	if r.Float64() >= p {
		c.flipAll(atoms)
	}
}

// tryMove flips atoms with a probability, within the slice.
func (c *Chain) tryMove(atoms []uint32, p float64, r *rand.Rand) {
	if r.Float64() >= p {
		return
	}
	if c.flipAll(atoms); !c.inSlice(atoms) {
		c.flipAll(atoms)
	}
}

// link lists the atoms of each cluster.
func (c *Chain) link() {
	s := &c.aux
	s.head, s.next = grow.To(s.head, len(c.s.X)), grow.To(s.next, len(c.s.X))
	atoms := c.s.M.Scope.Atoms
	for _, a := range atoms {
		s.head[a] = network.Unset
	}
	for _, a := range slices.Backward(atoms) {
		root := s.forest[a]
		s.next[a], s.head[root] = s.head[root], a
	}
}

// inSlice reports whether all constraints on the atoms hold.
func (c *Chain) inSlice(atoms []uint32) bool {
	if !c.s.Lawful(atoms) {
		return false
	}
	grouped := len(c.s.M.Scope.Groups) > 0
	for _, a := range atoms {
		if grouped && c.splits(a) {
			return false
		}
		for _, ref := range c.s.M.Soft.Of(a) {
			if !c.keepsSoft(ref >> 1) {
				return false
			}
		}
	}
	return true
}

// keepsSoft reports whether a soft factor has its value, if it must keep it.
func (c *Chain) keepsSoft(i uint32) bool { return !c.aux.kept[i] || c.s.Holds(i) == c.aux.values[i] }

// keeps reports whether a factor satisfies the slice and hard formulas.
func (c *Chain) keeps(factor uint32) bool {
	if hard := c.s.M.Constraints(); factor >= hard {
		return c.keepsSoft(factor - hard)
	}
	return c.s.Satisfied(factor)
}
