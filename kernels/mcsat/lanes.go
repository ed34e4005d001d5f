package mcsat

import "math/rand/v2"

// lane runs one chain at a time.
type lane struct {
	chain  Chain
	start  []bool
	random *rand.Rand
	record record
	err    error
}

// sample runs the chains and merges what they give, in their order.
func (f *Inference) sample(m *Model, opt *Options, chains []*rand.Rand) (Stop, error) {
	if opt.Method != MethodGibbs {
		m.splitCouplings() // which chains that run at once would do at once
	}
	f.mix.reset(m.scope.atoms)
	var stop Stop
	for len(chains) > 0 {
		lanes := f.open(opt, chains)
		var err error
		if stop, err = f.together(m, opt, lanes); err != nil {
			return 0, err
		}
		for _, l := range lanes {
			f.mix.merge(&l.record)
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
func (f *Inference) together(m *Model, opt *Options, lanes []*lane) (Stop, error) {
	err := each(opt, lanes, func(l *lane) error { return l.begin(m, opt) })
	for at, end := 0, opt.BurnIn+opt.Samples; err == nil && at < end; {
		if opt.Enough != nil && opt.Enough() {
			if at <= opt.BurnIn {
				return 0, ErrNoSamples
			}
			return StopEnough, nil
		}
		to := min(end, at+stride(m, opt, at, &lanes[0].record))
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
func stride(m *Model, opt *Options, at int, r *record) int {
	const work = 1 << 14 // draws of atoms that are worth handing to another goroutine
	n := opt.BurnIn + opt.Samples
	if opt.Enough != nil {
		n = max(1, work/len(m.scope.atoms))
	}
	if opt.Error > 0 {
		n = min(n, max(opt.BurnIn-at, 0)+r.untilPaired())
	}
	return n
}

// precise reports whether the marginals are as precise as was asked for. It looks only where batches are full.
func (f *Inference) precise(m *Model, opt *Options, lanes []*lane) bool {
	r := &lanes[0].record
	if opt.Error == 0 || r.taken < EarliestStop || r.filled > 0 || r.full%2 == 1 {
		return false
	}
	f.mix.reset(m.scope.atoms)
	for _, l := range lanes {
		f.mix.merge(&l.record)
	}
	_, _, maxError := f.mix.diagnose()
	f.mix.reset(m.scope.atoms) // sample merges anew
	return maxError <= opt.Error
}

// begin starts a chain from a random state.
func (l *lane) begin(m *Model, opt *Options) error {
	l.record.reset(m.scope.atoms)
	l.start = resized(l.start, m.net.NumAtoms)
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
		if l.chain.summed = sample || l.chain.lively.watches(i); l.chain.summed {
			l.chain.forget()
		}
		l.chain.Step(l.random)
		if sample {
			l.record.add(l.chain.sums, l.chain.passes)
		}
	}
	return nil
}
