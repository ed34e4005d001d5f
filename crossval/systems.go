package crossval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/internal/stage/selecting"
)

// System is a way to train a model. Its name identifies it in results and checkpoints.
type System struct {
	Name  string
	Train func(context.Context, *Training) (*Trained, error)

	divides bool // whether it selects on some training subgraphs and learns on others, see Training.Rest
}

// Trained is a model that a system has trained.
type Trained struct {
	Model    *resolwe.Model // with weights
	Formulas int            // number in the model, without added unit clauses
	Reached  Reached
	Seconds  Seconds
	Doubts   []selecting.Doubt
}

// Systems returns all systems:
//
//   - gain selects by the gain in likelihood, on all training subgraphs, and takes the weights that selection gives, or learns further from
//     there if it was on a sample of rows;
//   - paper selects on the first k2 training subgraphs, by the criterion and threshold of Options.Select, whose name it
//     takes, and learns on the rest (LearnOn);
//   - skipSelection learns every formula that could have been selected, on the same rest;
//   - base learns the unit clauses alone, on all training subgraphs;
//   - single is gain with one formula;
//   - logistic is a ridge regression on all candidates with one target literal: the logarithms of counts, the ranks of values (see
//     mln.Formula.Quantity; 0 where undefined), and whether there is a value.
func Systems() []System {
	return []System{
		{Name: "gain", Train: byGain(func(*resolwe.GainOptions) {})},
		{Name: paperName, Train: paper, divides: true},
		{Name: "skipSelection", Train: skipSelection, divides: true},
		{Name: "base", Train: base},
		{Name: "single", Train: byGain(func(o *resolwe.GainOptions) { o.Formulas, o.Parsimony = 1, selecting.ParsimonyOff })},
		{Name: "logistic", Train: byGain(func(o *resolwe.GainOptions) { o.All = true })},
	}
}

const paperName = "paper"

// Defaults returns the names of the systems compared by default: those that do not learn by sampling, on which the others spend
// most of their time.
func Defaults() []string { return []string{"gain", "base", "single", "logistic"} }

// All is the name that stands for all systems.
const All = "all"

// Named returns the systems with the given names. The error is a *resolwe.OptionError.
func Named(names ...string) ([]System, error) {
	all := Systems()
	known := make([]string, 0, len(all)+1)
	for _, s := range all {
		known = append(known, s.Name)
	}
	known = append(known, All)
	var out []System
	for _, name := range names {
		switch i := slices.Index(known, name); {
		case i < 0:
			return nil, &resolwe.OptionError{
				Option: "crossval.Options.Systems", Reason: fmt.Sprintf("no system %q; the systems are %s", name, strings.Join(known, ", ")) + lex.DidYouMean(name, known),
			}
		case name == All:
			out = append(out, all...)
		default:
			out = append(out, all[i])
		}
	}
	return out, nil
}

// choose sets the default systems, with the paper's if the criterion is not gain.
func (o *Options) choose() (err error) {
	if o.Systems != nil {
		return nil
	}
	names := Defaults()
	if o.Select.Criterion != 0 && o.Select.Criterion != resolwe.Gain {
		names = append(names, paperName)
	}
	o.Systems, err = Named(names...)
	return err
}

// nameSystems gives the paper's system the name of its criterion, and refuses systems with the same name.
func (o *Options) nameSystems() error {
	systems := make([]System, len(o.Systems))
	seen := map[string]bool{}
	for i, s := range o.Systems {
		if s.Name == paperName {
			s.Name = o.byThreshold().Criterion.String()
		}
		if seen[s.Name] {
			return &resolwe.OptionError{Option: "crossval.Options.Systems", Reason: fmt.Sprintf("%q is listed twice", s.Name)}
		}
		seen[s.Name] = true
		systems[i] = s
	}
	o.Systems = systems
	if len(systems) == 0 {
		return &resolwe.OptionError{Option: "crossval.Options.Systems", Reason: "at least one"}
	}
	return nil
}

// Training is the part of a fold that a system sees.
type Training struct {
	Model   *resolwe.Model  // the task
	Stream  *resolwe.Stream // the training subgraphs
	Options *Options

	list   []int // positions of the training subgraphs, ascending
	counts *selecting.GainCounts
	stage  func(string)
}

