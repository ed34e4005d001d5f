package resolwe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"

	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// Method is a way of inference.
type Method = mcsat.Method

// The methods of inference.
const (
	MethodAuto  = mcsat.MethodAuto
	MethodMCSAT = mcsat.MethodMCSAT
	MethodGibbs = mcsat.MethodGibbs
	MethodExact = mcsat.MethodExact
)

// InferOptions are the parameters of inference. DefaultInferOptions gives a complete value to start from.
type InferOptions struct {
	Method  Method
	Samples int  // of each chain, at least 1; with Error the most
	BurnIn  int  // samples of each chain before those
	Chains  int  // 1 to 4096
	Sweeps  int  // Gibbs sweeps after each slice, at least 1
	Given   bool // condition on the target atoms that the data states, and predict the others
	Seed    uint64

	// Error, unless 0, ends the sampling of a subgraph early: once the Monte Carlo standard error of each marginal is at
	// most so large. Results do not depend on Run.
	Error float64
	// Enough, unless nil, is asked now and then, by several goroutines at once; once it is true it has to stay so.
	// Inference then ends with the samples so far. Subgraphs that have none are left out.
	Enough func() bool
	// LeftOut, unless nil, is called in stream order with each subgraph that was read and left out; those behind the last
	// one are not read.
	LeftOut func(name string)

	Run Run
}

// DefaultInferOptions returns MethodAuto with one chain of 1,000 samples after 100 of burn-in.
func DefaultInferOptions() InferOptions {
	d := mcsat.DefaultOptions()
	return InferOptions{Method: d.Method, Samples: d.Samples, BurnIn: d.BurnIn, Chains: 1, Sweeps: d.Sweeps, Seed: 1}
}

// Marginals are the probabilities of a subgraph's query atoms: by predicate in the order of the model's schema, then by
// arguments. They may refer to the stream, until it is closed.
type Marginals struct {
	Subgraph    string
	Index       int       // position in the stream
	P           []float64 // by query atom
	Diagnostics mcsat.Diagnostics

	atoms *ground.Atoms
}

// Len returns the number of query atoms.
func (m *Marginals) Len() int { return len(m.P) }

// Atom returns a query atom as text.
func (m *Marginals) Atom(i int) string { return m.atoms.Name(i) }

// AppendAtom appends a query atom as text.
func (m *Marginals) AppendAtom(dst []byte, i int) []byte { return m.atoms.AppendName(dst, i) }

// Given reports whether an atom was conditioned on.
func (m *Marginals) Given(i int) bool {
	_, ok := m.atoms.Fixed(i)
	return ok
}

// Truth returns what the data says of an atom.
func (m *Marginals) Truth(i int) subgraph.Truth { return m.atoms.Truth(i) }

// maxChains bounds the memory of chains that run side by side.
const maxChains = 4096

