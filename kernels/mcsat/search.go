package mcsat

import (
	"math/rand/v2"

	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
	"resolwe/kernels/tree"
)

// Limits of the search for a first state.
const (
	searchTries = 5
	searchFlips = 20_000  // per try, and as many as 100 for each atom under constraint
	searchNoise = 0.5     // probability of a random literal instead of the best one
	searchExact = 20      // atoms of a component that is decided by enumeration where the search fails
	searchTree  = 1 << 22 // entries of the junction tree that decides a larger one
)

// search holds the violated constraints: clauses, then hard features.
type search struct {
	violated loglinear.Violated
	solver   exact.Enumerator
	tree     tree.Tree
	solution []bool // by atom
	pinned   uint32 // a unit that the search leaves alone, plus 1; 0 for none
}

// satisfy moves the chain to a state in which no hard constraint on a sampled atom is violated: the present one, or
// else one that is found by WalkSAT (Selman, Kautz and Cohen, 1994) over units, beginning at the present one.
func (c *Chain) satisfy(r *rand.Rand) error {
	if len(c.s.M.Net.Clauses)+len(c.s.M.Net.HardFeatures) == 0 {
		return nil
	}
	if err := c.s.M.Possible(); err != nil {
		return err
	}
	c.listViolated()
	if len(c.search.violated.List) == 0 {
		return nil
	}
	if i := c.s.M.Implications.Conflict; i >= 0 && c.s.M.Sampled(c.s.M.FirstAtom(i)) {
		return c.s.M.Unsatisfiable(i, true)
	}
	tries := searchTries
	if c.search.pinned > 0 {
		tries = 1
	}
	for try := range tries {
		if try > 0 {
			c.scatter(r)
		}
		c.settle()
		if c.walk(r) {
			return nil
		}
	}
	for len(c.search.violated.List) > 0 {
		if err := c.decide(int(c.search.violated.List[0])); err != nil {
			return err
		}
	}
	return nil
}

func (c *Chain) listViolated() {
	net, s := c.s.M.Net, &c.search
	s.violated.Reset(len(net.Clauses) + len(net.HardFeatures))
	for i := range net.Clauses {
		c.note(uint32(i), c.s.ClauseTrue[i] > 0)
	}
	for i := range net.HardFeatures {
		c.note(uint32(len(net.Clauses)+i), net.HardFeatures[i].Root.True(c.s.X))
	}
}

// note records whether a constraint holds, if it is on sampled atoms.
func (c *Chain) note(i uint32, holds bool) {
	if v := &c.search.violated; holds == v.Has(i) && c.s.M.Sampled(c.s.M.FirstAtom(int(i))) {
		v.Note(i, holds)
	}
}

// scatter draws the atoms under constraint anew.
func (c *Chain) scatter(r *rand.Rand) {
	for _, a := range c.s.M.Scope.Constrained {
		if r.Uint64()&1 == 0 {
			c.s.Flip(a)
		}
	}
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

// walk repairs violated constraints one by one, and reports whether none is left after a bounded number of flips.
func (c *Chain) walk(r *rand.Rand) bool {
	flips := searchFlips + 100*len(c.s.M.Scope.Constrained)
	if c.search.pinned > 0 {
		flips /= 10
	}
	for range flips {
		if len(c.search.violated.List) == 0 {
			return true
		}
		i := c.search.violated.List[r.IntN(len(c.search.violated.List))]
		if a := c.pick(int(i), r); a != network.Unset {
			c.turn(c.s.M.Implications.Block[a].Atom())
		}
	}
	return len(c.search.violated.List) == 0
}

// pick returns a free atom of a violated constraint: a random one, or one whose flip breaks least.
func (c *Chain) pick(constraint int, r *rand.Rand) uint32 {
	noisy := r.Float64() < searchNoise
	best, least, seen := uint32(network.Unset), 0, 0
	c.s.M.EachAtom(constraint, func(a uint32) {
		unit := c.s.M.Implications.Block[a].Atom()
		if _, fixed := c.s.M.Implications.Fixed(a); fixed || unit+1 == c.search.pinned {
			return
		}
		breaks := 0
		if !noisy {
			breaks = c.breaks(unit)
		}
		switch {
		case best == network.Unset || breaks < least:
			best, least, seen = a, breaks, 1
		case breaks == least:
			seen++
			if r.IntN(seen) == 0 {
				best = a
			}
		}
	})
	return best
}

// breaks returns how many constraints that hold a unit's flip would violate, atom by atom.
func (c *Chain) breaks(unit uint32) int {
	n := 0
	for _, a := range c.s.M.Implications.Members(unit) {
		for _, ref := range c.s.M.Clauses.Of(a) {
			if c.s.ClauseTrue[ref>>1] == 1 && c.s.X[a] == (ref&1 == 0) {
				n++
			}
		}
		for _, i := range c.s.M.HardFeatures.Of(a) {
			root := c.s.M.Net.HardFeatures[i].Root
			was := root.True(c.s.X)
			c.s.X[a] = !c.s.X[a]
			if was && !root.True(c.s.X) {
				n++
			}
			c.s.X[a] = !c.s.X[a]
		}
	}
	return n
}

// turn flips a unit and keeps the list of violated constraints.
func (c *Chain) turn(unit uint32) {
	net := c.s.M.Net
	members := c.s.M.Implications.Members(unit)
	c.flipAll(members)
	for _, a := range members {
		for _, ref := range c.s.M.Clauses.Of(a) {
			c.note(ref>>1, c.s.ClauseTrue[ref>>1] > 0)
		}
		for _, i := range c.s.M.HardFeatures.Of(a) {
			c.note(uint32(len(net.Clauses))+i, net.HardFeatures[i].Root.True(c.s.X))
		}
	}
}

// decide solves the component of a constraint by enumeration, where it is small, or else on a junction tree, where one is
// affordable.
func (c *Chain) decide(constraint int) error {
	s, m := &c.search, c.s.M
	atoms := m.Components.Atoms(m.Components.Of(m.FirstAtom(constraint)))
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
			return m.Unsatisfiable(constraint, false)
		}
		if _, err := s.tree.Mode(s.solution); err != nil {
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
