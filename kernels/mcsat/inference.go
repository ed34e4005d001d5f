package mcsat

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
)

// Inference computes marginals. The zero value is ready to use; its memory is reused between calls.
type Inference struct {
	router exact.Router
	enum   exact.Enumerator
	tree   exact.Tree
	plain  plain
	lanes  []*lane
	mix    diagnostics.Convergence
	errs   []float64 // by atom
	probes prober
	closed closedForms
}

// Diagnostics describe how marginals were computed and how reliable they are. The estimates are NaN if nothing was sampled or each chain
// has fewer than four samples.
type Diagnostics struct {
	Exact      int  // atoms whose marginal is exact
	Eliminated int  // those of them on junction trees
	Sampled    int  // the others
	Samples    int  // of each chain, 0 if nothing is sampled
	Stopped    Stop // why sampling ended

	// The largest split R-hat, the smallest effective sample size and the largest Monte Carlo standard error of a sampled atom's marginal
	// (see package diagnostics). The first two ignore atoms that never vary.
	MaxRHat, MinESS, MaxError float64

	Doubts
	Imprecise bool // no doubts, but the mean standard error exceeds ImpreciseError, and Options.Error does not allow that
}

// Exact describes the marginals of atoms none of which is sampled.
func Exact(atoms int) Diagnostics {
	return Diagnostics{Exact: atoms, MaxRHat: math.NaN(), MinESS: math.NaN(), MaxError: math.NaN()}
}

// ImpreciseError is the mean standard error above which marginals are imprecise. Errors of connected atoms are correlated: all may be off
// by twice as much.
const ImpreciseError = 0.006

// Doubts are reasons to distrust sampled marginals, however small their standard errors.
type Doubts struct {
	Stuck Suspects // hardly moved though nothing fixes them, and stayed elsewhere when moved there
	Apart Suspects // have an R-hat above the limit of diagnostics.Convergence
	Short bool     // no R-hat is defined: each chain has fewer than four samples, or no atom ever varied
}

// Any reports whether there is any doubt.
func (d *Doubts) Any() bool { return d.Stuck.N+d.Apart.N > 0 || d.Short }

// Suspects are atoms with unreliable marginals.
type Suspects struct {
	N     int
	First []uint32 // the first few of them
}

func (s *Suspects) add(a uint32) {
	const few = 5
	if s.N++; len(s.First) < few {
		s.First = append(s.First, a)
	}
}

// merge adds the suspects among other atoms.
func (s *Suspects) merge(o *Suspects) {
	n := s.N + o.N
	for _, a := range o.First {
		s.add(a)
	}
	s.N = n
}

// Stop is the reason why sampling ended.
type Stop string

// The reasons. The zero value means that nothing was sampled.
const (
	StopSamples Stop = "samples" // each chain has Options.Samples
	StopError   Stop = "error"   // Options.Error was reached
	StopEnough  Stop = "budget"  // Options.Enough returned true
)

// ErrNoSamples is returned if Options.Enough was true before each chain had a sample.
var ErrNoSamples = errors.New("sampling was ended before the first sample")

// Marginals sets dst, by atom, to the probability of being true, and divides the model between exact solution and sampling by the method
// (see [Model.SetExact]). Each element of chains drives its own chain from a random state, every second one from the opposite of the one
// before it; at least one is needed unless nothing is sampled. Sampled marginals are averages of the conditional probabilities drawn from,
// not of the states (Rao-Blackwell).
//
// Errors: *OptionError, *SizeError, *UnsatisfiableError, ErrNoSamples, or that of opt.Stop; dst is then undefined. It panics if dst has the
// wrong size.
func (f *Inference) Marginals(dst []float64, m *loglinear.Model, opt Options, chains []*rand.Rand) (Diagnostics, error) {
	if len(dst) != m.Net.NumAtoms {
		panic("kernels/mcsat: marginals do not match the network's atoms")
	}
	if err := opt.Validate(); err != nil {
		return Diagnostics{}, err
	}
	if opt.Stop == nil {
		opt.Stop = func() error { return nil }
	}
	if opt.Parallel == nil {
		opt.Parallel = func(n int, task func(i int)) {
			for i := range n {
				task(i)
			}
		}
	}
	opt.Divide(m, &f.router)
	eliminated, err := f.exact(dst, m, &opt)
	if err != nil {
		return Diagnostics{}, err
	}
	f.closed.Find(m)
	f.closed.solve(m)
	f.closed.into(dst)
	sampled := len(m.Scope.Atoms) - f.closed.N
	f.errs = grow.Zeroed(f.errs, len(dst))
	d := Exact(m.Net.NumAtoms - sampled)
	d.Eliminated, d.Sampled = eliminated, sampled
	if sampled == 0 {
		return d, nil
	}
	if len(chains) == 0 {
		return Diagnostics{}, &OptionError{"chains", "at least 1"}
	}
	err = f.sample(dst, m, &opt, chains, &d)
	f.closed.into(dst)
	return d, err
}