// Select selects on the first training subgraphs, as many as the options say. It also returns how many seconds it took.
func (t *Training) Select(ctx context.Context, opt resolwe.SelectOptions) (*resolwe.Selection, float64, error) {
	t.stage("select")
	start := t.Options.Now()
	chosen, err := resolwe.Select(ctx, t.Model, t.Stream, opt)
	return chosen, t.Options.Now().Sub(start).Seconds(), err
}

// Learn learns the weights of a model on training subgraphs.
func (t *Training) Learn(ctx context.Context, m *resolwe.Model, s *resolwe.Stream) (*Trained, error) {
	t.stage("learn")
	start := t.Options.Now()
	learned, err := resolwe.Learn(ctx, m, s, t.Options.Learn)
	if err != nil {
		return nil, err
	}
	took := t.Options.Now().Sub(start).Seconds()
	return &Trained{
		Model: learned.Model, Formulas: len(m.Formulas), Seconds: Seconds{Learn: took},
		Reached: Reached{true, learned.Converged, learned.Gradient, learned.Short, learned.Drift},
	}, nil
}

// Rest returns the training subgraphs for learning weights after selection, see LearnOn.
func (t *Training) Rest() *resolwe.Stream {
	list := t.list
	if t.Options.learnOn(len(list)) == LearnRest {
		list = list[min(t.Options.byThreshold().Subgraphs, len(list)):]
	}
	return t.Stream.Pick(list)
}

func paper(ctx context.Context, t *Training) (*Trained, error) {
	chosen, took, err := t.Select(ctx, t.Options.byThreshold())
	if err != nil {
		return nil, err
	}
	m, _ := chosen.Model(t.Model)
	out, err := t.Learn(ctx, m, t.Rest())
	if err != nil {
		return nil, err
	}
	out.Seconds.Select = took
	return out, nil
}

func skipSelection(ctx context.Context, t *Training) (*Trained, error) {
	selector, err := selecting.NewSelector(t.Model, t.Options.byThreshold())
	if err != nil {
		return nil, err
	}
	candidates, err := selector.Select(ctx, selector.NewCounts(), nil)
	if err != nil {
		return nil, err
	}
	return t.Learn(ctx, candidates.Every(t.Model), t.Rest())
}

// base keeps the unit clauses of the task, with their weights as the means of the prior.
func base(ctx context.Context, t *Training) (*Trained, error) {
	return t.Learn(ctx, t.Model.With(t.ownUnitClauses()), t.Stream)
}

// ownUnitClauses returns the unit clauses of the task that are not candidates.
func (t *Training) ownUnitClauses() (out []*mln.Formula) {
	for _, f := range t.Model.Formulas {
		if (f.HasWeight || f.Hard) && t.isUnitClause(f) {
			out = append(out, f)
		}
	}
	return out
}

// isUnitClause reports whether a formula is the unit clause of a target predicate.
func (t *Training) isUnitClause(f *mln.Formula) bool {
	pred := f.UnitOf()
	return pred >= 0 && t.Model.Schema.Predicates[pred].Role.IsTarget()
}

// byGain selects by gain, with the options that change sets. This also gives weights; if they come from a sample of rows, they are the prior
// means of weights that are learned on all training subgraphs.
func byGain(change func(*resolwe.GainOptions)) func(context.Context, *Training) (*Trained, error) {
	return func(ctx context.Context, t *Training) (*Trained, error) {
		sel := t.Options.Select
		sel.Criterion, sel.Threshold = resolwe.Gain, nil
		sel.Gain.Counts = t.counts
		change(&sel.Gain)
		chosen, took, err := t.Select(ctx, sel)
		if err != nil {
			return nil, err
		}
		t.Options.Warn(chosen.NotForward)
		m, _ := chosen.Model(t.Model)
		added := -len(t.ownUnitClauses())
		for _, f := range m.Formulas {
			if t.isUnitClause(f) {
				added++
			}
		}
		out := &Trained{Model: m}
		sampled := func(g selecting.GainSelection) bool { return g.Sampled }
		if slices.ContainsFunc(chosen.Gain, sampled) {
			if out, err = t.Learn(ctx, m, t.Stream); err != nil {
				return nil, err
			}
		}
		out.Formulas, out.Seconds.Select, out.Doubts = len(m.Formulas)-added, took, chosen.Doubts
		return out, nil
	}
}
