package mcsat

import (
	"math/bits"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// statistics sums the counts of several states of a chain. For small terms, states are buffered until many can be counted at once.
type statistics struct {
	states []uint64  // by atom: its truth in each of the n buffered states
	n      int       // at most 64
	pairs  []int     // by class: number of true pairs
	sums   []float64 // by formula
	rest   []float64 // by bilinear factor: its value over the atoms that are not sampled
}

// begin resets the statistics and sets the chain's state.
func (t *statistics) begin(s *loglinear.State, m *loglinear.Model, x []bool) {
	t.states, t.n, t.sums = grow.Zeroed(t.states, len(x)), 0, grow.Zeroed(t.sums, len(m.Weights))
	t.rest = grow.Zeroed(t.rest, len(m.Net.Bilinears))
	if m.Bilinear.Any() && len(m.Scope.Atoms) < len(x) {
		unsampled := slices.Clone(x)
		for _, a := range m.Scope.Atoms {
			unsampled[a] = false
		}
		s.Set(m, unsampled)
		for i := range t.rest {
			t.rest[i] = s.BilinearValue(uint32(i))
		}
	}
	s.Set(m, x)
}

// Accumulate counts the current state, for [Chain.AddAccumulated].
func (c *Chain) Accumulate() {
	t, net := &c.statistics, c.s.M.Net
	bit := uint64(1) << t.n
	for _, a := range c.s.M.Scope.Atoms {
		t.states[a] |= loglinear.Mask(c.s.X[a]) & bit
	}
	t.n++
	for i, p := range net.Bilinears { // an entity's atoms are all sampled, or none
		loglinear.AddCoefs(t.sums, p.Coefs, c.s.BilinearValue(uint32(i))-t.rest[i])
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
	elementary.Add(dst, c.statistics.sums)
	clear(c.statistics.sums)
}
