package mcsat

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
)

// sample samples what is left to it: by plain sweeps, and with slices where these do not suit or do not suffice.
func (f *Inference) sample(dst []float64, m *loglinear.Model, opt *Options, chains []*rand.Rand, d *Diagnostics) error {
	origins := originsOf(chains)
	r := report{Diagnostics: d, dst: dst, errs: f.errs}
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

// samplePlain samples the components that suit it by plain sweeps, and leaves the others in the model's scope, with those that object.
func (f *Inference) samplePlain(m *loglinear.Model, opt *Options, origins []origin, r *report) error {
	g := &f.plain
	if g.bind(m); len(g.atoms) == 0 {
		return nil
	}
	f.mix.Reset(g.atoms)
	lanes := g.open(opt, origins)
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
		m.SplitCouplings() // which chains that run at once would do at once
	}
	f.probes.begin(origins[0].atoms)
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

// report puts what samples say together.
type report struct {
	*Diagnostics
	dst, errs []float64 // by atom
	sum       float64   // of standard errors
	taken     int       // atoms since the last end
}

// take takes in atoms that have been sampled, the first of them at a place of the comparison.
func (r *report) take(mix *diagnostics.Convergence, atoms []uint32, at int, doubts *Doubts, away int) {
	unseen := float64(away) / float64(max(1, mix.Samples()))
	for i, a := range atoms {
		r.errs[a] = math.NaN()
		if !mix.Judges() {
			continue
		}
		v, varies := mix.Verdict(at + i)
		r.sum += v.Error
		r.errs[a] = max(v.Error, unseen)
		if !(r.MaxError >= r.errs[a]) {
			r.MaxError = r.errs[a]
		}
		if varies && !(r.MaxRHat >= v.RHat) {
			r.MaxRHat = v.RHat
		}
		if varies && !(r.MinESS <= v.ESS) {
			r.MinESS = v.ESS
		}
	}
	r.Stuck.merge(&doubts.Stuck)
	r.Apart.merge(&doubts.Apart)
	r.Short = r.Short || doubts.Short
	r.taken += len(atoms)
}

// end sets the marginals, unless none of the atoms was taken, and says why the chains have no more samples.
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
