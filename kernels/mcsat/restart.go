package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// restarts is the memory of new starts within a slice. Constraints are numbered: conjunctions, features, clauses, hard features.
type restarts struct {
	violated loglinear.Violated
	open     []uint32 // first atoms of the component's clusters that are not frozen
	turned   []bool   // by first atom of a cluster
	gain     float64  // energy of the fields that turning has added
}

const (
	restartAtoms = 200 // of a component at most
	restartFlips = 20  // for each of its clusters
)

// restart looks whether a slice has frozen a component: none of its clusters can flip by itself. Then it draws another solution
// of the slice's constraints by SampleSAT (Wei, Erenrich and Selman, 2004), here a random walk from a random state, and keeps
// it with the probability by which the fields prefer it, provided that it is frozen too, so that the way back is the same. That
// reaches what is far from the present state in all directions, as other solutions of many parities.
func (c *Chain) restart(r *rand.Rand) {
	m, s, t := c.s.M, &c.aux, &c.restarts
	if c.blocks == 0 || len(m.Scope.Groups) > 0 {
		return
	}
	component := m.Components.Atoms(m.Components.Of(m.Scope.Atoms[r.IntN(len(m.Scope.Atoms))]))
	if len(component) > restartAtoms || !c.stands(component) {
		return
	}
	t.open, t.gain = t.open[:0], 0
	for _, a := range component {
		if s.forest[a] == a && !s.frozen[a] {
			t.open = append(t.open, a)
		}
	}
	if len(t.open) < 2 {
		return
	}
	t.turned = grow.Zeroed(t.turned, len(c.s.X))
	t.violated.Reset(len(m.Net.Conjunctions) + len(m.Net.Features) + len(m.Net.Clauses) + len(m.Net.HardFeatures))
	for _, root := range t.open {
		if r.Uint64()&1 == 0 {
			c.turnCluster(root)
		}
	}
	if c.wander(r) && (t.gain >= 0 || r.Float64() < elementary.Exp(t.gain)) && c.stands(component) {
		return
	}
	for _, root := range t.open {
		if t.turned[root] {
			c.flipAll(c.clusterOf(root))
		}
	}
}

// stands reports whether no cluster of a component can flip within the slice.
func (c *Chain) stands(component []uint32) bool {
	for _, root := range component {
		if c.aux.forest[root] != root || c.aux.frozen[root] {
			continue
		}
		atoms := c.clusterOf(root)
		c.flipAll(atoms)
		can := c.inSlice(atoms)
		c.flipAll(atoms)
		if can {
			return false
		}
	}
	return true
}

// clusterOf lists the atoms of a cluster, until the next call.
func (c *Chain) clusterOf(root uint32) []uint32 {
	s := &c.aux
	s.cluster = s.cluster[:0]
	for a := s.head[root]; a != network.Unset; a = s.next[a] {
		s.cluster = append(s.cluster, a)
	}
	return s.cluster
}

// wander turns clusters of violated constraints at random, and reports whether none is left after a bounded number of flips.
func (c *Chain) wander(r *rand.Rand) bool {
	t := &c.restarts
	for range restartFlips * len(t.open) {
		if len(t.violated.List) == 0 {
			return true
		}
		if root := c.aux.forest[c.anyAtom(t.violated.List[r.IntN(len(t.violated.List))], r)]; !c.aux.frozen[root] {
			c.turnCluster(root)
		}
	}
	return len(t.violated.List) == 0
}

// anyAtom returns a random atom of a constraint.
func (c *Chain) anyAtom(i uint32, r *rand.Rand) uint32 {
	net := c.s.M.Net
	conjunctions, features := uint32(len(net.Conjunctions)), uint32(len(net.Features))
	switch {
	case i < conjunctions:
		lits := net.Conjunctions[i].Lits
		return lits[r.IntN(len(lits))].Atom()
	case i < conjunctions+features:
		atoms := net.Features[i-conjunctions].Atoms
		return atoms[r.IntN(len(atoms))]
	case i < conjunctions+features+uint32(len(net.Clauses)):
		lits := net.Clauses[i-conjunctions-features]
		return lits[r.IntN(len(lits))].Atom()
	default:
		atoms := net.HardFeatures[i-conjunctions-features-uint32(len(net.Clauses))].Atoms
		return atoms[r.IntN(len(atoms))]
	}
}

// turnCluster flips a cluster, and follows in the constraints of the slice.
func (c *Chain) turnCluster(root uint32) {
	m, s, t := c.s.M, &c.aux, &c.restarts
	t.turned[root] = !t.turned[root]
	atoms := c.clusterOf(root)
	for _, a := range atoms {
		if c.s.X[a] {
			t.gain -= m.Centred[a]
		} else {
			t.gain += m.Centred[a]
		}
	}
	c.flipAll(atoms)
	features := uint32(len(m.Net.Conjunctions))
	clauses := features + uint32(len(m.Net.Features))
	hard := clauses + uint32(len(m.Net.Clauses))
	for _, a := range atoms {
		for _, ref := range m.Conjunctions.Of(a) {
			t.violated.Note(ref>>1, !s.conjunctions[ref>>1] || !c.s.Holds(ref>>1))
		}
		for _, i := range m.Features.Of(a) {
			t.violated.Note(features+i, !s.features[i] || m.Net.Features[i].Root.True(c.s.X) == s.values[i])
		}
		for _, ref := range m.Clauses.Of(a) {
			t.violated.Note(clauses+(ref>>1), c.s.ClauseTrue[ref>>1] > 0)
		}
		for _, i := range m.HardFeatures.Of(a) {
			t.violated.Note(hard+i, m.Net.HardFeatures[i].Root.True(c.s.X))
		}
	}
}
