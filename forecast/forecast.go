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
	"resolwe/kernels/exact"
	"resolwe/kernels/ground"
	"resolwe/kernels/join"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// Options say what to forecast. The zero value looks at 20 subgraphs, and takes no times.
type Options struct {
	Sample int // subgraphs to look at, spread evenly over the stream, at least 1; 0 for 20
	Select resolwe.SelectOptions
	Learn  resolwe.LearnOptions // of which passes to the optimum count as 10
	Infer  resolwe.InferOptions
	Now    func() time.Time // the clock for Forecast.Times; nil for none of them
	Budget time.Duration    // after which the forecast ends with what it has; 0 for no end
	Run    resolwe.Run      // instead of those of Select, Learn and Infer
}

// Forecast is what is expected. Its numbers are means over the sampled subgraphs, unless they say otherwise.
type Forecast struct {
	Subgraphs int  // of the stream
	Sampled   int  // of these, how many were sampled
	Over      bool // Options.Budget expired before all of the sample was measured
	TooLarge  int  // of these, without a ground network: it could have more than MaxTerms terms
	Beyond    int  // others without one: counts do not fit in 63 bits, and learning and inference fail on them
	Formulas  []Formula
	Network   Network      // over the subgraphs that have one, as are the factors
	Routes    []Components // by route, then by size
	Gain      *Gain        // nil but for selection by gain, of a model with candidates, on subgraphs that have a network
	Times     []Time
}

// Built returns how many subgraphs have a network.
func (f *Forecast) Built() int { return f.Sampled - f.TooLarge - f.Beyond }

// MaxTerms is the most terms of a ground network that a forecast builds.
const MaxTerms = 1 << 24

// Formula is what a formula comes to in a subgraph.
type Formula struct {
	Formula    *mln.Formula
	Groundings float64 // over all its variables; infinite where a subgraph has more than 2^63 - 1, as are the next two
	Body       float64 // in which the selector holds
	Most       float64 // different ground formulas, at most
	Factors    Factors
	Bytes      float64 // of the network, of which shared terms count in equal parts
}

// Factors are the terms of a ground network that a formula is in. Equal ones are merged.
type Factors struct {
	Unary    float64 // atoms on their own
	Pairs    float64 // pairs of atoms, listed
	Factored float64 // pairs of atoms tied through a shared entity, kept as sums
	Members  float64 // atoms at those entities, which is what the sums cost
	Others   float64 // conjunctions of three literals or more, and other functions of several atoms
}

// Network is a ground network.
type Network struct {
	Atoms   float64
	Hard    float64 // constraints
	Bytes   float64
	Largest int // bytes of the largest
}

// Run forecasts what computations on a stream come to, from some of its subgraphs. Groundings are counted and not
// listed; networks are built, as inference would. With a clock it also runs selection, learning and some sampling on these
// subgraphs; formulas without a weight are then sampled with a small one. What fails there is no error of the forecast.
//
// Where the time of Options.Budget is over in the middle of a subgraph, goroutines go on with that until it is done, but for
// nothing. Errors: ErrBudget where no subgraph was looked at by then, *resolwe.OptionError, resolwe.ErrReadOnce for a pipe, *resolwe.SubgraphError, or one of reading the stream.
func Run(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Forecast, error) {
	if err := opt.fill(m); err != nil {
		return nil, err
	}
	f := &forecaster{model: m, stream: s, opt: opt, out: &Forecast{}, budget: &budget{bounded: opt.Budget > 0, tell: opt.Run.Progress}}
	if opt.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opt.Budget, ErrBudget)
		defer cancel()
	}
	f.opt.Run.Progress = f.budget.progress
	entries, err := bounded(ctx, f.budget, func(ctx context.Context) ([]resolwe.Entry, error) { return s.Entries(ctx) })
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
		return nil, fmt.Errorf("%w before a subgraph was looked at: to count its groundings alone takes longer", err)
	case err != nil:
		return nil, err
	}
	if len(f.built) == 0 {
		return f.out, nil
	}
	if f.candidates() && f.byGain() {
		if err := f.gain(ctx); err != nil {
			return nil, err
		}
	}
	if opt.Now != nil {
		err = f.times(ctx)
	}
	return f.out, err
}

// fill checks the options, and puts in the defaults of those that forecasts go by.
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
	for _, step := range []interface{ Validate() error }{&o.Select, &o.Learn, &o.Infer} {
		if err := step.Validate(); err != nil {
			return err
		}
	}
	o.Learn.Passes = cmp.Or(o.Learn.Passes, 10)
	return nil
}

// spread returns at most n of a list, evenly.
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
	budget *budget
	built  []int // positions of the sampled subgraphs that have a network
	drawn  []int // of these, those that inference draws samples of
	gained *Time // of selection by gain
	out    *Forecast
}

// statistics are those of one subgraph, or sums of them.
type statistics struct {
	index    int
	built    bool
	beyond   bool
	formulas []Formula
	network  Network
	routes   map[routeKey]Components
	drawn    bool
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
	add := func(s *statistics) {
		f.out.Sampled++
		total.add(s)
		switch {
		case s.beyond:
			f.out.Beyond++
			return
		case !s.built:
			f.out.TooLarge++
			return
		}
		f.built = append(f.built, s.index)
		if s.drawn {
			f.drawn = append(f.drawn, s.index)
		}
	}
	_, err = bounded(ctx, f.budget, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, resolwe.Process(ctx, s, &f.opt.Run, newProbe, (*probe).take, func(s *statistics) error {
			return f.budget.within(func() { add(s) })
		})
	})
	if f.out.Sampled > 0 {
		f.out.fill(&total, formulas)
	}
	return err
}

// take counts a subgraph's groundings and, unless it may be too large, builds its network.
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

// counts are the figures of a formula in every subgraph, and terms those in a network.
func (f *Formula) counts() []*float64 { return []*float64{&f.Groundings, &f.Body, &f.Most} }

func (f *Formula) terms() []*float64 {
	t := &f.Factors
	return []*float64{&t.Unary, &t.Pairs, &t.Factored, &t.Members, &t.Others, &f.Bytes}
}

func (n *Network) figures() []*float64 { return []*float64{&n.Atoms, &n.Hard, &n.Bytes} }

// addTo adds figures to others.
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

// add adds the statistics of a subgraph.
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

// asFloat returns a number of groundings.
func asFloat(n int64) float64 {
	if n == ground.TooMany {
		return math.Inf(1)
	}
	return float64(n)
}

// fill sets the means.
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
