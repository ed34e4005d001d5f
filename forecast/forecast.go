package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/internal/stage/learning"
	"resolwe/kernels/exact"
	"resolwe/kernels/ground"
	"resolwe/kernels/join"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// ErrBudget reports that Options.Budget has expired.
var ErrBudget = errors.New("forecast.Options.Budget expired")

// Options are the options of a forecast. The zero value samples 20 subgraphs.
type Options struct {
	Sample int // subgraphs to sample, spread evenly over the stream, at least 1; 0 for 20
	Select resolwe.SelectOptions
	Infer  resolwe.InferOptions
	Budget time.Duration // time after which the forecast ends with the results so far; 0 for no limit
	Run    resolwe.Run   // replaces those of Select and Infer
}

// Forecast is the result of a forecast. Its numbers are means over the sampled subgraphs unless stated otherwise.
type Forecast struct {
	Subgraphs int  // of the stream
	Sampled   int  // of these, sampled
	Over      bool // Options.Budget expired before all was measured
	TooLarge  int  // of the sampled, those whose ground network was not built, as it could have more than MaxTerms terms
	Beyond    int  // others without one, as counts do not fit in 63 bits: learning and inference fail on them
	Formulas  []Formula
	Network   Network      // over the subgraphs that have one; so are the factors
	Routes    []Components // by route, then by size
	Learn     error        // why learning is not begun, if it would take more memory than is allowed
	Gain      *Gain        // nil unless selection is by gain, the model has candidates, and some subgraphs have a network
}

// Built returns how many subgraphs have a network.
func (f *Forecast) Built() int { return f.Sampled - f.TooLarge - f.Beyond }

// MaxTerms is the maximum number of terms of a ground network that a forecast builds.
const MaxTerms = 1 << 24

// Formula is the cost of a formula in a subgraph.
type Formula struct {
	Formula    *mln.Formula
	Groundings float64 // over all its variables; this and the next two are infinite if a subgraph has more than 2^63 - 1
	Body       float64 // groundings in which the selector holds
	Most       float64 // upper bound on distinct ground formulas
	Factors    Factors
	Bytes      float64 // of the network; shared terms are split evenly between their formulas
}

// Factors are the terms of a ground network that a formula contributes to. Equal ones are merged.
type Factors struct {
	Unary    float64 // single atoms
	Pairs    float64 // pairs of atoms, listed
	Factored float64 // pairs of atoms that share an entity, kept as sums
	Members  float64 // atoms at those entities, which determine the cost of the sums
	Others   float64 // conjunctions of three literals or more, and other functions of several atoms
}

// Network is a ground network.
type Network struct {
	Atoms   float64
	Hard    float64 // constraints
	Bytes   float64
	Largest int // bytes of the largest
}

// Run forecasts the cost of computations on a stream from some of its subgraphs. Groundings are counted, not listed; networks are
// built as in inference, and counted as in selection by gain, whose failure is not an error of the forecast.
//
// The error is ErrBudget if the budget expired before the first subgraph was measured, a *resolwe.OptionError, resolwe.ErrReadOnce
// for a pipe, a *resolwe.SubgraphError, or one of reading the stream.
func Run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Forecast, error) {
	if err := opt.fill(m); err != nil {
		return nil, err
	}
	f := &forecaster{model: m, stream: s, opt: opt, out: &Forecast{}}
	if opt.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opt.Budget, ErrBudget)
		defer cancel()
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &resolwe.OptionError{Option: "resolwe.Stream", Reason: "it has no subgraph"}
	}
	f.out.Subgraphs = len(entries)
	var sampled []int
	for _, e := range spread(entries, opt.Sample) {
		sampled = append(sampled, e.Index)
	}
	switch err := f.sample(ctx, s.Pick(sampled)); {
	case errors.Is(err, ErrBudget) && f.out.Sampled > 0:
		f.out.Over = true
	case errors.Is(err, ErrBudget):
		return nil, fmt.Errorf("%w before the first subgraph was counted: counting its groundings alone takes longer", err)
	case err != nil:
		return nil, err
	}
	if _, err := learning.NewTask(m, resolwe.LearnOptions{Passes: 1}); errors.As(err, new(*machine.MemoryError)) {
		f.out.Learn = err
	}
	if len(f.built) == 0 {
		return f.out, nil
	}
	if f.candidates() && cmp.Or(f.opt.Select.Criterion, resolwe.Gain) == resolwe.Gain {
		err = f.gain(ctx)
	}
	return f.out, err
}

