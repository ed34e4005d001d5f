package mcsat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
)

// sample samples the remaining atoms: by plain sweeps, and with slices if these do not apply or suffice.
func (f *Inference) sample(dst []float64, m *loglinear.Model, opt *Options, chains []*rand.Rand, d *Diagnostics) error {
	origins := originsOf(chains)
	r := report{Diagnostics: d, dst: dst, errs: f.errs, closed: f.closed.Closed}
	if opt.Method != MethodGibbs {
		if err := f.samplePlain(m, opt, origins, &r); err != nil {
			return err
		}
	}
	if len(m.Scope.Atoms) > 0 {
		if err := f.sampleSlices(m, opt, chains, origins, &r); err != nil {
			return err
		}
	}
	d.Imprecise = opt.Error == 0 && !d.Any() && r.sum/float64(d.Sampled) > ImpreciseError
	return nil
}

// samplePlain samples suitable components by plain sweeps, and leaves the others, and those that fail, in the model's scope.
func (f *Inference) samplePlain(m *loglinear.Model, opt *Options, origins []origin, r *report) error {
	g := &f.plain
	if g.bind(m, opt); len(g.atoms) == 0 {
		return nil
	}
	f.mix.Reset(g.atoms)
	lanes := g.open(origins)
	stop, err := f.together(m, opt, g.atoms, lanes, func() (bool, error) { return g.precise(f, opt, len(m.Scope.Atoms)) })
	if err != nil {
		return err
	}
	f.merge(lanes)
	if err := g.judge(f, opt); err != nil {
		return err
	}
	routes := slices.Clone(f.router.Routes())
	for k, c := range g.components {
		if s := &g.at[k]; stop == StopEnough || !s.objects() {
			from, end := g.places(k)
			r.take(&f.mix, g.atoms[from:end], from, &s.Doubts, s.away)
			routes[c] = loglinear.Enumerate
		}
	}
	r.end(&f.mix, stop, len(origins))
	m.SetRoutes(routes)
	return nil
}

// sampleSlices samples the model's scope.
func (f *Inference) sampleSlices(m *loglinear.Model, opt *Options, chains []*rand.Rand, origins []origin, r *report) error {
	if opt.Method != MethodGibbs {
		m.SplitCouplings() // so that concurrent chains need not each do it
	}
	f.probes.seed, f.probes.looks = origins[0].atoms, 0
	f.mix.Reset(m.Scope.Atoms)
	var stop Stop
	for first := 0; first < len(chains); {
		lanes := f.open(opt, chains[first:], origins[first:])
		var err error
		if stop, err = f.together(m, opt, m.Scope.Atoms, lanes, func() (bool, error) { return f.precise(m, opt) }); err != nil {
			return err
		}
		f.merge(lanes)
		first += len(lanes)
	}
	doubts, err := f.doubts(m, opt)
	r.take(&f.mix, m.Scope.Atoms, 0, &doubts, f.probes.away)
	r.end(&f.mix, stop, len(chains))
	return err
}

// report combines the results of sampling.
type report struct {
	*Diagnostics
	dst, errs []float64 // by atom
	closed    []bool    // by atom: its marginal is exact
	sum       float64   // of standard errors
	taken     int       // atoms since the last end
}

// take adds the results of atoms, the first of which is at a given position of the comparison.
func (r *report) take(mix *diagnostics.Convergence, atoms []uint32, at int, doubts *Doubts, away int) {
	worst := diagnostics.Verdict{RHat: r.MaxRHat, ESS: r.MinESS, Error: r.MaxError}
	for i, a := range atoms {
		if r.closed[a] {
			continue
		}
		r.errs[a] = math.NaN()
		if !mix.Judges() {
			continue
		}
		v, varies := mix.Verdict(at + i)
		r.sum += v.Error
		v.Error = max(v.Error, unseen(mix, away))
		r.errs[a] = v.Error
		worst.Worsen(v, varies)
	}
	r.MaxRHat, r.MinESS, r.MaxError = worst.RHat, worst.ESS, worst.Error
	r.Stuck.merge(&doubts.Stuck)
	r.Apart.merge(&doubts.Apart)
	r.Short = r.Short || doubts.Short
	r.taken += len(atoms)
}

