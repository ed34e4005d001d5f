package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// restarts is the memory of new starts within a slice. Constraints are numbered: conjunctions, features, clauses, hard features.
type restarts struct {
	violated loglinear.Violated
	open     []uint32 // the component's moves, by their first atoms
	turned   []bool   // by first atom of a move
	gain     float64  // energy of the fields that turning has added
}

const (
	restartAtoms = 200 // of a component at most
	restartFlips = 20  // for each of its moves
)

// restart looks whether a slice has frozen a component: none of its moves, which are clusters or what parities make of them, stays
// in it. Then it draws another solution of the slice's constraints by SampleSAT (Wei, Erenrich and Selman, 2004), here a random
// walk from a random state, and keeps it with the probability by which the fields prefer it, provided that it is frozen too, so
// that the way back is the same. That reaches what is far from the present state in all directions.
func (c *Chain) restart(r *rand.Rand) {
	m, t := c.s.M, &c.restarts
	if c.blocks == 0 || len(m.Scope.Groups) > 0 {
		return
	}
	component := m.Components.Atoms(m.Components.Of(m.Scope.Atoms[r.IntN(len(m.Scope.Atoms))]))
	if len(component) > restartAtoms || !c.stands(component) {
		return
	}
	t.open, t.gain = t.open[:0], 0
	for _, a := range component {
		if c.moves(a) {
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
			c.turnMove(root)
		}
	}
	if c.wander(r) && (t.gain >= 0 || r.Float64() < elementary.Exp(t.gain)) && c.stands(component) {
		return
	}
	for _, root := range t.open {
		if t.turned[root] {
			c.flipAll(c.moveOf(root))
		}
	}
}

// stands reports whether no move of a component stays within the slice.
func (c *Chain) stands(component []uint32) bool {
	for _, root := range component {
		if !c.moves(root) {
			continue
		}
		atoms := c.moveOf(root)
		c.flipAll(atoms)
		can := c.inSlice(atoms)
		c.flipAll(atoms)
		if can {
			return false
		}
	}
	return true
}

// wander takes moves in violated constraints at random, and reports whether none is left after a bounded number of them.
func (c *Chain) wander(r *rand.Rand) bool {
	t := &c.restarts
	for range restartFlips * len(t.open) {
		if len(t.violated.List) == 0 {
			return true
		}
		root := c.aux.forest[c.anyAtom(t.violated.List[r.IntN(len(t.violated.List))], r)]
		if root = c.parities.moving(root, r); c.moves(root) {
			c.turnMove(root)
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

// turnMove takes a move, and follows in the constraints of the slice.
func (c *Chain) turnMove(root uint32) {
	m, s, t := c.s.M, &c.aux, &c.restarts
	t.turned[root] = !t.turned[root]
	atoms := c.moveOf(root)
	t.gain += c.gainOf(atoms)
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
