package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// Chain is a Markov chain over the atoms of a model that are left to sampling; the others do not change. The zero value is ready for
// [Chain.Start].
type Chain struct {
	s loglinear.State
	schedule
	aux        auxiliary
	bonds      clusterGrowth
	search     search
	draws      draws
	groups     groupDraws
	block      blockDraws
	parities   parityMoves
	statistics statistics

	violated loglinear.Violated
	factors  []uint32 // factors of an atom
	scope    []uint32 // atoms of a factor

	tally
}

// schedule describes the steps of a chain.
type schedule struct {
	gibbs          bool
	blocks         int // in a sweep
	rounds, sweeps int
	period, steps  int // a slice is drawn in the last step of each period
}

// tally sums the conditional probabilities computed by passes.
type tally struct {
	sums   []float64 // by atom
	passes int
	summed bool // sums are wanted
}

// Start begins at a copy of state x; if x violates a hard constraint on sampled atoms, it first searches for a nearby state that violates
// none. It uses the options Method (MethodGibbs, else MC-SAT), Rounds, Sweeps and Blocks. The error is an *UnsatisfiableError.
func (c *Chain) Start(m *loglinear.Model, x []bool, opt Options, r *rand.Rand) error {
	c.statistics.begin(&c.s, m, x)
	c.gibbs, c.rounds, c.sweeps = opt.Method == MethodGibbs, opt.Rounds, max(1, opt.Sweeps)
	if c.rounds < 1 {
		c.rounds = roundsOf(m)
		if len(m.Scope.Groups) > 0 && !small(m) {
			c.rounds, c.sweeps = 1, max(2, c.sweeps) // drawing a group does more than a slice
		}
	}
	if c.blocks = opt.Blocks; !small(m) || !wantsBlocks(m) {
		c.blocks = 0
	}
	if opt.Blocks > 0 && opt.Rounds < 1 && couplingsOf(m) <= tinyCouplings {
		c.rounds, c.blocks = tinyRounds, (c.blocks+1)/2
	}
	c.period, c.steps = 1, 0
	if len(m.Net.Bilinears) > 0 {
		c.period = slicePeriod
	}
	c.summed = false
	c.forget()
	return c.satisfy(r)
}

// slicePeriod is the number of steps for each slice if there are bilinear factors, when a slice costs as much as several sweeps.
const slicePeriod = 32

// refreshPeriod is the number of steps during which rounding errors in the fields of entities may accumulate.
const refreshPeriod = 64

// manyRounds is the number of slices in a sample if they are cheap.
const manyRounds = 4

// tinyRounds is that number for marginals in networks of at most tinyCouplings: there a sample gains more, at little cost.
const (
	tinyRounds    = 12
	tinyCouplings = 500
)

// small reports whether slices are cheap.
func small(m *loglinear.Model) bool { return roundsOf(m) == manyRounds }

// roundsOf returns the number of slices per sample: several if they are cheap.
func roundsOf(m *loglinear.Model) int {
	const few, many = 2_000, 20_000
	switch couplings := couplingsOf(m); {
	case couplings <= few:
		return manyRounds
	case couplings <= many:
		return 2
	default:
		return 1
	}
}

// couplingsOf returns the number of couplings that a slice visits.
func couplingsOf(m *loglinear.Model) int {
	s := &m.Scope
	return len(s.Pairs) + len(s.Soft) + len(s.Exchangeable) + m.Bilinear.Incidences()
}

// Step draws one sample under the model's current weights. It does not allocate once the chain has warmed up.
func (c *Chain) Step(r *rand.Rand) {
	c.steps++
	if c.s.M.Bilinear.Any() && (c.steps%refreshPeriod == 0 || c.s.Outdated()) {
		c.s.RefreshFields()
	}
	draws := !c.gibbs && c.steps%c.period == 0
	for range c.rounds {
		if draws {
			c.slice(r)
		}
		for range c.sweeps {
			c.exchange(r)
			if c.blocks > 0 {
				c.sweepBlocks(r)
			} else {
				c.sweep(r)
			}
		}
	}
}

// State returns the current truth of each atom. The slice is the chain's and changes with it.
func (c *Chain) State() []bool { return c.s.X }

// Current returns the current state with its fields. It is the chain's and changes with it.
func (c *Chain) Current() *loglinear.State { return &c.s }

// forget clears the sums.
func (c *Chain) forget() {
	c.sums = grow.Zeroed(c.sums, len(c.s.X))
	c.passes = 0
}