// end sets the marginals and the reason for stopping, unless no atoms were taken.
func (r *report) end(mix *diagnostics.Convergence, stop Stop, chains int) {
	if r.taken == 0 {
		return
	}
	mix.Means(r.dst)
	r.Samples, r.taken = max(r.Samples, mix.Samples()/chains), 0
	if r.Stopped == "" || r.Stopped == StopError {
		r.Stopped = stop
	}
}

// sampler runs chains with equal numbers of samples.
type sampler interface {
	begin(m *loglinear.Model, opt *Options) error
	advance(opt *Options, step int)
	batches() []diagnostics.Batches // of each chain
}

// lane runs one chain at a time.
type lane struct {
	chain   Chain
	start   []bool
	origin  origin
	random  *rand.Rand
	batched [1]diagnostics.Batches
}

// merge merges the batches of the lanes.
func (f *Inference) merge(lanes []sampler) {
	for _, l := range lanes {
		for i := range l.batches() {
			f.mix.Add(&l.batches()[i])
		}
	}
}

// open returns lanes for the first chains, as many as run together.
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

// together runs lanes side by side, which sample the atoms. However sampling ends, all have equal numbers of samples.
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
		err = each(opt, lanes, func(l sampler) error {
			for step := at; step < to; step++ {
				if err := opt.Stop(); err != nil {
					return err
				}
				l.advance(opt, step)
			}
			return nil
		})
		if at = to; err != nil || at == end || opt.Error == 0 || r.Samples() < EarliestStop || !r.Paired() {
			continue // all samples are merged only when batches are full
		}
		f.merge(lanes)
		enough, e := precise()
		f.mix.Reset(vars) // merged again at the end
		if enough || e != nil {
			return StopError, e
		}
	}
	return StopSamples, err
}

// each runs a task with all lanes. It returns the error of the first lane that has one.
func each(opt *Options, lanes []sampler, task func(sampler) error) error {
	errs := make([]error, len(lanes))
	opt.Parallel(len(lanes), func(i int) { errs[i] = task(lanes[i]) })
	return cmp.Or(errs...)
}

// stride returns the number of steps between checks for stopping. It affects no result.
func stride(m *loglinear.Model, opt *Options, at int, r *diagnostics.Batches) int {
	const work = 1 << 14 // draws of atoms that justify another goroutine
	n := opt.BurnIn + opt.Samples
	if opt.Enough != nil {
		n = max(1, work/len(m.Scope.Atoms))
	}
	if opt.Error > 0 {
		n = min(n, max(opt.BurnIn-at, 0)+r.UntilPaired())
	}
	return n
}

// precise reports whether the merged marginals have the requested precision: all within twice that standard error, with 99% confidence, and
// without warnings.
func (f *Inference) precise(m *loglinear.Model, opt *Options) (bool, error) {
	if worst := f.mix.Worst(); !(worst.Error*halfWithin(len(m.Scope.Atoms)) <= opt.Error) {
		return false, nil
	}
	doubts, err := f.doubts(m, opt)
	return !doubts.Any() && unseen(&f.mix, f.probes.away) <= opt.Error, err
}

// halfWithin returns, in standard errors, half of the bound that holds for all of the atoms with 99% confidence.
func halfWithin(atoms int) float64 { return max(1, diagnostics.Within(atoms)/2) }

// begin starts a chain from a random state.
func (l *lane) begin(m *loglinear.Model, opt *Options) error {
	l.batched[0].Reset(m.Scope.Atoms)
	l.start = grow.To(l.start, m.Net.NumAtoms)
	l.origin.set(l.start, m)
	return l.chain.Start(m, l.start, *opt, l.random)
}

// advance runs a step.
func (l *lane) advance(opt *Options, step int) {
	sample := step >= opt.BurnIn
	if l.chain.summed = sample; sample {
		l.chain.forget()
	}
	l.chain.Step(l.random)
	if sample {
		l.batched[0].Add(l.chain.sums, l.chain.passes)
	}
}

func (l *lane) batches() []diagnostics.Batches { return l.batched[:] }
