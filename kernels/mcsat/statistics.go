package mcsat

import (
	"math/bits"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// statistics sums the counts of several states of a chain. For small terms, states are buffered until many can be counted at once.
type statistics struct {
	states []uint64  // by atom: its truth in each of the n buffered states
	n      int       // at most 64
	pairs  []int     // by class: number of true pairs
	sums   []float64 // by formula
}

func (t *statistics) reset(atoms, formulas int) {
	t.states, t.n, t.sums = grow.Zeroed(t.states, atoms), 0, grow.Zeroed(t.sums, formulas)
}

// Accumulate counts the current state, for [Chain.AddAccumulated].
func (c *Chain) Accumulate() {
	t, net := &c.statistics, c.s.M.Net
	bit := uint64(1) << t.n
	for _, a := range c.s.M.Scope.Atoms {
		t.states[a] |= loglinear.Mask(c.s.X[a]) & bit
	}
	t.n++
	for i, p := range net.Bilinears { // which have only sampled atoms
		loglinear.AddCoefs(t.sums, p.Coefs, c.s.BilinearValue(uint32(i)))
	}
	for _, i := range c.s.M.Scope.Soft {
		if c.s.Holds(i) {
			loglinear.AddCoefs(t.sums, c.s.M.SoftCoefs(i), 1)
		}
	}
	if t.n == 64 {
		c.settle64()
	}
}

// settle64 counts the terms of one and two atoms in the buffered states.
func (c *Chain) settle64() {
	t := &c.statistics
	for _, a := range c.s.M.Scope.Atoms {
		if s := t.states[a]; s != 0 {
			loglinear.AddCoefs(t.sums, c.s.M.Unary(a), float64(bits.OnesCount64(s)))
		}
	}
	couplings := &c.s.M.Couplings
	t.pairs = grow.Zeroed(t.pairs, len(couplings.First))
	for _, i := range c.s.M.Scope.Pairs {
		p := c.s.M.Net.Pairs[i]
		t.pairs[couplings.Class[i]] += bits.OnesCount64(t.states[p.A] & t.states[p.B])
	}
	for class, n := range t.pairs {
		if n > 0 {
			loglinear.AddCoefs(t.sums, c.s.M.PairCoefs(uint32(class)), float64(n))
		}
	}
	clear(t.states)
	t.n = 0
}

// AddAccumulated adds to dst, by formula, the true groundings of terms over sampled atoms, summed over the states accumulated since Start
// or the last AddAccumulated.
func (c *Chain) AddAccumulated(dst []float64) {
	c.settle64()
	for i, n := range c.statistics.sums {
		dst[i] += n
	}
	clear(c.statistics.sums)
}
