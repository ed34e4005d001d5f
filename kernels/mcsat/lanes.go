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
	origin  origin
	random  *rand.Rand
	batches diagnostics.Batches
	err     error
}

// sample runs the chains and merges what they give, in their order.
func (f *Inference) sample(m *loglinear.Model, opt *Options, chains []*rand.Rand) (Stop, Doubts, error) {
	if opt.Method != MethodGibbs {
		m.SplitCouplings() // which chains that run at once would do at once
	}
	origins := originsOf(chains)
	f.probes.begin(origins[0].atoms)
	f.mix.Reset(m.Scope.Atoms)
	var stop Stop
	for first := 0; first < len(chains); {
		lanes := f.open(opt, chains[first:], origins[first:])
		var err error
		if stop, err = f.together(m, opt, lanes); err != nil {
			return "", Doubts{}, err
		}
		for _, l := range lanes {
			f.mix.Add(&l.batches)
		}
		first += len(lanes)
	}
	doubts, err := f.doubts(m, opt)
	return stop, doubts, err
}

// open gives the first of the chains lanes, as many as run together.
func (f *Inference) open(opt *Options, chains []*rand.Rand, origins []origin) []*lane {
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
		l.random, l.origin = chains[i], origins[i]
	}
	return f.lanes[:n]
}

// together runs a chain in each lane. All have equally many samples in the end, for whatever reason it comes.
func (f *Inference) together(m *loglinear.Model, opt *Options, lanes []*lane) (Stop, error) {
	err := each(opt, lanes, func(l *lane) error { return l.begin(m, opt) })
	for at, end := 0, opt.BurnIn+opt.Samples; err == nil && at < end; {
		if opt.Enough != nil && opt.Enough() {
			if at <= opt.BurnIn {
				return "", ErrNoSamples
			}
			return StopEnough, nil
		}
		to := min(end, at+stride(m, opt, at, &lanes[0].batches))
		err = each(opt, lanes, func(l *lane) error { return l.advance(opt, at, to) })
		at = to
		if err == nil && at < end {
			if precise, e := f.precise(m, opt, lanes); precise || e != nil {
				return StopError, e
			}
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

// precise reports whether the marginals are as precise as was asked for: all of them within two errors of so much, in 99 of
// 100 cases, and nothing speaks against what the samples say. It looks only where batches are full.
func (f *Inference) precise(m *loglinear.Model, opt *Options, lanes []*lane) (bool, error) {
	r := &lanes[0].batches
	if opt.Error == 0 || r.Samples() < EarliestStop || !r.Paired() {
		return false, nil
	}
	f.mix.Reset(m.Scope.Atoms)
	for _, l := range lanes {
		f.mix.Add(&l.batches)
	}
	defer f.mix.Reset(m.Scope.Atoms) // sample merges anew
	if worst := f.mix.Worst(); !(worst.Error*max(1, f.mix.Within()/2) <= opt.Error) {
		return false, nil
	}
	doubts, err := f.doubts(m, opt)
	return !doubts.Any() && f.unseen() <= opt.Error, err
}

// begin starts a chain from a random state.
func (l *lane) begin(m *loglinear.Model, opt *Options) error {
	l.batches.Reset(m.Scope.Atoms)
	l.start = grow.To(l.start, m.Net.NumAtoms)
	l.origin.set(l.start, m)
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
