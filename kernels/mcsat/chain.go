package mcsat

import "math/rand/v2"

// Chain is a Markov chain over the atoms of a model that are left to sampling; the others stay as they are.
// The zero value is ready for [Chain.Start].
type Chain struct {
	state
	gibbs          bool
	rounds, sweeps int
	period, steps  int // a slice comes in the last of each period of steps
	aux            auxiliary
	bonds          percolation
	lively         lively
	search         search
	draws          draws

	tally tally

	sums   []float64 // by atom: sum of the conditional probabilities that passes have met
	passes int
	summed bool // sums are wanted
}

// Start begins at the state x, which is copied; where x breaks a hard constraint on sampled atoms it first looks for a
// state near x that breaks none. Of the options it reads Method (MethodGibbs, else MC-SAT), BurnIn, Rounds and Sweeps.
// The error is an *UnsatisfiableError.
func (c *Chain) Start(m *Model, x []bool, opt Options, r *rand.Rand) error {
	c.set(m, x)
	c.tally.reset(len(x), len(m.weights))
	c.gibbs, c.rounds, c.sweeps = opt.Method == MethodGibbs, opt.Rounds, max(1, opt.Sweeps)
	if c.rounds < 1 {
		c.rounds = m.rounds()
	}
	c.period, c.steps = 1, 0
	if len(m.net.Products) > 0 {
		c.period = slicePeriod
	}
	c.lively.begin(m, opt.BurnIn)
	c.summed = opt.BurnIn > 0 // for the lively ones
	c.forget()
	return c.satisfy(r)
}

// slicePeriod is how many steps share a slice where there are products: it costs as much as several sweeps.
const slicePeriod = 32

// repullPeriod is how many steps may add up rounding errors in the pulls of hubs.
const repullPeriod = 64

// rounds returns the number of slices per sample: several where they cost little.
func (m *Model) rounds() int {
	const few, many = 2_000, 20_000
	s := &m.scope
	switch ties := len(s.pairs) + len(s.cubes) + len(s.features) + len(s.tied) + len(m.hubs.items)*int(m.hubs.copies.n); {
	case ties <= few:
		return 4
	case ties <= many:
		return 2
	default:
		return 1
	}
}

// Step draws one sample under the model's present weights. It does not allocate once the chain has warmed up.
func (c *Chain) Step(r *rand.Rand) {
	c.steps++
	if c.m.hubs.any() && (c.steps%repullPeriod == 0 || c.load.changes != c.m.changes) {
		c.repull()
	}
	draws := !c.gibbs && c.steps%c.period == 0
	for range c.rounds {
		if draws {
			c.slice(r)
		}
		for range c.sweeps {
			c.exchange(r)
			c.sweep(r)
		}
	}
	if c.summed {
		c.lively.watch(c.m, c.steps-1, c.sums, c.passes)
	}
	c.sweepLively(r)
}

// State returns the present state by atom, true or false. The slice is the chain's and changes with it.
func (c *Chain) State() []bool { return c.x }

// AddCounts adds to dst, by formula, the true groundings of the terms over sampled atoms in the present state.
func (c *Chain) AddCounts(dst []float64) {
	for _, a := range c.m.scope.atoms {
		if c.x[a] {
			addCoefs(dst, c.m.unary(a), 1)
		}
	}
	net := c.m.net
	for _, i := range c.m.scope.pairs {
		if p := net.Pairs[i]; c.x[p.A] && c.x[p.B] {
			addCoefs(dst, c.m.pairCoefs(c.m.ties.class[i]), 1)
		}
	}
	for i, p := range net.Products { // which have sampled atoms alone
		addCoefs(dst, p.Coefs, c.product(uint32(i)))
	}
	for _, i := range c.m.scope.cubes {
		if c.cubeHolds(i) {
			addCoefs(dst, net.Cubes[i].Coefs, 1)
		}
	}
	for _, i := range c.m.scope.features {
		if net.Features[i].Root.True(c.x) {
			addCoefs(dst, net.Features[i].Coefs, 1)
		}
	}
}

// forget clears the sums.
func (c *Chain) forget() {
	c.sums = zeroed(c.sums, len(c.x))
	c.passes = 0
}
