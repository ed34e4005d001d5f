// Package inferring computes with a model whose formulas have weights, one subgraph at a time: marginals, most probable states,
// explanations, features, counts, and the comparison of marginals with the truth.
package inferring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/pool"
)

// Method is a method of inference.
type Method = mcsat.Method

// The methods of inference.
const (
	MethodAuto  = mcsat.MethodAuto
	MethodMCSAT = mcsat.MethodMCSAT
	MethodGibbs = mcsat.MethodGibbs
	MethodExact = mcsat.MethodExact
)

// Diagnostics say how a subgraph's marginals were computed, and how far sampled ones can be trusted.
type Diagnostics = mcsat.Diagnostics

// Options are the parameters of inference. The zero value is MethodAuto with 1,000 samples in all, from four chains, each
// after a burn-in of 100.
type Options struct {
	Method  Method // 0 for MethodAuto
	Samples int    // per chain, at least 1; 0 for 1,000; with Error, the maximum
	BurnIn  *int   // samples that each chain discards first; nil for 100
	Chains  int    // 1 to 4096; 0 for 1; if less than LeastChains, LeastChains chains share the samples
	Sweeps  int    // Gibbs sweeps after each slice, at least 1; 0 for 1
	Given   bool   // condition on the target atoms that the data state, and predict the others; by default predict all
	Unknown bool   // skip subgraphs without atoms of unknown truth
	Seed    uint64 // of all random numbers; 0 for 1

	// Error, unless 0, ends the sampling of a subgraph early, once all its marginals are within twice Error of their values, as far
	// as the samples show with 99% confidence, and there is no warning. Results do not depend on Run.
	Error float64
	// Stop, unless nil, is called repeatedly, by several goroutines at once. When it returns true, which it must do from then on,
	// inference ends with the samples so far. Subgraphs without samples are skipped.
	Stop func() bool
	// Skipped, unless nil, is called in stream order with the name of each subgraph that was read and then skipped; later ones are
	// not read.
	Skipped func(name string)

	Run run.Run
}

// Marginals are the probabilities of a subgraph's query atoms, by predicate in the order of the model's schema, then by arguments.
// They may refer to the stream's memory, which is valid until the stream is closed.
type Marginals struct {
	Subgraph    string
	Index       int         // position in the stream
	P           []float64   // by query atom
	Errors      []float64   // Monte Carlo standard errors by query atom, NaN if unknown; nil if all are 0, since the marginals are exact
	Diagnostics Diagnostics // which refer to suspect atoms by their index among the query atoms

	run.QueryAtoms
}

// LeastChains is the minimum number of chains: a single one cannot reveal a mode that it never visited.
const LeastChains = 4

// maxChains bounds the memory of chains that run in parallel.
const maxChains = 4096

// Sampler returns the options of the chains, and their number. The error is an *OptionError.
func (o *Options) Sampler() (opt mcsat.Options, chains int, err error) {
	opt = mcsat.DefaultOptions()
	opt.Method, opt.Samples, opt.Sweeps = cmp.Or(o.Method, opt.Method), cmp.Or(o.Samples, opt.Samples), cmp.Or(o.Sweeps, opt.Sweeps)
	if o.BurnIn != nil {
		opt.BurnIn = *o.BurnIn
	}
	opt.Error, opt.Enough = o.Error, o.Stop
	err = opt.Validate()
	if e := (*mcsat.OptionError)(nil); errors.As(err, &e) {
		fields := map[string]string{"method": "Method", "samples": "Samples", "burn-in": "BurnIn", "sweeps": "Sweeps", "error": "Error"}
		return opt, 0, &run.OptionError{Option: "InferOptions." + fields[e.Option], Reason: e.Want}
	}
	if chains = cmp.Or(o.Chains, 1); chains < 1 || chains > maxChains {
		return opt, 0, &run.OptionError{Option: "InferOptions.Chains", Reason: fmt.Sprintf("1 to %d", maxChains)}
	}
	if chains < LeastChains {
		opt.Samples = (opt.Samples*chains + LeastChains - 1) / LeastChains
		chains = LeastChains
	}
	return opt, chains, nil
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *Options) Validate() error {
	_, _, err := o.Sampler()
	return err
}

