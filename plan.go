package resolwe

import (
	"context"
	"errors"
	"math"
	"time"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
	"resolwe/kernels/join"
	"resolwe/kernels/mcsat"
)

// PlanOptions say what to forecast. DefaultPlanOptions gives a complete value to start from.
type PlanOptions struct {
	Take   int // subgraphs to look at, spread evenly over the stream, at least 1
	Select SelectOptions
	Learn  LearnOptions
	Infer  InferOptions
	Now    func() time.Time // the clock for Plan.Times; nil for none of them
	Run    Run              // instead of those of Select, Learn and Infer
}

// DefaultPlanOptions looks at 20 subgraphs.
func DefaultPlanOptions() PlanOptions {
	return PlanOptions{Take: 20, Select: DefaultSelectOptions(), Learn: DefaultLearnOptions(), Infer: DefaultInferOptions()}
}

// Plan is a forecast. Its numbers are means over the subgraphs that were looked at, unless they say otherwise.
type Plan struct {
	Subgraphs int // of the stream
	Looked    int // at so many of them
	TooLarge  int // of these, without a ground network: it could have more than MaxPlannedTerms terms
	Beyond    int // others without one: counts do not fit in 63 bits, and learning and inference fail on them
	Formulas  []FormulaPlan
	Network   NetworkPlan // over the subgraphs that have one, as are the factors
	Routes    []RoutePlan // by route, then by size
	Times     []TimePlan
}

// Built returns how many subgraphs have a network.
func (p *Plan) Built() int { return p.Looked - p.TooLarge - p.Beyond }

// MaxPlannedTerms is the most terms of a ground network that a forecast builds.
const MaxPlannedTerms = 1 << 24

// FormulaPlan is what a formula comes to in a subgraph.
type FormulaPlan struct {
	Formula    *mln.Formula
	Groundings float64 // over all its variables; infinite where a subgraph has more than 2^63 - 1, as are the next two
	Held       float64 // in which the selector holds
	Most       float64 // different ground formulas, at most
	Factors    Factors
	Bytes      float64 // of the network, of which shared terms count in equal parts
}

// Factors are the terms of a ground network that a formula is in. Equal ones are merged.
type Factors struct {
	Unary    float64 // atoms on their own
	Pairs    float64 // pairs of atoms, listed
	Factored float64 // pairs of atoms that meet in hubs, kept as sums
	Members  float64 // atoms in those hubs, which is what the sums cost
	Others   float64 // conjunctions of three literals or more, and other functions of several atoms
}

// NetworkPlan is a ground network.
type NetworkPlan struct {
	Atoms   float64
	Hard    float64 // constraints
	Bytes   float64
	Largest int // bytes of the largest
}

// Route is how inference treats a connected component of a ground network.
type Route uint8

// The routes.
const (
	RouteClosed   Route = iota + 1 // a closed form, for an atom on its own
	RouteExact                     // enumeration
	RouteSampled                   // sampling
	RouteTooLarge                  // none: MethodExact cannot enumerate it
)

var routeNames = [...]string{
	RouteClosed: "closed form", RouteExact: "enumerated", RouteSampled: "sampled", RouteTooLarge: "too large",
}

// String returns the route in words.
func (r Route) String() string {
	if int(r) >= len(routeNames) {
		return ""
	}
	return routeNames[r]
}

// RoutePlan is the components of Least to Most atoms that take a route.
type RoutePlan struct {
	Route             Route
	Least, Most       int // Most is 0 for no bound
	Components, Atoms float64
}

// sizeClasses are the least sizes of components that are counted together.
var sizeClasses = [...]int{1, 2, 6, 11, 21, 100, 1000, 10_000, 100_000}

