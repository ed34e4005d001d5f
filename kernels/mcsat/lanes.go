package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
)

// lane runs one chain at a time.
type lane struct {
	chain   Chain
	start   []bool
	random  *rand.Rand
	batches diagnostics.Batches
	err     error
}

// sample runs the chains and merges what they give, in their order.
func (f *Inference) sample(m *loglinear.Model, opt *Options, chains []*rand.Rand) (Stop, error) {
	if opt.Method != MethodGibbs {
		m.SplitCouplings() // which chains that run at once would do at once
	}
	f.mix.Reset(m.Scope.Atoms)
	var stop Stop
	for len(chains) > 0 {
		lanes := f.open(opt, chains)
		var err error
		if stop, err = f.together(m, opt, lanes); err != nil {
			return 0, err
		}
		for _, l := range lanes {
			f.mix.Add(&l.batches)
		}
		chains = chains[len(lanes):]
	}
	return stop, nil
}

// open gives the first of the chains lanes, as many as run together.
func (f *Inference) open(opt *Options, chains []*rand.Rand) []*lane {
	n := 1
	switch {
	case opt.Error > 0 || opt.Enough != nil:
		n = len(chains)
	case opt.Lanes != nil:
		n = min(len(chains), max(1, opt.Lanes()))
	}
	for len(f.lanes) < n {
		f.lanes = append(f.lanes, &lane{})
	}
	for i, l := range f.lanes[:n] {
		l.random = chains[i]
	}
	return f.lanes[:n]
}

// together runs a chain in each lane. All have equally many samples in the end, for whatever reason it comes.
func (f *Inference) together(m *loglinear.Model, opt *Options, lanes []*lane) (Stop, error) {
	err := each(opt, lanes, func(l *lane) error { return l.begin(m, opt) })
	for at, end := 0, opt.BurnIn+opt.Samples; err == nil && at < end; {
		if opt.Enough != nil && opt.Enough() {
			if at <= opt.BurnIn {
				return 0, ErrNoSamples
			}
			return StopEnough, nil
		}
		to := min(end, at+stride(m, opt, at, &lanes[0].batches))
		err = each(opt, lanes, func(l *lane) error { return l.advance(opt, at, to) })
		at = to
		if err == nil && at < end && f.precise(m, opt, lanes) {
			return StopError, nil
		}
	}
	return StopSamples, err
}

// each runs a step of all lanes. The error is that of the first lane that has one.
func each(opt *Options, lanes []*lane, step func(*lane) error) error {
	opt.Parallel(len(lanes), func(i int) { lanes[i].err = step(lanes[i]) })
	for _, l := range lanes {
		if l.err != nil {
			return l.err
		}
	}
	return nil
}

// stride returns how many steps the lanes take between two looks at whether to stop. It changes no result.
func stride(m *loglinear.Model, opt *Options, at int, r *diagnostics.Batches) int {
	const work = 1 << 14 // draws of atoms that are worth handing to another goroutine
	n := opt.BurnIn + opt.Samples
	if opt.Enough != nil {
		n = max(1, work/len(m.Scope.Atoms))
	}
	if opt.Error > 0 {
		n = min(n, max(opt.BurnIn-at, 0)+r.UntilPaired())
	}
	return n
}

// precise reports whether the marginals are as precise as was asked for. It looks only where batches are full.
func (f *Inference) precise(m *loglinear.Model, opt *Options, lanes []*lane) bool {
	r := &lanes[0].batches
	if opt.Error == 0 || r.Samples() < EarliestStop || !r.Paired() {
		return false
	}
	f.mix.Reset(m.Scope.Atoms)
	for _, l := range lanes {
		f.mix.Add(&l.batches)
	}
	worst := f.mix.Worst()
	f.mix.Reset(m.Scope.Atoms) // sample merges anew
	return worst.Error <= opt.Error
}

// begin starts a chain from a random state.
func (l *lane) begin(m *loglinear.Model, opt *Options) error {
	l.batches.Reset(m.Scope.Atoms)
	l.start = grow.To(l.start, m.Net.NumAtoms)
	for a := range l.start {
		l.start[a] = l.random.Uint64()&1 == 1
	}
	return l.chain.Start(m, l.start, *opt, l.random)
}

// advance takes the steps from one to another.
func (l *lane) advance(opt *Options, from, to int) error {
	for i := from; i < to; i++ {
		if err := opt.Stop(); err != nil {
			return err
		}
		sample := i >= opt.BurnIn
		if l.chain.summed = sample || l.chain.scan.watches(i); l.chain.summed {
			l.chain.forget()
		}
		l.chain.Step(l.random)
		if sample {
			l.batches.Add(l.chain.sums, l.chain.passes)
		}
	}
	return nil
}
