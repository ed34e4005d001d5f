package grow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/grow"
)

// Lookup is one call: it asks for the facts of a relation with one argument bound.
type Lookup struct {
	ID       int       `json:"id"` // from 1, in the order of calls in a run
	Center   string    `json:"center"`
	Relation string    `json:"relation"`
	Args     []*string `json:"args"` // nil for a free argument
}

// Answer is the result of a look-up.
type Answer struct {
	Facts [][]string // each the relation, then its arguments
	Line  int        // line of input that it was read from, 0 for none
}

// Fetcher looks facts up.
type Fetcher interface {
	// Fetch returns the answers to the look-ups of one hop, in their order.
	Fetch(ctx context.Context, lookups []Lookup) ([]Answer, error)
}

// RunOptions say how to run a policy. The zero value of a field means its default.
type RunOptions struct {
	All bool // never stop early
	Run resolwe.Run
}

// Spent counts look-ups and their cost.
type Spent = grow.Spent

// Grown is a center whose look-ups are done.
type Grown struct {
	Subgraph string
	Atoms    []string // query atoms
	P        []float64
	Steps    int // steps taken of the order
	Spent
}

// AnswerError reports an answer that does not fit its look-up.
type AnswerError struct {
	Line   int // line of the answers, from 1; 0 if they have none
	Reason string
}

// Error gives the line and the reason.
func (e *AnswerError) Error() string {
	if e.Line == 0 {
		return "answer: " + e.Reason
	}
	return fmt.Sprintf("answers, line %d: %s", e.Line, e.Reason)
}

// batchCenters is the number of centers whose look-ups are sent together.
const batchCenters = 64

// Run grows the subgraphs of a stream opened for Policy.Model with names. It reads only their centers and query atoms, and asks for facts
// as the policy says. It hands predictions to emit in stream order. Neither they nor the look-ups depend on the number of workers. The
// error is an *AnswerError, what fetcher or emit returned, or one of reading the stream.
func Run(ctx context.Context, p *Policy, s *resolwe.Stream, fetcher Fetcher, opt RunOptions, emit func(*Grown) error) error {
	r := &runner{ctx: ctx, policy: p, opt: opt, fetcher: fetcher, emit: emit, parallel: opt.Run.Parallel()}
	newPredictor := predictors(ctx, p.Schema, p.Order, &opt.Run)
	r.predictors.New = func() any { return newPredictor() }
	err := resolwe.Process(ctx, s, &opt.Run, func() struct{} { return struct{}{} }, func(_ struct{}, sub *subgraph.Subgraph) (*center, error) {
		return r.center(sub), nil
	}, func(c *center) error {
		if r.batch = append(r.batch, c); len(r.batch) < batchCenters {
			return nil
		}
		return r.finish()
	})
	if err == nil {
		err = r.finish()
	}
	return err
}

// runner runs a policy.
type runner struct {
	ctx        context.Context //nolint:containedctx // of the run, which the struct is
	policy     *Policy
	opt        RunOptions
	fetcher    Fetcher
	emit       func(*Grown) error
	parallel   func(n int, task func(int))
	predictors sync.Pool // of *predictor
	batch      []*center
	asked      int
}

// center is a subgraph that is being grown.
type center struct {
	*grow.State
	schema *mln.Schema
	index  int
	name   string
	center string
	names  []map[string]uint32 // by type
	list   [][]string          // names by type, indexed by entity number
	query  []fact
	facts  []fact

	stage   int
	growing bool // the next step has begun
	rest    Step // what remains of that step
	calls   []call
	spent   grow.Spent
	out     *Grown // nil until the center is done
}

// fact is an atom.
type fact struct {
	pred int
	args []uint32
}

// call is a look-up made for a probe.
type call struct {
	probe  *Probe
	entity uint32
}

// center starts a center with the query atoms of a subgraph.
func (r *runner) center(sub *subgraph.Subgraph) *center {
	schema := r.policy.Schema
	c := &center{
		State: grow.NewState(schema), schema: schema, index: sub.Index, name: strings.Clone(sub.Name), center: strings.Clone(sub.Center),
		names: make([]map[string]uint32, len(schema.Types)), list: make([][]string, len(schema.Types)),
	}
	for i := range c.names {
		c.names[i] = map[string]uint32{}
	}
	for pred, p := range schema.Predicates {
		if !p.Role.IsTarget() {
			continue
		}
		for _, t := range sub.Relations[pred].Tables() {
			for row := range t.Len() {
				f := fact{pred: pred}
				for i, col := range t.Cols {
					f.args = append(f.args, c.id(p.Args[i], sub.Domains[p.Args[i]].Names.Name(col[row])))
				}
				c.query = append(c.query, f)
			}
		}
	}
	c.Begin(sub, r.policy.Centers, func(typ int, name string) (uint32, bool) { return c.id(typ, name), name != "" })
	return c
}

// id returns the number of an entity, numbering it if it is new.
func (c *center) id(typ int, name string) uint32 {
	id, ok := c.names[typ][name]
	if !ok {
		name = strings.Clone(name)
		id = uint32(len(c.list[typ])) // #nosec G115 -- a number of entities
		c.names[typ][name] = id
		c.list[typ] = append(c.list[typ], name)
	}
	return id
}

// fixed returns the entity to which a probe of the center or a constant is bound.
func (c *center) fixed(p *Probe) uint32 {
	if p.Bound == grow.Known {
		return 0
	}
	return c.id(c.schema.Predicates[p.Pred].Args[p.At], p.Name(c.center))
}