// MakePlan forecasts what computations on a stream come to, from some of its subgraphs. Groundings are counted and not
// listed; networks are built, as inference would. With a clock it also runs selection, learning and some sampling on these
// subgraphs; formulas without a weight are then sampled with a small one. What fails there is no error of the plan.
//
// Errors: *OptionError, *mcsat.OptionError, ErrReadOnce for a pipe, *SubgraphError, or one of reading the stream.
func MakePlan(ctx context.Context, m *Model, s *Stream, opt PlanOptions) (*Plan, error) {
	sampler, err := opt.validate(m, s)
	if err != nil {
		return nil, err
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, &OptionError{"stream", "it has no subgraph"}
	}
	p := &planner{model: m, stream: s, opt: opt, exact: exactLimit(sampler), plan: &Plan{Subgraphs: len(entries)}}
	for i := range min(opt.Take, len(entries)) {
		at := (2*i + 1) * len(entries) / (2 * min(opt.Take, len(entries)))
		p.positions = append(p.positions, entries[at].Index)
	}
	if err := p.look(ctx); err != nil {
		return nil, err
	}
	if opt.Now != nil {
		err = p.times(ctx)
	}
	return p.plan, err
}

func (o *PlanOptions) validate(m *Model, s *Stream) (mcsat.Options, error) {
	if err := m.check(s); err != nil {
		return mcsat.Options{}, err
	}
	if o.Take < 1 {
		return mcsat.Options{}, &OptionError{"take", "at least 1"}
	}
	if err := o.Select.validate(); err != nil {
		return mcsat.Options{}, err
	}
	if err := o.Learn.validate(); err != nil {
		return mcsat.Options{}, err
	}
	return o.Infer.sampler()
}

// exactLimit returns the most atoms of a component that inference enumerates.
func exactLimit(o mcsat.Options) int {
	switch o.Method {
	case mcsat.MethodAuto:
		return o.MaxExact
	case mcsat.MethodExact:
		return mcsat.ExactLimit
	case mcsat.MethodMCSAT, mcsat.MethodGibbs:
	}
	return 1
}

// planner makes a plan.
type planner struct {
	model     *Model
	stream    *Stream
	opt       PlanOptions
	exact     int
	positions []int // looked at, ascending
	small     []int // of them, those with a network
	sampled   []int // of these, those that have something to sample
	plan      *Plan
}

// sight is what is seen in one subgraph.
type sight struct {
	index     int
	counts    []ground.Groundings
	built     bool
	beyond    bool
	formulas  []FormulaPlan
	network   NetworkPlan
	routes    map[routeKey]RoutePlan
	isSampled bool
}

type routeKey struct {
	route Route
	class int
}

// looker is a worker's memory.
type looker struct {
	forecaster *ground.Forecaster
	program    *ground.Program
	grounder   *ground.Grounder
	model      mcsat.Model
	exact      int
	method     Method
}

