package localsearch

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// Options determine how long to search.
type Options struct {
	Tries  int          // random starts of each round (see sweepsOf); 0 for 40 with a few blocks, down to 1 with thousands
	Sweeps int          // largest total of all tries, at least 1: moves offered to each block (an atom, or atoms that move together)
	Stop   func() error // called before each sweep; an error ends the search and is returned
}

// DefaultOptions returns 80,000 sweeps.
func DefaultOptions() Options {
	return Options{Sweeps: 80_000, Stop: func() error { return nil }}
}

// tries returns the number of tries for n blocks.
func (o *Options) tries(blocks int) int {
	if o.Tries > 0 {
		return o.Tries
	}
	return min(max(1, 2000/max(1, blocks)), 40)
}

// Search holds the memory of searches. The zero value is ready for [Search.Bind].
type Search struct {
	s     loglinear.State
	model *loglinear.Model
	field []float64 // by atom: its local field, without bilinear factors that are not listed

	blocks  []block
	members []uint32 // atoms of the groups
	value   []int32  // by block: index of the true member, or their number if none; for a unit, 1 if its first atom is true
	of      []uint32 // by atom: its block, network.Unset if it is fixed
	at      []int32  // by atom: its place in a group
	active  []uint32 // blocks moved by annealing
	visits  []uint32 // by block: the last visit in which it was activated
	visit   uint32

	ties        ties
	constraints constraints
	clusters    clusters
	flips       loglinear.Flips // of blocks
	parities    parities
	walk        walk
	incumbent   []bool   // by atom: best state of a try
	champion    []bool   // best state of all tries
	scope       []uint32 // atoms of a factor
	factors     []uint32 // factors on an atom
}

// Bind sets the model, and the values of the atoms outside a component while that is searched.
func (f *Search) Bind(m *loglinear.Model, x []bool) {
	n := m.Net.NumAtoms
	f.model = m
	f.s.Set(m, x)
	f.field, f.of, f.at = grow.To(f.field, n), grow.To(f.of, n), grow.To(f.at, n)
	f.incumbent, f.champion = grow.To(f.incumbent, n), grow.To(f.champion, n)
	f.constraints.start, f.constraints.end = grow.To(f.constraints.start, n), grow.To(f.constraints.end, n)
	f.constraints.violated.Reset(int(m.Constraints()))
	m.SplitCouplings() // which weighs the parities
	f.bindWalk()
}

// Run searches a component, sets its atoms in x to the best state found, and returns the number of hard constraints that the state
// violates. next returns a separate random source for each try. The error is that of opt.Stop.
func (f *Search) Run(x []bool, atoms []uint32, opt Options, next func(try int) *rand.Rand) (violated int, err error) {
	f.divide(atoms)
	tries, soft := opt.tries(len(f.blocks)), slices.ContainsFunc(f.model.Weights, func(w float64) bool { return w != 0 })
	for try, left := 0, opt.Sweeps; ; try++ {
		sweeps := sweepsOf(try/tries, tries)
		if left -= sweeps; left < 0 && try > 0 {
			break
		}
		if err := f.try(atoms, sweeps, try, &opt, next(try)); err != nil {
			return 0, err
		}
		f.everywhere()
		if try > 0 {
			f.merge(f.champion)
		}
		if f.keep(f.champion); len(f.constraints.violated.List) == 0 && !soft {
			break
		}
	}
	for _, a := range atoms {
		x[a] = f.s.X[a]
	}
	return len(f.constraints.violated.List), nil
}

// sweepsOf returns the sweeps of each try in a round. The tries of a round take four times the sweeps of those before, and all up to the
// ninth the default. So a longer search goes on where a shorter one ends, and is never worse.
func sweepsOf(round, tries int) int {
	const ninth = 60_000
	return max(1, (ninth<<(2*round)>>16)/tries)
}

// A try anneals all blocks for three quarters of its moves, then regions.
const (
	cycle    = 128 // sweeps of a region
	smallest = 8   // blocks in the smallest region; others have twice as many, and so on
	sizes    = 7
)

// Temperatures, in units of the mean absolute field in a random state.
const (
	hot           = 1.2
	frozen        = 0.2 // at the end of the first cooling
	leastHot      = 0.2 // lowest start for a region
	mostHot       = 1.2
	cold          = 0.1 // at the end for a region
	perConstraint = 8   // energy cost of a violated constraint, doubled if some stay violated

	mostPerConstraint = 1 << 20
)

// try searches from a random state.
func (f *Search) try(atoms []uint32, sweeps, try int, opt *Options, r *rand.Rand) error {
	scale := f.scatter(atoms, r)
	f.constraints.penalty = perConstraint * scale
	f.everywhere()
	soft := try%2 == 0
	changes := f.keepParities(soft, frozen*scale, r)
	patience := repairSteps + 20*len(f.blocks)
	if !f.repair(10*len(f.blocks), r) { // soft parities may contradict hard constraints
		changes = f.keepParities(false, scale, r)
		f.repair(patience, r)
	}
	f.keep(f.incumbent)
	c := cooling{hot: hot * scale, cold: frozen * scale, sweeps: (3*sweeps + 3) / 4}
	for left := sweeps * len(f.blocks); ; {
		left -= c.sweeps * len(f.active)
		c.sweeps = max(1, c.sweeps*len(f.active)/max(1, changes))
		if err := f.anneal(c, opt, r); err != nil {
			return err
		}
		if len(f.constraints.violated.List) > 0 {
			f.constraints.penalty = min(2*f.constraints.penalty, mostPerConstraint*scale)
		}
		f.repair(patience, r)
		f.flips.Clear()
		f.merge(f.incumbent)
		f.keep(f.incumbent)
		if left <= 0 {
			break
		}
		f.region(uint32(r.IntN(len(f.blocks))), smallest<<r.IntN(sizes))
		c = cooling{hot: scale * (leastHot + float64((mostHot-leastHot)*r.Float64())), cold: cold * scale, sweeps: cycle}
		changes = f.keepParities(soft, c.hot*r.Float64(), r)
	}
	return nil
}

// scatter draws a random state, and returns its mean absolute field, or 1 if all are 0.
func (f *Search) scatter(atoms []uint32, r *rand.Rand) float64 {
	for b := range f.blocks {
		f.start(uint32(b), r)
	}
	f.refresh(atoms)
	sum := 0.0
	for _, a := range atoms {
		sum += math.Abs(f.fieldOf(a))
	}
	if sum == 0 {
		return 1
	}
	return sum / float64(len(atoms))
}

// keep copies the state of the active blocks to dst.
func (f *Search) keep(dst []bool) {
	for _, i := range f.active {
		for _, a := range f.atoms(i) {
			dst[a] = f.s.X[a]
		}
	}
}
