package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/kernels/loglinear"
)

// sweep draws every unit in turn from its conditional distribution, and adds the conditional probabilities to the sums.
func (c *Chain) sweep(r *rand.Rand) {
	if c.s.M.Batched() {
		c.sweepPlaces(r)
		return
	}
	for _, u := range c.s.M.Scope.Units {
		c.drawUnit(u, r)
	}
	for _, g := range c.s.M.Scope.Groups {
		c.drawGroup(g, r)
	}
	c.passes++
}

// drawUnit draws the atoms of a unit, which flip together.
func (c *Chain) drawUnit(u uint32, r *rand.Rand) {
	if members := c.s.M.Implications.Members(u); len(members) > 1 {
		c.sweepUnit(u, members, r)
		return
	}
	c.sweepAtom(u, r)
}

func (c *Chain) sweepAtom(a uint32, r *rand.Rand) {
	if !c.s.MayFlip(a) {
		c.sums[a] += loglinear.Indicator(c.s.X[a])
		return
	}
	p := elementary.Sigmoid(c.s.Field(a))
	c.sums[a] += p
	if (r.Float64() < p) != c.s.X[a] {
		c.s.Flip(a)
	}
}

func (c *Chain) sweepUnit(u uint32, members []uint32, r *rand.Rand) {
	p := elementary.Sigmoid(c.s.FlipUnit(u)) // of the flipped state
	if !c.s.Lawful(members) {
		p = 0
	}
	c.sum(members, p)
	if r.Float64() >= p {
		c.flipAll(members)
	}
}

// sum adds the probabilities of atoms being true; they are in their current state with probability p, else flipped.
func (c *Chain) sum(atoms []uint32, p float64) {
	for _, a := range atoms {
		if c.s.X[a] {
			c.sums[a] += p
		} else {
			c.sums[a] += 1 - p
		}
	}
}

func (c *Chain) flipAll(atoms []uint32) {
	for _, a := range atoms {
		c.s.Flip(a)
	}
}

// exchange proposes to flip two units of one hard constraint together, so that the chain crosses constraints such as "exactly one of". The
// choice of the two does not depend on the state, so Metropolis' rule applies.
func (c *Chain) exchange(r *rand.Rand) {
	tied := c.s.M.Scope.Exchangeable
	for range tied {
		a := tied[r.IntN(len(tied))]
		refs := c.s.M.Hard.Of(a)
		atoms := c.atomsOf(refs[r.IntN(len(refs))] >> 1)
		b := atoms[r.IntN(len(atoms))]
		h := &c.s.M.Implications
		u, v := h.Block[a].Atom(), h.Block[b].Atom()
		if u == v || c.s.M.Groups.Grouped(b) {
			continue
		}
		gain := c.s.FlipUnit(u) + c.s.FlipUnit(v)
		if !c.s.Lawful(h.Members(u)) || !c.s.Lawful(h.Members(v)) || r.Float64() >= elementary.Exp(gain) {
			c.flipAll(h.Members(v))
			c.flipAll(h.Members(u))
		}
	}
}