// Errors sets dst, by atom, to the Monte Carlo standard errors of the last call's marginals: 0 if exact, NaN if each chain has fewer than
// four samples. None exceeds Diagnostics.MaxError.
func (f *Inference) Errors(dst []float64) { copy(dst, f.errs) }

// SizeError reports a component too large for exact inference.
type SizeError struct {
	Limit int // largest number of atoms to enumerate
	Tree  *exact.WidthError
}

// Error implements error.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%v; at most %d atoms are enumerated", e.Tree, e.Limit)
}

// Unwrap returns the error of its junction tree.
func (e *SizeError) Unwrap() error { return e.Tree }

// Divide sets the routes of a bound model's components by the method.
func (o *Options) Divide(m *loglinear.Model, r *exact.Router) {
	r.Divide(m, o.exact(), exact.Affordable)
}

// exact sets the marginals of atoms that are not sampled, and returns how many are on junction trees.
func (f *Inference) exact(dst []float64, m *loglinear.Model, opt *Options) (eliminated int, err error) {
	if err := m.Possible(); err != nil {
		return 0, err
	}
	if opt.Method == MethodExact && len(m.Scope.Atoms) > 0 {
		first := m.Scope.Atoms[0]
		e := &SizeError{Limit: loglinear.ExactLimit, Tree: &exact.WidthError{}}
		errors.As(f.tree.Bind(m, m.Components.Atoms(m.Components.Of(first)), exact.MostEntries), &e.Tree)
		return 0, e
	}
	for i := range m.Components.Len() {
		atoms := m.Components.Atoms(i)
		if m.Sampled(atoms[0]) {
			continue
		}
		if m.Independent(atoms[0]) {
			dst[atoms[0]] = elementary.Sigmoid(m.Bias[atoms[0]])
			continue
		}
		if err := opt.Stop(); err != nil {
			return 0, err
		}
		if opt.Enough != nil && opt.Enough() {
			return 0, ErrNoSamples
		}
		if err := f.solve(dst, m, i); err != nil {
			return 0, err
		}
		if m.Route(i) == loglinear.Eliminate {
			eliminated += len(atoms)
		}
	}
	return eliminated, nil
}

// solve sets the marginals of a component's atoms.
func (f *Inference) solve(dst []float64, m *loglinear.Model, component int) error {
	atoms := m.Components.Atoms(component)
	if m.Route(component) == loglinear.Enumerate {
		if err := f.enum.Run(m, atoms); err != nil {
			return err
		}
		for d, a := range atoms {
			dst[a] = f.enum.Marginal(d)
		}
		return nil
	}
	if err := f.tree.Bind(m, atoms, exact.MostEntries); err != nil {
		return err
	}
	if err := f.tree.Sum(); err != nil {
		return err
	}
	for _, a := range atoms {
		dst[a] = f.tree.Marginal(a)
	}
	return nil
}

// closedForms computes the marginals of atoms in sampled components that have a closed form.
type closedForms struct {
	loglinear.ClosedForms
	chain Chain
	p     []float64 // by atom: its marginal
}

// solve computes the marginals, by a draw of each unit and group. If it finds no state to start from, all atoms are to be sampled.
func (f *closedForms) solve(m *loglinear.Model) {
	if f.p = grow.To(f.p, m.Net.NumAtoms); f.N == 0 {
		return
	}
	c, r := &f.chain, rand.New(rand.NewPCG(0, 0)) // what is drawn does not matter
	if err := c.Start(m, make([]bool, m.Net.NumAtoms), Options{Method: MethodGibbs}, r); err != nil {
		clear(f.Closed)
		f.N = 0
		return
	}
	for _, u := range m.Scope.Units {
		if f.Closed[u] {
			c.drawUnit(u, r)
		}
	}
	for _, g := range m.Scope.Groups {
		if !f.leaves(m.Groups.Atoms(g)) {
			c.drawGroup(g, r)
		}
	}
	copy(f.p, c.sums)
}

// leaves reports whether some of the atoms have no closed form.
func (f *closedForms) leaves(atoms []uint32) bool {
	return slices.ContainsFunc(atoms, func(a uint32) bool { return !f.Closed[a] })
}

// into copies the marginals.
func (f *closedForms) into(dst []float64) {
	for a, closed := range f.Closed {
		if closed {
			dst[a] = min(1, f.p[a])
		}
	}
}