// Infer is resolwe.Infer, except that it passes results to emit, whose error ends it.
func Infer(ctx context.Context, m *run.Model, s *run.Stream, opt Options, emit func(*Marginals) error) error {
	s, err := m.On(s)
	if err = cmp.Or(err, run.NeedsCallback(emit != nil)); err != nil {
		return err
	}
	newInferrer, err := opt.newInferrers(ctx, m)
	if err != nil {
		return err
	}
	err = run.Process(ctx, s, &opt.Run, newInferrer, (*inferrer).infer, func(r *inferred) error {
		switch {
		case r.Marginals != nil:
			return emit(r.Marginals)
		case r.known:
			return nil
		}
		if opt.Skipped != nil {
			opt.Skipped(r.name)
		}
		if r.begun {
			return nil
		}
		return errStopped
	})
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// newInferrers returns a function that makes the workers of inference. The error is an *OptionError.
func (o *Options) newInferrers(ctx context.Context, m *run.Model) (func() *inferrer, error) {
	sampler, chains, err := o.Sampler()
	if err != nil {
		return nil, err
	}
	sampler.Stop = func() error { return context.Cause(ctx) }
	program := ground.Compile(m.Schema, m.Formulas, o.Mode())
	weights := make([]float64, len(m.Formulas))
	for i, f := range m.Formulas {
		weights[i] = f.Weight
	}
	trace := o.Run.NewTracer("infer", m.Formulas)
	helpers := pool.NewHelpers(run.WorkerCount(o.Run.Workers))
	sampler.Parallel, sampler.Lanes = helpers.Run, helpers.Lanes
	return func() *inferrer {
		return &inferrer{
			grounder: o.Run.TracedGrounder(ctx, program, trace), trace: trace, weights: weights, opt: sampler, chains: chains, seed: cmp.Or(o.Seed, 1), helpers: helpers,
			unknown: o.Unknown,
		}
	}, nil
}

// Mode returns which atoms are free.
func (o *Options) Mode() ground.Mode {
	if o.Given {
		return ground.Conditioning
	}
	return ground.Predicting
}

// inferrer is a worker's memory.
type inferrer struct {
	grounder *ground.Grounder
	trace    run.Tracer
	weights  []float64
	opt      mcsat.Options
	chains   int
	seed     uint64
	unknown  bool // skip others
	helpers  *pool.Helpers
	model    loglinear.Model
	run      mcsat.Inference
}

// inferred is a subgraph's marginals, or its name if there was no time to compute them.
type inferred struct {
	*Marginals
	name  string
	begun bool
	known bool // it has no atom of unknown truth, and these were asked for
}

func (f *inferrer) StopWith(ask func() error) { f.grounder.Stop, f.opt.Stop = ask, ask }

func (f *inferrer) infer(sub *subgraph.Subgraph) (*inferred, error) {
	if f.opt.Enough != nil && f.opt.Enough() {
		return &inferred{name: sub.Name}, nil
	}
	if f.unknown && !slices.ContainsFunc(sub.Relations, func(r subgraph.Relation) bool { return r.Unknown.Len() > 0 }) {
		return &inferred{known: true}, nil
	}
	f.helpers.Begin()
	defer f.helpers.End()
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
	f.trace.NoFormula()
	if err := f.opt.Stop(); err != nil {
		return nil, err
	}
	free, diag := make([]float64, net.NumAtoms), mcsat.Exact(net.NumAtoms)
	if !f.model.Untied(free, net, f.weights) {
		f.model.Reset(net, f.weights)
		sources := make([]*rand.Rand, f.chains)
		for c := range sources {
			sources[c] = run.RandomFor(run.ForInferring, f.seed, sub.Index, c)
		}
		if diag, err = f.run.Marginals(free, &f.model, f.opt, sources); err != nil {
			return nil, run.Explained(err, net, atoms)
		}
	}
	out := &Marginals{Subgraph: sub.Name, Index: sub.Index, P: make([]float64, atoms.Len()), Diagnostics: diag, QueryAtoms: run.QueryAtoms{Atoms: atoms}}
	errs := f.errors(&diag)
	if errs != nil {
		out.Errors = make([]float64, len(out.P))
	}
	for i := range out.P {
		if at, ok := atoms.Free(i); ok {
			out.P[i] = free[at]
			if errs != nil {
				out.Errors[i] = errs[at]
			}
		} else if truth, _ := atoms.Fixed(i); truth {
			out.P[i] = 1
		}
	}
	if d := &out.Diagnostics; d.Any() {
		renumber(atoms, d.Stuck.First, d.Apart.First)
	}
	return out, nil
}

// errors returns the standard errors of the free atoms' marginals, or nil if these are exact.
func (f *inferrer) errors(d *Diagnostics) []float64 {
	if d.Sampled == 0 {
		return nil
	}
	out := make([]float64, f.model.Net.NumAtoms)
	f.run.Errors(out)
	return out
}

// renumber converts indices of free atoms to indices of query atoms.
func renumber(atoms *ground.Atoms, lists ...[]uint32) {
	place := map[uint32]uint32{}
	for i := range atoms.Len() {
		if at, ok := atoms.Free(i); ok {
			place[uint32(at)] = uint32(i)
		}
	}
	for _, list := range lists {
		for i, a := range list {
			list[i] = place[a]
		}
	}
}

// RHatLimit is the split R-hat above which chains or their halves disagree; short chains may exceed it by chance.
const RHatLimit = diagnostics.RHatLimit

// Quality summarises how far the sampled marginals of many subgraphs can be trusted. The zero value is empty.
type Quality struct {
	Subgraphs int // inferred
	Sampled   int // subgraphs with sampled atoms
	Samples   int // samples per chain, summed over the sampled subgraphs
	Disagree  int // sampled subgraphs with an R-hat above RHatLimit, and above what few samples reach by chance
	Stuck     int // sampled subgraphs with atoms that hardly moved although nothing fixes them
	Short     int // sampled subgraphs without an R-hat
	Imprecise int // sampled subgraphs with large standard errors; see mcsat.Diagnostics
	Precise   int // sampled subgraphs that reached the target error
	Cut       int // sampled subgraphs that ran out of time
	Skipped   int // subgraphs without marginals, since time ran out before their first sample; unread ones are not counted

	RHat, ESS, Error Worst // the largest, the smallest and the largest; see mcsat.Diagnostics
	Still            Worst // the largest number of atoms that hardly moved
}

// Worst is the worst value of a figure, with its subgraph; "" if there is none.
type Worst struct {
	Value    float64
	Subgraph string
	Atoms    string // some of the atoms that it casts doubt on
}

// Add includes a subgraph's marginals, without retaining them.
func (q *Quality) Add(m *Marginals) {
	d := &m.Diagnostics
	q.Subgraphs++
	if d.Sampled == 0 {
		return
	}
	q.Sampled++
	q.Samples += d.Samples
	if d.Apart.N > 0 {
		q.Disagree++
	}
	if d.Stuck.N > 0 {
		q.Stuck++
	}
	if d.Short {
		q.Short++
	}
	if d.Imprecise {
		q.Imprecise++
	}
	switch d.Stopped {
	case mcsat.StopError:
		q.Precise++
	case mcsat.StopEnough:
		q.Cut++
	case mcsat.StopSamples:
	}
	q.RHat.take(&Worst{d.MaxRHat, m.Subgraph, m.names(&d.Apart)}, d.MaxRHat > q.RHat.Value)
	q.ESS.take(&Worst{Value: d.MinESS, Subgraph: m.Subgraph}, d.MinESS < q.ESS.Value)
	q.Error.take(&Worst{Value: d.MaxError, Subgraph: m.Subgraph}, d.MaxError > q.Error.Value)
	if n := float64(d.Stuck.N); n > 0 {
		q.Still.take(&Worst{n, m.Subgraph, m.names(&d.Stuck)}, n > q.Still.Value)
	}
}

// names names suspects.
func (m *Marginals) names(s *mcsat.Suspects) string {
	var out []string
	for _, a := range s.First {
		out = append(out, m.Atom(int(a)))
	}
	if s.N > len(out) && len(out) > 0 {
		out = append(out, "...")
	}
	return strings.Join(out, ", ")
}

// Watch makes inference count the subgraphs that it skips.
func (q *Quality) Watch(opt *Options) {
	skipped := opt.Skipped
	opt.Skipped = func(name string) {
		q.Skipped++
		if skipped != nil {
			skipped(name)
		}
	}
}

// Merge includes the summary of the subgraphs that follow.
func (q *Quality) Merge(o *Quality) {
	more := o.Counts()
	for i, n := range q.Counts() {
		*n += *more[i]
	}
	q.RHat.take(&o.RHat, o.RHat.Value > q.RHat.Value)
	q.ESS.take(&o.ESS, o.ESS.Value < q.ESS.Value)
	q.Error.take(&o.Error, o.Error.Value > q.Error.Value)
	q.Still.take(&o.Still, o.Still.Value > q.Still.Value)
}

// Counts returns the counts in their order.
func (q *Quality) Counts() [10]*int {
	return [...]*int{&q.Subgraphs, &q.Sampled, &q.Samples, &q.Disagree, &q.Stuck, &q.Short, &q.Precise, &q.Cut, &q.Skipped, &q.Imprecise}
}

// Worst returns the figures in their order.
func (q *Quality) Worst() [4]*Worst { return [...]*Worst{&q.RHat, &q.ESS, &q.Error, &q.Still} }

// take records a subgraph's figure if it is defined and is worse than the current one, or the first.
func (w *Worst) take(o *Worst, worse bool) {
	if o.Subgraph != "" && !math.IsNaN(o.Value) && (worse || w.Subgraph == "") {
		*w = Worst{o.Value, strings.Clone(o.Subgraph), o.Atoms}
	}
}

// errStopped ends the iteration over a stream.
var errStopped = errors.New("stopped")