// grown returns the subgraph as fetched so far.
func (c *center) grown(b *subgraph.Builder) (*subgraph.Subgraph, error) {
	b.Reset(c.name, c.center, -1)
	for typ, list := range c.list {
		for _, name := range list {
			b.Entity(typ, name)
		}
	}
	for _, f := range c.query {
		b.Add(f.pred, f.args, subgraph.Unknown)
	}
	for _, f := range c.facts {
		b.Add(f.pred, f.args, subgraph.True)
	}
	return b.Finish()
}

// advance takes steps until the center has look-ups to make or is done.
func (r *runner) advance(c *center, with *predictor) error {
	order, rule := r.policy.Order, r.policy.Rules[r.policy.Chosen]
	for {
		for len(c.rest) > 0 {
			if c.ask(); len(c.calls) > 0 {
				return nil
			}
		}
		if c.growing {
			c.stage, c.growing = c.stage+1, false
		}
		sub, err := c.grown(with.builder)
		if err != nil {
			return err
		}
		p, atoms, err := with.predict(c.stage, sub)
		if err != nil {
			return err
		}
		step, point := nextStep(order, c.stage), grow.Point{}
		point.Features[grow.Pending] = float64(c.Pending(step, c.fixed))
		point.Observe(p, nil)
		if step == nil || !r.opt.All && rule.Trees[c.stage].Value(&point.Features) >= 0 {
			c.out = &Grown{Subgraph: c.name, P: p, Steps: c.stage, Spent: c.spent}
			for i := range p {
				c.out.Atoms = append(c.out.Atoms, atoms.Name(i))
			}
			return nil
		}
		c.rest, c.growing = step, true
	}
}

// ask lists the calls of the next hop.
func (c *center) ask() {
	for hop := c.rest[0].Hop; len(c.rest) > 0 && c.rest[0].Hop == hop; c.rest = c.rest[1:] {
		p := &c.rest[0]
		for _, id := range c.Ask(p, c.fixed(p), false) {
			c.calls = append(c.calls, call{p, id})
		}
	}
}

// finish runs the policy for the waiting centers, one hop of all of them at a time.
func (r *runner) finish() error {
	active := r.batch
	for len(active) > 0 {
		if err := r.advanceAll(active); err != nil {
			return err
		}
		active = slices.DeleteFunc(slices.Clone(active), func(c *center) bool { return c.out != nil })
		if err := r.fetch(active); err != nil {
			return err
		}
	}
	for _, c := range r.batch {
		if err := r.emit(c.out); err != nil {
			return err
		}
	}
	r.batch = nil
	return nil
}

// advanceAll advances centers in parallel.
func (r *runner) advanceAll(list []*center) error {
	errs := make([]error, len(list))
	r.parallel(len(list), func(i int) {
		with := r.predictors.Get().(*predictor)
		defer r.predictors.Put(with)
		if err := r.advance(list[i], with); err != nil {
			errs[i] = &resolwe.SubgraphError{Name: list[i].name, Index: list[i].index, Err: err}
		}
	})
	return cmp.Or(errs...)
}

// fetch makes the look-ups of the centers.
func (r *runner) fetch(list []*center) error {
	var lookups []Lookup
	for _, c := range list {
		for i := range c.calls {
			r.asked++
			lookups = append(lookups, c.lookup(&c.calls[i], r.asked))
		}
	}
	if len(lookups) == 0 {
		return nil
	}
	answers, err := r.fetcher.Fetch(r.ctx, lookups)
	if err == nil && len(answers) != len(lookups) {
		err = &AnswerError{0, fmt.Sprintf("%d answers to %d look-ups", len(answers), len(lookups))}
	}
	if err != nil {
		return err
	}
	at := 0
	for _, c := range list {
		for _, asked := range c.calls {
			for _, f := range answers[at].Facts {
				if err := c.take(asked.probe, &lookups[at], f); err != nil {
					return &AnswerError{answers[at].Line, err.Error()}
				}
			}
			n := len(answers[at].Facts)
			c.spent = c.spent.Plus(grow.Spent{Calls: 1, Facts: n, Cost: r.policy.Costs.Of(asked.probe, 1, n)})
			at++
		}
		c.calls = nil
	}
	return nil
}

// lookup converts a call to a Lookup.
func (c *center) lookup(asked *call, id int) Lookup {
	p := &c.schema.Predicates[asked.probe.Pred]
	out := Lookup{ID: id, Center: c.center, Relation: p.Name, Args: make([]*string, len(p.Args))}
	at := asked.probe.At
	out.Args[at] = &c.list[p.Args[at]][asked.entity]
	return out
}

// take adds a fact from an answer.
func (c *center) take(p *Probe, asked *Lookup, text []string) error {
	args := c.schema.Predicates[p.Pred].Args
	switch {
	case len(text) == 0 || c.schema.Predicate(text[0]) < 0:
		return fmt.Errorf("%q is not a fact of a predicate of the policy", text)
	case text[0] != asked.Relation || len(text) != len(args)+1 || text[p.At+1] != *asked.Args[p.At]:
		return fmt.Errorf("%q is not what look-up %d asked for: %s with %s as argument %d", text, asked.ID, asked.Relation, *asked.Args[p.At], p.At+1)
	}
	f := fact{pred: p.Pred}
	for i, name := range text[1:] {
		if c.schema.IsNumber(args[i]) {
			v, ok := mln.ParseNumber(name)
			if !ok {
				return fmt.Errorf("%q is not a number, as argument %d of %s", name, i+1, asked.Relation)
			}
			name = mln.FormatNumber(v)
		}
		f.args = append(f.args, c.id(args[i], name))
	}
	c.Fact(p, f.args)
	c.facts = append(c.facts, f)
	return nil
}
