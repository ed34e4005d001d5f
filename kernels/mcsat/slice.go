package mcsat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// auxiliary is the memory of one slice.
type auxiliary struct {
	forest   forest
	gain     []float64 // by cluster: energy that flipping it adds; then the probability of flipping
	flips    []bool    // by cluster
	frozen   []bool    // by cluster: may not flip
	head     []uint32  // by cluster: its first atom
	next     []uint32  // by atom: the next one of its cluster, unset for the last
	cluster  []uint32  // atoms of one cluster
	cubes    []bool    // by cube: must stay false
	features []bool    // by feature: must keep its value
	values   []bool    // by feature: that value
	unused   []float64 // by atom
}

// slice draws one slice and moves within it. Fields stay in the distribution: given the slice, a state's probability
// is proportional to exp(fields). Couplings and products freeze pairs into clusters (Swendsen and Wang, 1987); a cube that
// holds and has a positive weight freezes its atoms; one that does not and has a negative weight must stay false; a
// feature keeps its value (Poon and Domingos, 2006).
func (c *Chain) slice(r *rand.Rand) {
	c.m.splitCouplings()
	s := &c.aux
	n := len(c.x)
	s.forest = resized(s.forest, n)
	for a, l := range c.m.hardness.block {
		s.forest[a] = l.Atom()
	}
	sums, products := c.sums, len(c.m.net.Products) > 0
	if products { // the rare slices know less than the sweeps
		c.sums = resized(s.unused, len(c.sums))
		s.unused = c.sums
	}
	s.gain, s.flips, s.frozen = zeroed(s.gain, n), resized(s.flips, n), zeroed(s.frozen, n)
	c.freezePairs(r)
	c.freezeHubs(r)
	if c.m.scope.pairwise {
		c.gather()
		c.flipClusters(r)
	} else {
		c.freezeCubes(r)
		c.freezeFeatures(r)
		c.gather()
		c.tryClusters(r)
	}
	if products {
		c.sums = sums
		c.setHubs()
		return
	}
	c.passes++
}

func (c *Chain) freezePairs(r *rand.Rand) {
	f := c.aux.forest
	for _, i := range c.m.scope.pairs {
		p, bond := c.m.net.Pairs[i], c.m.ties.bond[c.m.ties.class[i]]
		if (c.x[p.A] == c.x[p.B]) == (bond < 0) {
			continue
		}
		if a, b := f.root(p.A), f.root(p.B); a != b && r.Float64() < math.Abs(bond) {
			f[max(a, b)] = min(a, b)
		}
	}
}

func (c *Chain) freezeCubes(r *rand.Rand) {
	s := &c.aux
	s.cubes = resized(s.cubes, len(c.m.cube))
	for _, i := range c.m.scope.cubes {
		w, holds := c.m.cube[i], c.cubeHolds(i)
		s.cubes[i] = false
		if holds != (w > 0) || r.Float64() >= -math.Expm1(-math.Abs(w)) {
			continue
		}
		s.cubes[i] = !holds
		if holds {
			for _, l := range c.m.net.Cubes[i].Lits {
				s.frozen[l.Atom()] = true
			}
		}
	}
}

func (c *Chain) freezeFeatures(r *rand.Rand) {
	s := &c.aux
	s.features, s.values = resized(s.features, len(c.m.feature)), resized(s.values, len(c.m.feature))
	for _, i := range c.m.scope.features {
		w := c.m.feature[i]
		s.values[i] = c.m.net.Features[i].Root.True(c.x)
		s.features[i] = s.values[i] == (w > 0) && r.Float64() < -math.Expm1(-math.Abs(w))
	}
}

// gather adds up the fields and the frozen atoms of each cluster.
func (c *Chain) gather() {
	s := &c.aux
	for _, a := range c.m.scope.atoms {
		root := s.forest.root(a)
		s.forest[a] = root
		s.frozen[root] = s.frozen[root] || s.frozen[a]
		if c.x[a] {
			s.gain[root] -= c.m.centred[a]
		} else {
			s.gain[root] += c.m.centred[a]
		}
	}
}

// flipClusters draws every cluster from its exact conditional distribution: nothing but pairs ties its atoms.
func (c *Chain) flipClusters(r *rand.Rand) {
	s := &c.aux
	for _, a := range c.m.scope.atoms { // a root is the first atom of its cluster
		root := s.forest[a]
		if root == a {
			s.gain[a] = sigmoid(s.gain[a])
			s.flips[a] = r.Float64() < s.gain[a]
		}
		p := s.gain[root]
		if c.x[a] {
			p = 1 - p
		}
		c.sums[a] += p
		c.x[a] = c.x[a] != s.flips[root]
	}
}

// tryClusters draws every cluster from its conditional distribution given the others, within the slice.
func (c *Chain) tryClusters(r *rand.Rand) {
	s := &c.aux
	c.link()
	for _, root := range c.m.scope.atoms {
		if s.forest[root] != root {
			continue
		}
		s.cluster = s.cluster[:0]
		for a := s.head[root]; a != unset; a = s.next[a] {
			s.cluster = append(s.cluster, a)
		}
		c.tryCluster(s.cluster, sigmoid(s.gain[root]), s.frozen[root], r)
	}
}

func (c *Chain) tryCluster(atoms []uint32, p float64, frozen bool, r *rand.Rand) {
	if frozen {
		c.sum(atoms, 1)
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

// link lists the atoms of each cluster.
func (c *Chain) link() {
	s := &c.aux
	s.head, s.next = resized(s.head, len(c.x)), resized(s.next, len(c.x))
	atoms := c.m.scope.atoms
	for _, a := range atoms {
		s.head[a] = unset
	}
	for _, a := range slices.Backward(atoms) {
		root := s.forest[a]
		s.next[a], s.head[root] = s.head[root], a
	}
}

// inSlice reports whether all that constrains the atoms holds.
func (c *Chain) inSlice(atoms []uint32) bool {
	s := &c.aux
	for _, a := range atoms {
		if !c.lawful(a) {
			return false
		}
		for _, ref := range c.m.cubes.of(a) {
			if s.cubes[ref>>1] && c.cubeHolds(ref>>1) {
				return false
			}
		}
		for _, i := range c.m.features.of(a) {
			if s.features[i] && c.m.net.Features[i].Root.True(c.x) != s.values[i] {
				return false
			}
		}
	}
	return true
}
