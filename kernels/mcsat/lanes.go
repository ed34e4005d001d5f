package mcsat

import (
	"cmp"
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
)

// sampler runs chains, which have equally many samples.
type sampler interface {
	begin(m *loglinear.Model, opt *Options) error
	advance(opt *Options, from, to int) error // takes the steps from one to another
	batches() []diagnostics.Batches           // of each chain
}

// lane runs one chain at a time.
type lane struct {
	chain   Chain
	start   []bool
	origin  origin
	random  *rand.Rand
	batched [1]diagnostics.Batches
}

// merge takes in what the lanes have.
func (f *Inference) merge(lanes []sampler) {
	for _, l := range lanes {
		for i := range l.batches() {
			f.mix.Add(&l.batches()[i])
		}
	}
}

// open gives the first of the chains lanes, as many as run together.
func (f *Inference) open(opt *Options, chains []*rand.Rand, origins []origin) []sampler {
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
	out := make([]sampler, n)
	for i, l := range f.lanes[:n] {
		l.random, l.origin = chains[i], origins[i]
		out[i] = l
	}
	return out
}

// together runs lanes side by side, which sample the atoms. All have equally many samples in the end, for whatever reason it comes.
func (f *Inference) together(m *loglinear.Model, opt *Options, vars []uint32, lanes []sampler, precise func() (bool, error)) (Stop, error) {
	err := each(opt, lanes, func(l sampler) error { return l.begin(m, opt) })
	for at, end := 0, opt.BurnIn+opt.Samples; err == nil && at < end; {
		if opt.Enough != nil && opt.Enough() {
			if at <= opt.BurnIn {
				return "", ErrNoSamples
			}
			return StopEnough, nil
		}
		r := &lanes[0].batches()[0]
		to := min(end, at+stride(m, opt, at, r))
		err = each(opt, lanes, func(l sampler) error { return l.advance(opt, at, to) })
		if at = to; err != nil || at == end || opt.Error == 0 || r.Samples() < EarliestStop || !r.Paired() {
			continue // only where batches are full are all samples looked at
		}
		f.merge(lanes)
		enough, e := precise()
		f.mix.Reset(vars) // merged anew in the end
		if enough || e != nil {
			return StopError, e
		}
	}
	return StopSamples, err
}

// each runs a step of all lanes. The error is that of the first lane that has one.
func each(opt *Options, lanes []sampler, step func(sampler) error) error {
	errs := make([]error, len(lanes))
	opt.Parallel(len(lanes), func(i int) { errs[i] = step(lanes[i]) })
	return cmp.Or(errs...)
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

// precise reports whether the marginals that have been merged are as precise as was asked for: all of them within two errors of so
// much, in 99 of 100 cases, and nothing speaks against what the samples say.
func (f *Inference) precise(m *loglinear.Model, opt *Options) (bool, error) {
	if worst := f.mix.Worst(); !(worst.Error*halfWithin(len(m.Scope.Atoms)) <= opt.Error) {
		return false, nil
	}
	doubts, err := f.doubts(m, opt)
	return !doubts.Any() && f.unseen() <= opt.Error, err
}

// halfWithin is how many errors of marginals are half of what all of so many atoms are within, in 99 of 100 cases.
func halfWithin(atoms int) float64 { return max(1, diagnostics.Within(atoms)/2) }

// begin starts a chain from a random state.
func (l *lane) begin(m *loglinear.Model, opt *Options) error {
	l.batched[0].Reset(m.Scope.Atoms)
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
			l.batched[0].Add(l.chain.sums, l.chain.passes)
		}
	}
	return nil
}

func (l *lane) batches() []diagnostics.Batches { return l.batched[:] }
