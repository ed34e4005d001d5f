package mcsat

import (
	"math/rand/v2"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
)

// Limits of the search for a first state.
const (
	searchTries = 5
	searchFlips = 20_000  // per try; at least 100 for each constrained atom
	searchNoise = 0.5     // probability of a random literal instead of the best one
	searchExact = 20      // largest component enumerated if the search fails
	searchTree  = 1 << 22 // largest junction tree, in entries, for a larger component
)

// search decides components in which the search for a first state fails.
type search struct {
	solver   exact.Enumerator
	tree     exact.Tree
	solution []bool // by atom
	pinned   uint32 // a unit that the search must not flip, plus 1; 0 for none
}

// satisfy moves the chain to a state that violates no hard constraint on sampled atoms: the current one, or one found from it by WalkSAT
// over units.
func (c *Chain) satisfy(r *rand.Rand) error {
	m := c.s.M
	if m.Constraints() == 0 {
		return nil
	}
	if err := m.Possible(); err != nil {
		return err
	}
	c.aux.kept = grow.Zeroed(c.aux.kept, len(m.SoftEnergy))
	c.listViolated()
	if len(c.violated.List) == 0 {
		return nil
	}
	tries, flips := searchTries, searchFlips+100*len(m.Scope.Constrained)
	if c.search.pinned > 0 {
		tries, flips = 1, flips/10
	}
	for try := range tries {
		if try > 0 {
			for _, a := range m.Scope.Constrained { // at random
				if r.Uint64()&1 == 0 {
					c.s.Flip(a)
				}
			}
		}
		c.settle()
		c.solveHard(r)
		if c.unitMoves().Repair(&c.violated, flips, searchNoise, r) {
			return nil
		}
	}
	for len(c.violated.List) > 0 {
		if err := c.decide(c.violated.List[0]); err != nil {
			return err
		}
	}
	return nil
}

// listViolated lists the violated hard constraints on sampled atoms.
func (c *Chain) listViolated() {
	m := c.s.M
	c.violated.Reset(m.Factors())
	for i := range m.Constraints() {
		if !c.s.Satisfied(i) && m.Sampled(c.atomsOf(i)[0]) {
			c.violated.Note(i, false)
		}
	}
}

// atomsOf returns the atoms of a factor. The result is valid until the next call.
func (c *Chain) atomsOf(factor uint32) []uint32 {
	c.scope = c.s.M.AppendAtoms(c.scope[:0], factor)
	return c.scope
}

// settle gives fixed atoms their value and makes units consistent.
func (c *Chain) settle() {
	h := &c.s.M.Implications
	for _, a := range c.s.M.Scope.Atoms {
		want, fixed := h.Fixed(a)
		if !fixed {
			want = h.Block[a].True(c.s.X)
		}
		if c.s.X[a] != want {
			c.s.Flip(a)
		}
	}
	c.listViolated()
}

// solveHard finds the flips of units that keep the hard parities, and satisfies these.
func (c *Chain) solveHard(r *rand.Rand) {
	s, m, p := &c.aux, c.s.M, &c.parities
	p.kept = p.kept[:0]
	for i := range m.HardParities {
		if atoms := m.HardParities[i].Atoms; len(atoms) > 0 && m.Sampled(atoms[0]) {
			p.kept = append(p.kept, uint32(i))
		}
	}
	if len(p.kept) > loglinear.MostEquations {
		p.kept = p.kept[:0]
	}
	s.forest, s.frozen = grow.To(s.forest, len(c.s.X)), grow.Zeroed(s.frozen, len(c.s.X))
	for a, l := range m.Implications.Block {
		s.forest[a] = l.Atom()
	}
	c.link()
	c.solveParities(m.HardParities, r)
	p.Repair(func(unit uint32) { c.flipAll(m.Implications.Members(unit)) })
	c.listViolated()
}

// unitMoves are the flips of free units, together with others if parities tie them. The cost of a flip is the number of constraints it
// breaks.
func (c *Chain) unitMoves() *loglinear.Moves[uint32] {
	offered := func(unit uint32, offer func(unit uint32)) {
		if c.search.pinned == 0 || !slices.Contains(c.moveOf(unit), c.search.pinned-1) {
			offer(unit)
		}
	}
	return &loglinear.Moves[uint32]{
		Each: func(factor uint32, offer func(unit uint32)) {
			for _, a := range c.atomsOf(factor) {
				if unit, free := c.s.M.Implications.Free(a); free {
					c.parities.Leaders(unit, func(leader uint32) { offered(leader, offer) })
				}
			}
		},
		Cost: func(unit uint32, _ int) float64 { return float64(c.breaks(unit)) },
		Make: func(unit uint32, _ int) { c.turn(c.moveOf(unit)) },
	}
}

// breaks returns how many satisfied constraints a unit's flip would violate, atom by atom.
func (c *Chain) breaks(unit uint32) int {
	n := 0
	if c.parities.Tied(unit) {
		atoms := c.moveOf(unit)
		c.flipAll(atoms)
		for _, a := range atoms {
			for _, ref := range c.s.M.Hard.Of(a) {
				if !c.s.Satisfied(ref>>1) && !c.violated.Has(ref>>1) {
					n++
				}
			}
		}
		c.flipAll(atoms)
		return n
	}
	for _, a := range c.s.M.Implications.Members(unit) {
		for _, ref := range c.s.M.Hard.Of(a) {
			if c.s.Satisfied(ref>>1) && !c.s.SatisfiedFlipped(a, ref) {
				n++
			}
		}
	}
	return n
}

// turn flips atoms, and updates which of their factors are violated.
func (c *Chain) turn(atoms []uint32) {
	c.flipAll(atoms)
	for _, a := range atoms {
		c.factors = c.s.M.AppendFactors(c.factors[:0], a, c.s.M.Hard.Of(a))
		for _, i := range c.factors {
			c.violated.Note(i, c.keeps(i))
		}
	}
}

// decide solves the component of a constraint by enumeration if it is small, or else on a junction tree if that is affordable.
func (c *Chain) decide(constraint uint32) error {
	s, m := &c.search, c.s.M
	atoms := m.Components.Atoms(m.Components.Of(c.atomsOf(constraint)[0]))
	s.solution = append(s.solution[:0], c.s.X...)
	if len(atoms) <= searchExact {
		if err := s.solver.Run(m, atoms); err != nil {
			return err
		}
		for i, a := range atoms {
			s.solution[a] = s.solver.Solution(i)
		}
	} else {
		if s.pinned > 0 || s.tree.Bind(m, atoms, searchTree) != nil {
			return m.Unsatisfiable(int(constraint), false)
		}
		if err := s.tree.Mode(s.solution); err != nil {
			return err
		}
	}
	for _, a := range atoms {
		if s.solution[a] != c.s.X[a] {
			c.s.Flip(a)
		}
	}
	c.listViolated()
	return nil
}