// Lacks lists what Options.Budget left undone of a forecast from a sample of that many subgraphs.
func (f *Forecast) Lacks(sample int) (list []string) {
	if n := min(f.Subgraphs, sample); f.Over && f.Sampled < n {
		list = append(list, fmt.Sprintf("%d of %d subgraphs", n-f.Sampled, n))
	}
	if f.Gain != nil && errors.Is(f.Gain.Err, ErrBudget) {
		list = append(list, "the rows of select")
	}
	return list
}

// fill checks the options, and sets the defaults that forecasts need.
func (o *Options) fill(m *resolwe.Model) error {
	if err := m.Predicts(); err != nil {
		return err
	}
	if o.Budget < 0 {
		return &resolwe.OptionError{Option: "forecast.Options.Budget", Reason: "at least 0"}
	}
	if o.Sample = cmp.Or(o.Sample, 20); o.Sample < 1 {
		return &resolwe.OptionError{Option: "forecast.Options.Sample", Reason: "at least 1"}
	}
	for _, step := range []interface{ Validate() error }{&o.Select, &o.Infer} {
		if err := step.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// spread returns at most n elements of a list, evenly spaced.
func spread[T any](list []T, n int) []T {
	n = min(n, len(list))
	out := make([]T, n)
	for i := range out {
		out[i] = list[(2*i+1)*len(list)/(2*n)]
	}
	return out
}

// forecaster makes a forecast.
type forecaster struct {
	model  *resolwe.Model
	stream *resolwe.Stream
	opt    Options
	built  []int // positions of the sampled subgraphs that have a network
	out    *Forecast
}

// statistics are the statistics of one subgraph, or sums over several.
type statistics struct {
	index    int
	built    bool
	beyond   bool
	formulas []Formula
	network  Network
	routes   map[routeKey]Components
}

type routeKey struct {
	route Route
	class int
}

// probe is a worker's memory.
type probe struct {
	forecaster *ground.Forecaster
	program    *ground.Program
	grounder   *ground.Grounder
	model      loglinear.Model
	router     exact.Router
	sampler    mcsat.Options
}

// sample sums up the statistics of subgraphs.
func (f *forecaster) sample(ctx context.Context, s *resolwe.Stream) error {
	sampler, _, err := f.opt.Infer.Sampler()
	if err != nil {
		return err
	}
	mode, formulas := f.opt.Infer.Mode(), f.model.Formulas
	program := ground.Compile(f.model.Schema, formulas, mode)
	stop := func() error { return context.Cause(ctx) }
	newProbe := func() *probe {
		p := &probe{
			forecaster: ground.NewForecaster(f.model.Schema, formulas, mode), program: program,
			grounder: ground.NewGrounder(program), sampler: sampler,
		}
		p.forecaster.Stop(stop)
		p.grounder.Stop = stop
		return p
	}
	total := statistics{formulas: make([]Formula, len(formulas)), routes: map[routeKey]Components{}}
	add := func(s *statistics) error {
		f.out.Sampled++
		total.add(s)
		switch {
		case s.beyond:
			f.out.Beyond++
			return nil
		case !s.built:
			f.out.TooLarge++
			return nil
		}
		f.built = append(f.built, s.index)
		return nil
	}
	err = resolwe.Process(ctx, s, &f.opt.Run, newProbe, (*probe).take, add)
	if f.out.Sampled > 0 {
		f.out.fill(&total, formulas)
	}
	return err
}

// take counts a subgraph's groundings and builds its network unless that may be too large.
func (p *probe) take(sub *subgraph.Subgraph) (*statistics, error) {
	counts := p.forecaster.Count(sub)
	s := &statistics{index: sub.Index, formulas: make([]Formula, len(counts))}
	terms := 0.0
	for i, g := range counts {
		f := &s.formulas[i]
		f.Groundings, f.Body, f.Most = asFloat(g.All), asFloat(g.Body), asFloat(g.Most)
		if !p.program.Factored(i, sub) {
			terms += f.Most
		}
	}
	if terms > MaxTerms {
		return s, nil
	}
	net, _, err := p.grounder.Ground(sub)
	if errors.Is(err, join.ErrOverflow) {
		s.beyond = true
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.built = true
	for i, f := range net.Factors() {
		s.formulas[i].Factors = Factors{
			float64(f.Unary), float64(f.Pairs), float64(f.Factored), float64(f.Members), float64(f.Others),
		}
		s.formulas[i].Bytes = f.Bytes
	}
	bytes := net.Bytes()
	s.network = Network{
		Atoms: float64(net.NumAtoms), Hard: float64(len(net.Clauses) + len(net.HardFeatures)), Bytes: float64(bytes), Largest: bytes,
	}
	s.addRoutes(p, net)
	return s, nil
}

// counts returns the figures of a formula in every subgraph, terms those in a network.
func (f *Formula) counts() []*float64 { return []*float64{&f.Groundings, &f.Body, &f.Most} }

func (f *Formula) terms() []*float64 {
	t := &f.Factors
	return []*float64{&t.Unary, &t.Pairs, &t.Factored, &t.Members, &t.Others, &f.Bytes}
}

func (n *Network) figures() []*float64 { return []*float64{&n.Atoms, &n.Hard, &n.Bytes} }

// addTo adds figures to to.
func addTo(to, figures []*float64) {
	for i, v := range figures {
		*to[i] += *v
	}
}

// divide divides figures.
func divide(figures []*float64, by float64) {
	for _, v := range figures {
		*v /= by
	}
}

// add adds the statistics of another subgraph.
func (s *statistics) add(o *statistics) {
	for i := range o.formulas {
		addTo(s.formulas[i].counts(), o.formulas[i].counts())
		addTo(s.formulas[i].terms(), o.formulas[i].terms())
	}
	addTo(s.network.figures(), o.network.figures())
	s.network.Largest = max(s.network.Largest, o.network.Largest)
	for key, r := range o.routes {
		sum := s.routes[key]
		addTo([]*float64{&sum.Components, &sum.Atoms}, []*float64{&r.Components, &r.Atoms})
		sum.Width = max(sum.Width, r.Width)
		s.routes[key] = sum
	}
}

// asFloat returns a number of groundings, infinite if there are too many.
func asFloat(n int64) float64 {
	if n == ground.TooMany {
		return math.Inf(1)
	}
	return float64(n)
}

// fill computes the means.
func (f *Forecast) fill(total *statistics, formulas []*mln.Formula) {
	built := float64(max(1, f.Built()))
	f.Formulas, f.Network = total.formulas, total.network
	for i := range f.Formulas {
		f.Formulas[i].Formula = formulas[i]
		divide(f.Formulas[i].counts(), float64(f.Sampled))
		divide(f.Formulas[i].terms(), built)
	}
	divide(f.Network.figures(), built)
	for route := RouteClosed; route <= RouteTooLarge; route++ {
		for class, least := range sizeClasses {
			r, ok := total.routes[routeKey{route, class}]
			if !ok {
				continue
			}
			r.Route, r.Least = route, least
			if class+1 < len(sizeClasses) {
				r.Most = sizeClasses[class+1] - 1
			}
			divide([]*float64{&r.Components, &r.Atoms}, built)
			f.Routes = append(f.Routes, r)
		}
	}
}