// workerCount returns how many goroutines a number of workers stands for.
func workerCount(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// sampler returns the options of a chain.
func (o *InferOptions) sampler() (mcsat.Options, error) {
	opt := mcsat.DefaultOptions()
	opt.Method, opt.Samples, opt.BurnIn, opt.Sweeps = o.Method, o.Samples, o.BurnIn, o.Sweeps
	opt.Error, opt.Enough = o.Error, o.Enough
	if o.Chains < 1 || o.Chains > maxChains {
		return opt, &OptionError{"chains", fmt.Sprintf("1 to %d", maxChains)}
	}
	return opt, opt.Validate()
}

// Infer computes the marginal probabilities of the query atoms of each subgraph and hands them to emit in stream order.
// Formulas without a weight count as weight 0. An error of emit ends it. Where hard formulas cannot be satisfied the error
// is a *SubgraphError that wraps a *ground.ViolationError or an *UnsatisfiableError; where an option is out of range, an
// *OptionError, a *mcsat.OptionError or a *mcsat.PrecisionError. Chains of one subgraph run on several workers where these
// have no subgraph of their own.
func Infer(ctx context.Context, m *Model, s *Stream, opt InferOptions, emit func(*Marginals) error) error {
	return inferOn(ctx, m, s, opt, nil, emit)
}

// inferOn infers on the subgraphs whose positions keep accepts.
func inferOn(ctx context.Context, m *Model, s *Stream, opt InferOptions, keep func(int) bool, emit func(*Marginals) error) error {
	if err := m.check(s); err != nil {
		return err
	}
	sampler, err := opt.sampler()
	if err != nil {
		return err
	}
	sampler.Stop = func() error { return context.Cause(ctx) }
	program := ground.Compile(m.Schema, m.Formulas, predictionMode(opt.Given))
	weights := make([]float64, len(m.Formulas))
	for i, f := range m.Formulas {
		weights[i] = f.Weight
	}
	trace := opt.Run.newTracer("infer", m.Formulas)
	helpers := newHelpers(workerCount(opt.Run.Workers))
	sampler.Parallel, sampler.Lanes = helpers.run, helpers.lanes
	newInferrer := func() *inferrer {
		g := ground.NewGrounder(program)
		g.Trace = trace
		return &inferrer{
			grounder: g, trace: trace, weights: weights, opt: sampler, chains: opt.Chains, seed: opt.Seed, helpers: helpers,
		}
	}
	err = ordered(ctx, s, &opt.Run, keep, newInferrer, (*inferrer).infer, func(r *inferred) error {
		if r.Marginals != nil {
			return emit(r.Marginals)
		}
		if opt.LeftOut != nil {
			opt.LeftOut(r.name)
		}
		if r.begun {
			return nil
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// predictionMode returns which atoms are free in prediction.
func predictionMode(given bool) ground.Mode {
	if given {
		return ground.Conditioning
	}
	return ground.Predicting
}

// inferrer is a worker's memory.
type inferrer struct {
	grounder *ground.Grounder
	trace    tracer
	weights  []float64
	opt      mcsat.Options
	chains   int
	seed     uint64
	helpers  *helpers
	model    mcsat.Model
	run      mcsat.Inference
}

// inferred is a subgraph's marginals, or the name of one that has none as there was no time.
type inferred struct {
	*Marginals
	name  string
	begun bool
}

func (f *inferrer) infer(sub *subgraph.Subgraph) (*inferred, error) {
	if f.opt.Enough != nil && f.opt.Enough() {
		return &inferred{name: sub.Name}, nil
	}
	f.helpers.begin()
	defer f.helpers.end()
	r, err := f.marginals(sub)
	if errors.Is(err, mcsat.ErrNoSamples) {
		return &inferred{name: sub.Name, begun: true}, nil
	}
	return &inferred{Marginals: r}, err
}

func (f *inferrer) marginals(sub *subgraph.Subgraph) (*Marginals, error) {
	net, atoms, err := f.grounder.Ground(sub)
	if err != nil {
		return nil, err
	}
	f.trace.noFormula()
	f.model.Reset(net, f.weights)
	sources := make([]*rand.Rand, f.chains)
	for c := range sources {
		sources[c] = randomFor(inferring, f.seed, sub.Index, c)
	}
	free := make([]float64, net.NumAtoms)
	diag, err := f.run.Marginals(free, &f.model, f.opt, sources)
	if err != nil {
		return nil, explained(err, net, atoms)
	}
	out := &Marginals{Subgraph: sub.Name, Index: sub.Index, P: make([]float64, atoms.Len()), Diagnostics: diag, atoms: atoms}
	for i := range out.P {
		if at, ok := atoms.Free(i); ok {
			out.P[i] = free[at]
		} else if truth, _ := atoms.Fixed(i); truth {
			out.P[i] = 1
		}
	}
	return out, nil
}

// Counts hands the true groundings of each formula on the data of each subgraph to emit, in stream order.
func Counts(ctx context.Context, m *Model, s *Stream, run Run, emit func(name string, counts []int64) error) error {
	if err := m.check(s); err != nil {
		return err
	}
	type result struct {
		name   string
		counts []int64
	}
	program := ground.Compile(m.Schema, m.Formulas, ground.Counting)
	return ordered(ctx, s, &run, nil, func() *ground.Grounder { return ground.NewGrounder(program) },
		func(g *ground.Grounder, sub *subgraph.Subgraph) (result, error) {
			net, _, err := g.Ground(sub)
			if err != nil {
				return result{}, err
			}
			return result{sub.Name, net.Constant}, nil
		},
		func(r result) error { return emit(r.name, r.counts) })
}
