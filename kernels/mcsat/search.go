package mcsat

import "math/rand/v2"

// Limits of the search for a first state.
const (
	searchTries = 5
	searchFlips = 20_000 // per try, and as many as 100 for each atom under constraint
	searchNoise = 0.5    // probability of a random literal instead of the best one
	searchExact = 20     // atoms of a component that is decided by enumeration where the search fails
)

// search holds the violated constraints: clauses, then hard features.
type search struct {
	violated []uint32
	place    []uint32 // by constraint: its place in violated, plus 1; 0 where it holds
	solver   enumerator
}

// satisfy moves the chain to a state in which no hard constraint on a sampled atom is violated: the present one, or
// else one that is found by WalkSAT (Selman, Kautz and Cohen, 1994) over units, beginning at the present one.
func (c *Chain) satisfy(r *rand.Rand) error {
	if len(c.m.net.Clauses)+len(c.m.net.HardFeatures) == 0 {
		return nil
	}
	if err := c.m.possible(); err != nil {
		return err
	}
	c.listViolated()
	if len(c.search.violated) == 0 {
		return nil
	}
	if i := c.m.hardness.conflict; i >= 0 && c.m.sampledConstraint(i) {
		return c.m.unsatisfiable(i, true)
	}
	for try := range searchTries {
		if try > 0 {
			c.scatter(r)
		}
		c.settle()
		if c.walk(r) {
			return nil
		}
	}
	for len(c.search.violated) > 0 {
		if err := c.decide(int(c.search.violated[0])); err != nil {
			return err
		}
	}
	return nil
}

// firstAtom returns the first atom of a constraint that has one.
func (m *Model) firstAtom(constraint int) uint32 {
	if n := len(m.net.Clauses); constraint >= n {
		return m.net.HardFeatures[constraint-n].Atoms[0]
	}
	return m.net.Clauses[constraint][0].Atom()
}

// sampledConstraint reports whether the atoms of a constraint are left to sampling.
func (m *Model) sampledConstraint(i int) bool { return m.Sampled(m.firstAtom(i)) }

func (m *Model) unsatisfiable(constraint int, proven bool) error {
	e := &UnsatisfiableError{Constraint: constraint, Proven: proven}
	m.eachAtom(constraint, func(a uint32) { e.Atoms = append(e.Atoms, a) })
	return e
}

func (c *Chain) listViolated() {
	net, s := c.m.net, &c.search
	s.violated = s.violated[:0]
	s.place = zeroed(s.place, len(net.Clauses)+len(net.HardFeatures))
	for i := range net.Clauses {
		c.note(uint32(i), c.clauseTrue[i] > 0)
	}
	for i := range net.HardFeatures {
		c.note(uint32(len(net.Clauses)+i), net.HardFeatures[i].Root.True(c.x))
	}
}

// note records whether a constraint holds.
func (c *Chain) note(i uint32, holds bool) {
	s := &c.search
	switch at := s.place[i]; {
	case holds == (at == 0) || !c.m.sampledConstraint(int(i)):
	case holds:
		last := s.violated[len(s.violated)-1]
		s.violated[at-1], s.place[last] = last, at
		s.violated, s.place[i] = s.violated[:len(s.violated)-1], 0
	default:
		s.violated = append(s.violated, i)
		s.place[i] = uint32(len(s.violated))
	}
}

// scatter draws the atoms under constraint anew.
func (c *Chain) scatter(r *rand.Rand) {
	for _, a := range c.m.scope.tied {
		if r.Uint64()&1 == 0 {
			c.flip(a)
		}
	}
}

// settle gives fixed atoms their value and makes units consistent.
func (c *Chain) settle() {
	h := &c.m.hardness
	for _, a := range c.m.scope.atoms {
		want := h.block[a].True(c.x)
		if h.fixed[a] != free {
			want = h.fixed[a].value()
		}
		if c.x[a] != want {
			c.flip(a)
		}
	}
	c.listViolated()
}

// walk repairs violated constraints one by one, and reports whether none is left after a bounded number of flips.
func (c *Chain) walk(r *rand.Rand) bool {
	for range searchFlips + 100*len(c.m.scope.tied) {
		if len(c.search.violated) == 0 {
			return true
		}
		i := c.search.violated[r.IntN(len(c.search.violated))]
		if a := c.pick(int(i), r); a != unset {
			c.turn(c.m.hardness.block[a].Atom())
		}
	}
	return len(c.search.violated) == 0
}

// pick returns a free atom of a violated constraint: a random one, or one whose flip breaks least.
func (c *Chain) pick(constraint int, r *rand.Rand) uint32 {
	noisy := r.Float64() < searchNoise
	best, least, seen := uint32(unset), 0, 0
	c.m.eachAtom(constraint, func(a uint32) {
		if c.m.hardness.fixed[a] != free {
			return
		}
		breaks := 0
		if !noisy {
			breaks = c.breaks(c.m.hardness.block[a].Atom())
		}
		switch {
		case best == unset || breaks < least:
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

func (m *Model) eachAtom(constraint int, f func(a uint32)) {
	if n := len(m.net.Clauses); constraint >= n {
		for _, a := range m.net.HardFeatures[constraint-n].Atoms {
			f(a)
		}
		return
	}
	for _, l := range m.net.Clauses[constraint] {
		f(l.Atom())
	}
}

// breaks returns how many constraints that hold a unit's flip would violate, atom by atom.
func (c *Chain) breaks(unit uint32) int {
	n := 0
	for _, a := range c.m.hardness.members(unit) {
		for _, ref := range c.m.clauses.of(a) {
			if c.clauseTrue[ref>>1] == 1 && c.x[a] == (ref&1 == 0) {
				n++
			}
		}
		for _, i := range c.m.hard.of(a) {
			root := c.m.net.HardFeatures[i].Root
			was := root.True(c.x)
			c.x[a] = !c.x[a]
			if was && !root.True(c.x) {
				n++
			}
			c.x[a] = !c.x[a]
		}
	}
	return n
}

// turn flips a unit and keeps the list of violated constraints.
func (c *Chain) turn(unit uint32) {
	net := c.m.net
	members := c.m.hardness.members(unit)
	c.flipAll(members)
	for _, a := range members {
		for _, ref := range c.m.clauses.of(a) {
			c.note(ref>>1, c.clauseTrue[ref>>1] > 0)
		}
		for _, i := range c.m.hard.of(a) {
			c.note(uint32(len(net.Clauses))+i, net.HardFeatures[i].Root.True(c.x))
		}
	}
}

// decide solves the component of a constraint by enumeration, where it is small.
func (c *Chain) decide(constraint int) error {
	atoms := c.m.Component(int(c.m.components.of[c.m.firstAtom(constraint)]))
	if len(atoms) > searchExact {
		return c.m.unsatisfiable(constraint, false)
	}
	if err := c.search.solver.run(c.m, atoms); err != nil {
		return err
	}
	for i, a := range atoms {
		if c.search.solver.solution[i] != c.x[a] {
			c.flip(a)
		}
	}
	c.listViolated()
	return nil
}
