package mcsat

import "math/bits"

// tally adds up the counts of several states of a chain. Those of small terms wait until many states can be counted at
// once.
type tally struct {
	states []uint64  // by atom: its truth in each of the n states that wait
	n      int       // at most 64
	pairs  []int     // by class: true ones
	sums   []float64 // by formula
}

func (t *tally) reset(atoms, formulas int) {
	t.states, t.n, t.sums = zeroed(t.states, atoms), 0, zeroed(t.sums, formulas)
}

// Tally counts the present state, for [Chain.AddTallied].
func (c *Chain) Tally() {
	t, net := &c.tally, c.m.net
	bit := uint64(1) << t.n
	for _, a := range c.m.scope.atoms {
		t.states[a] |= mask(c.x[a]) & bit
	}
	t.n++
	for i, p := range net.Products { // which have sampled atoms alone
		addCoefs(t.sums, p.Coefs, c.product(uint32(i)))
	}
	for _, i := range c.m.scope.cubes {
		if c.cubeHolds(i) {
			addCoefs(t.sums, net.Cubes[i].Coefs, 1)
		}
	}
	for _, i := range c.m.scope.features {
		if net.Features[i].Root.True(c.x) {
			addCoefs(t.sums, net.Features[i].Coefs, 1)
		}
	}
	if t.n == 64 {
		c.settleTally()
	}
}

// settleTally counts the terms of one and two atoms in the states that wait.
func (c *Chain) settleTally() {
	t := &c.tally
	for _, a := range c.m.scope.atoms {
		if s := t.states[a]; s != 0 {
			addCoefs(t.sums, c.m.unary(a), float64(bits.OnesCount64(s)))
		}
	}
	ties := &c.m.ties
	t.pairs = zeroed(t.pairs, len(ties.first))
	for _, i := range c.m.scope.pairs {
		p := c.m.net.Pairs[i]
		t.pairs[ties.class[i]] += bits.OnesCount64(t.states[p.A] & t.states[p.B])
	}
	for class, n := range t.pairs {
		if n > 0 {
			addCoefs(t.sums, c.m.pairCoefs(uint32(class)), float64(n))
		}
	}
	clear(t.states)
	t.n = 0
}

// AddTallied adds to dst, by formula, what [Chain.AddCounts] would have added in each of the states that were tallied
// since Start or the last AddTallied.
func (c *Chain) AddTallied(dst []float64) {
	c.settleTally()
	for i, n := range c.tally.sums {
		dst[i] += n
	}
	clear(c.tally.sums)
}
