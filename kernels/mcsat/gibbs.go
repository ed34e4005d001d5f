package mcsat

import (
	"math"
	"math/rand/v2"
)

// sweep draws every unit in turn from its conditional distribution, and adds the conditional to the sums.
func (c *Chain) sweep(r *rand.Rand) {
	if c.m.hubbed() {
		c.sweepHubs(r)
		return
	}
	for _, u := range c.m.scope.units {
		if members := c.m.hardness.members(u); len(members) > 1 {
			c.sweepUnit(u, members, r)
			continue
		}
		c.sweepAtom(u, r)
	}
	c.passes++
}

func (c *Chain) sweepAtom(a uint32, r *rand.Rand) {
	if !c.mayFlip(a) {
		c.sums[a] += indicator(c.x[a])
		return
	}
	p := sigmoid(c.field(a))
	c.sums[a] += p
	if (r.Float64() < p) != c.x[a] {
		c.flip(a)
	}
}

func (c *Chain) sweepUnit(u uint32, members []uint32, r *rand.Rand) {
	p := sigmoid(c.flipUnit(u)) // of the state flipped
	if !c.lawfulUnit(u) {
		p = 0
	}
	c.sum(members, p)
	if r.Float64() >= p {
		c.flipAll(members)
	}
}

// sum adds the probability of being true of atoms that are in their present state with probability p, else flipped.
func (c *Chain) sum(atoms []uint32, p float64) {
	for _, a := range atoms {
		if c.x[a] {
			c.sums[a] += p
		} else {
			c.sums[a] += 1 - p
		}
	}
}

func (c *Chain) flipAll(atoms []uint32) {
	for _, a := range atoms {
		c.flip(a)
	}
}

// exchange proposes to flip two units of one hard constraint at once, so that the chain crosses constraints like
// "exactly one of". The choice of the two does not depend on the state: Metropolis' rule is enough.
func (c *Chain) exchange(r *rand.Rand) {
	tied := c.m.scope.tied
	for range tied {
		a := tied[r.IntN(len(tied))]
		u := c.m.hardness.block[a].Atom()
		v := c.m.hardness.block[c.partner(a, r)].Atom()
		if u == v {
			continue
		}
		gain := c.flipUnit(u) + c.flipUnit(v)
		if !c.lawfulUnit(u) || !c.lawfulUnit(v) || r.Float64() >= math.Exp(gain) {
			c.flipAll(c.m.hardness.members(v))
			c.flipAll(c.m.hardness.members(u))
		}
	}
}

// partner returns an atom of one of the hard constraints on an atom, at random.
func (c *Chain) partner(a uint32, r *rand.Rand) uint32 {
	clauses, hard := c.m.clauses.of(a), c.m.hard.of(a)
	i := r.IntN(len(clauses) + len(hard))
	if i < len(clauses) {
		lits := c.m.net.Clauses[clauses[i]>>1]
		return lits[r.IntN(len(lits))].Atom()
	}
	atoms := c.m.net.HardFeatures[hard[i-len(clauses)]].Atoms
	return atoms[r.IntN(len(atoms))]
}

func indicator(v bool) float64 {
	if v {
		return 1
	}
	return 0
}