// look sums up what is seen in the subgraphs.
func (p *planner) look(ctx context.Context) error {
	mode := predictionMode(p.opt.Infer.Given)
	formulas := p.model.Formulas
	program := ground.Compile(p.model.Schema, formulas, mode)
	newLooker := func() *looker {
		return &looker{
			forecaster: ground.NewForecaster(p.model.Schema, formulas, mode), program: program,
			grounder: ground.NewGrounder(program), exact: p.exact, method: p.opt.Infer.Method,
		}
	}
	total := sight{formulas: make([]FormulaPlan, len(formulas)), routes: map[routeKey]RoutePlan{}}
	err := ordered(ctx, p.stream, &p.opt.Run, among(p.positions), newLooker, (*looker).see, func(s *sight) error {
		p.plan.Looked++
		total.add(s)
		switch {
		case s.beyond:
			p.plan.Beyond++
			return nil
		case !s.built:
			p.plan.TooLarge++
			return nil
		}
		p.small = append(p.small, s.index)
		if s.isSampled {
			p.sampled = append(p.sampled, s.index)
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.plan.fill(&total, formulas)
	return nil
}

// see counts a subgraph's groundings and, unless it may be too large, looks at its network.
func (l *looker) see(sub *subgraph.Subgraph) (*sight, error) {
	s := &sight{index: sub.Index, counts: l.forecaster.Count(sub)}
	terms := int64(0)
	for i, g := range s.counts {
		switch {
		case l.program.Factored(i, sub):
		case g.Most == ground.TooMany || g.Most > MaxPlannedTerms:
			return s, nil
		default:
			terms += g.Most
		}
	}
	if terms > MaxPlannedTerms {
		return s, nil
	}
	net, _, err := l.grounder.Ground(sub)
	if errors.Is(err, join.ErrOverflow) {
		s.beyond = true
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	s.built = true
	s.formulas = make([]FormulaPlan, len(s.counts))
	for i, f := range net.Factors() {
		s.formulas[i].Factors = Factors{
			float64(f.Unary), float64(f.Pairs), float64(f.Factored), float64(f.Members), float64(f.Others),
		}
		s.formulas[i].Bytes = f.Bytes
	}
	bytes := net.Bytes()
	s.network = NetworkPlan{
		Atoms: float64(net.NumAtoms), Hard: float64(len(net.Clauses) + len(net.HardFeatures)), Bytes: float64(bytes), Largest: bytes,
	}
	l.model.Bind(net)
	s.addRoutes(&l.model, l)
	return s, nil
}

func (s *sight) addRoutes(m *mcsat.Model, l *looker) {
	s.routes = map[routeKey]RoutePlan{}
	for c := range m.NumComponents() {
		size := len(m.Component(c))
		key := routeKey{RouteClosed, 0}
		for key.class+1 < len(sizeClasses) && sizeClasses[key.class+1] <= size {
			key.class++
		}
		switch {
		case size == 1:
		case size <= l.exact:
			key.route = RouteExact
		case l.method == MethodExact:
			key.route = RouteTooLarge
		default:
			key.route = RouteSampled
			s.isSampled = true
		}
		r := s.routes[key]
		r.Components++
		r.Atoms += float64(size)
		s.routes[key] = r
	}
}

// add adds what is seen in a subgraph.
func (s *sight) add(o *sight) {
	for i := range o.counts {
		f, g := &s.formulas[i], &o.counts[i]
		f.Groundings += asFloat(g.All)
		f.Held += asFloat(g.Held)
		f.Most += asFloat(g.Most)
	}
	for i := range o.formulas {
		f, g := &s.formulas[i], &o.formulas[i]
		f.Factors.add(&g.Factors)
		f.Bytes += g.Bytes
	}
	n := &s.network
	n.Atoms += o.network.Atoms
	n.Hard += o.network.Hard
	n.Bytes += o.network.Bytes
	n.Largest = max(n.Largest, o.network.Largest)
	for key, r := range o.routes {
		sum := s.routes[key]
		sum.Components += r.Components
		sum.Atoms += r.Atoms
		s.routes[key] = sum
	}
}

func (f *Factors) add(o *Factors) {
	f.Unary += o.Unary
	f.Pairs += o.Pairs
	f.Factored += o.Factored
	f.Members += o.Members
	f.Others += o.Others
}

// asFloat returns a number of groundings.
func asFloat(n int64) float64 {
	if n == ground.TooMany {
		return math.Inf(1)
	}
	return float64(n)
}

// fill sets the means.
func (p *Plan) fill(total *sight, formulas []*mln.Formula) {
	looked, built := float64(p.Looked), float64(max(1, p.Built()))
	p.Formulas, p.Network = total.formulas, total.network
	for i := range p.Formulas {
		f := &p.Formulas[i]
		f.Formula = formulas[i]
		for _, v := range [...]*float64{&f.Groundings, &f.Held, &f.Most} {
			*v /= looked
		}
		for _, v := range [...]*float64{
			&f.Factors.Unary, &f.Factors.Pairs, &f.Factors.Factored, &f.Factors.Members, &f.Factors.Others, &f.Bytes,
		} {
			*v /= built
		}
	}
	for _, v := range [...]*float64{&p.Network.Atoms, &p.Network.Hard, &p.Network.Bytes} {
		*v /= built
	}
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
			r.Components /= built
			r.Atoms /= built
			p.Routes = append(p.Routes, r)
		}
	}
}
