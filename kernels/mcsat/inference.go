package mcsat

import "math/rand/v2"

// Inference computes marginals. The zero value is ready for use; its memory is reused from one call to the next.
type Inference struct {
	enum  enumerator
	chain Chain
	start []bool
	mix   mixing
}

// Diagnostics say how marginals came about and how far to trust them.
type Diagnostics struct {
	Exact   int // atoms whose marginal is exact
	Sampled int // the others

	// MaxRHat is the largest split R-hat of a sampled atom (Gelman et al., 2013), near 1 where the chains agree;
	// MinESS the smallest effective number of samples over all chains, by batch means. Atoms that never vary are left
	// out. Both are 0 where nothing is left.
	MaxRHat, MinESS float64
}

// Marginals sets dst, by atom, to the probability of its being true, and divides the model between exact routes and
// sampling as the method says (see [Model.SetExact]). Each element of chains runs one chain of its own, from a random
// state of its own; at least one is needed unless nothing is sampled. Sampled marginals are averages of the
// conditional probabilities that the chain draws from, not of the states (Rao-Blackwell).
//
// Errors: *OptionError, *SizeError, *UnsatisfiableError, or that of opt.Stop. It panics where dst is not of the
// network's size.
func (f *Inference) Marginals(dst []float64, m *Model, opt Options, chains []*rand.Rand) (Diagnostics, error) {
	if len(dst) != m.net.NumAtoms {
		panic("kernels/mcsat: marginals do not match the network's atoms")
	}
	if err := opt.Validate(); err != nil {
		return Diagnostics{}, err
	}
	if opt.Stop == nil {
		opt.Stop = func() error { return nil }
	}
	m.SetExact(opt.exact())
	if err := f.exact(dst, m, &opt); err != nil {
		return Diagnostics{}, err
	}
	sampled := len(m.scope.atoms)
	d := Diagnostics{Exact: m.net.NumAtoms - sampled, Sampled: sampled}
	if sampled == 0 {
		return d, nil
	}
	if len(chains) == 0 {
		return Diagnostics{}, &OptionError{"chains", 0, 1, 1 << 30}
	}
	if err := f.sample(m, &opt, chains); err != nil {
		return Diagnostics{}, err
	}
	f.mix.marginals(dst)
	d.MaxRHat, d.MinESS = f.mix.diagnose()
	return d, nil
}

// exact sets the marginals of the atoms that are not sampled.
func (f *Inference) exact(dst []float64, m *Model, opt *Options) error {
	if err := m.possible(); err != nil {
		return err
	}
	if opt.Method == MethodExact && len(m.scope.atoms) > 0 {
		first := m.scope.atoms[0]
		return &SizeError{Atoms: m.components.size(m.components.of[first]), First: first, Limit: ExactLimit}
	}
	for i := range m.NumComponents() {
		atoms := m.Component(i)
		if m.Sampled(atoms[0]) {
			continue
		}
		if m.independent(atoms[0]) {
			dst[atoms[0]] = sigmoid(m.bias[atoms[0]])
			continue
		}
		if err := opt.Stop(); err != nil {
			return err
		}
		if err := f.enum.run(m, atoms); err != nil {
			return err
		}
		for d, a := range atoms {
			dst[a] = f.enum.marginal(d)
		}
	}
	return nil
}

func (f *Inference) sample(m *Model, opt *Options, chains []*rand.Rand) error {
	f.mix.reset(m.scope.atoms, opt.Samples)
	f.start = resized(f.start, m.net.NumAtoms)
	for _, r := range chains {
		for a := range f.start {
			f.start[a] = r.Uint64()&1 == 1
		}
		if err := f.chain.Start(m, f.start, *opt, r); err != nil {
			return err
		}
		f.mix.begin()
		for i := range opt.BurnIn + opt.Samples {
			if err := opt.Stop(); err != nil {
				return err
			}
			f.chain.Step(r)
			if i >= opt.BurnIn {
				f.mix.add(f.chain.sums, f.chain.passes)
			}
			f.chain.forget()
		}
	}
	return nil
}
