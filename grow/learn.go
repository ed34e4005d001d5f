package grow

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/grow"
)

// Types of the kernel.
type (
	// Probe is a kind of look-up.
	Probe = grow.Probe
	// Step is a list of probes that are made together, ordered by hop.
	Step = grow.Step
)

// FormulaError reports a formula or predicate for which no policy can be learned.
type FormulaError struct{ Subject, Reason string }

// Error names the formula or the predicate.
func (e *FormulaError) Error() string { return fmt.Sprintf("%s: %s", e.Subject, e.Reason) }

// IsUsage reports that the user must change the task.
func (*FormulaError) IsUsage() bool { return true }

// TooFewError says that a stream has too few subgraphs to learn from.
type TooFewError struct{ Subgraphs int }

// Error gives the number of subgraphs.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("the stream has %d subgraphs with atoms of known truth: when to stop is learned from %d at least", e.Subgraphs, leastSubgraphs)
}

// IsUsage reports that the user must give another stream.
func (*TooFewError) IsUsage() bool { return true }

const (
	leastSubgraphs = 10
	samples        = 32      // subgraphs on which costs are measured to choose the order
	mostCells      = 1 << 25 // candidate values from which the order is chosen
)

// Learn learns a policy from a stream whose model has candidates (formulas without a weight) for listed targets. Candidates with several
// target literals, or that look-ups from the query atoms and the center cannot reach, are left out with a warning. Results do not depend on
// the number of workers. The error is a *resolwe.OptionError, a *FormulaError, a *TooFewError, resolwe.ErrReadOnce, or one of reading the
// stream or selecting.
func Learn(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt Options) (*Policy, error) {
	if err := cmp.Or(m.Predicts(), opt.fill()); err != nil {
		return nil, err
	}
	if s.ReadOnce() {
		return nil, resolwe.ErrReadOnce
	}
	l := &learner{ctx: ctx, model: m, stream: s.WithoutCandidates(), opt: opt}
	if err := l.candidatesOf(); err != nil {
		return nil, err
	}
	if err := l.gather(); err != nil {
		return nil, err
	}
	sample, err := l.sample()
	if err != nil {
		return nil, err
	}
	out := &Policy{
		Schema: m.Schema, Centers: l.centers, Costs: l.opt.Costs, Keep: opt.Keep, Budget: opt.Budget, Seed: opt.Seed, model: m,
	}
	own, err := l.order(sample(), func(o *grow.Order, logOdds []float64) bool {
		return o.Next(l.rows.Gains(logOdds, len(l.candidates)))
	})
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(opt.Seed, 0))
	other, err := l.order(sample(), func(o *grow.Order, _ []float64) bool { return o.Pick(random.IntN) })
	if err != nil {
		return nil, err
	}
	traces, err := l.traces(own)
	if err != nil {
		return nil, err
	}
	out.Order, out.Random = own.stages, other.stages
	out.induce(traces)
	return out, nil
}

// learner holds the state of learning a policy.
type learner struct {
	ctx        context.Context //nolint:containedctx // of the run, which the struct is
	model      *resolwe.Model
	stream     *resolwe.Stream
	opt        Options
	centers    []bool
	candidates []*mln.Candidate
	plans      [][]grow.Plan

	origins map[string]origin // of the subgraphs, by name
	base    []*mln.Formula
	odds    []float64 // log-odds of the base rate, by predicate
	rows    grow.Rows // of the sampled subgraphs
}

// candidatesOf reads the candidates and plans how to fetch their evidence.
func (l *learner) candidatesOf() error {
	schema := l.model.Schema
	for _, p := range schema.Predicates {
		if p.Role == mln.RoleTarget {
			return &FormulaError{p.Name, "grow takes listed targets only: declare it `target listed`, as query atoms are what a center begins with"}
		}
	}
	for _, f := range l.model.Formulas {
		if f.HasWeight || f.Hard {
			return &FormulaError{mln.FormatRule(f), "grow takes candidates, formulas without weight or period: it fits a model to each prefix of the order"}
		}
	}
	all, _, err := mln.Candidates(&mln.Model{Schema: *schema, Formulas: l.model.Formulas})
	if err != nil {
		return err
	}
	if l.opt.Costs == nil {
		l.opt.Costs = grow.UnitCosts(schema)
	}
	l.centers = grow.CenterTypes(schema, l.model.Formulas)
	tied, unreached := 0, []string{}
	for _, c := range all {
		if len(c.Enforcer) > 1 {
			tied++
			continue
		}
		plans := grow.Plans(schema, c, l.centers, func(pred, at int) bool { return !math.IsInf(l.opt.Costs[pred][at].Call, 1) })
		if len(plans) == 0 {
			unreached = append(unreached, mln.FormatFormula(c.Joint()))
			continue
		}
		l.candidates, l.plans = append(l.candidates, c), append(l.plans, plans)
	}
	if tied > 0 {
		l.opt.Warn(fmt.Sprintf("%d candidates with several target literals are left out", tied))
	}
	if n := len(unreached); n > 0 {
		l.opt.Warn(fmt.Sprintf("look-ups cannot reach %d candidates, which are left out: %s", n, strings.Join(unreached[:min(n, 3)], "; ")))
	}
	if len(l.candidates) == 0 {
		return &FormulaError{"the task", "it has no candidate with one target literal that look-ups can reach"}
	}
	return nil
}

// ordered is an order with its models.
type ordered struct {
	stages  []Stage
	logOdds []map[string][]float64 // held-out log-odds of atoms of known truth, by stage, then subgraph
}

// order builds an order, choosing each bundle with next, and fits a model to each prefix.
func (l *learner) order(sample []*grow.Replay, next func(o *grow.Order, logOdds []float64) bool) (*ordered, error) {
	o := grow.NewOrder(l.plans, l.opt.Costs, sample)
	out := &ordered{stages: []Stage{{nil, l.base}}, logOdds: []map[string][]float64{nil}}
	logOdds := make([]float64, 0, len(l.rows.Truth))
	for _, s := range l.rows.Subgraphs {
		for pred, n := range l.origins[s.Name].atoms {
			logOdds = append(logOdds, slices.Repeat(l.odds[pred:pred+1], n)...)
		}
	}
	for {
		if len(out.stages) == l.opt.Steps {
			o.Rest()
		} else {
			next(o, logOdds)
		}
		if len(o.History) < len(out.stages) {
			return out, nil
		}
		formulas, held, err := l.fit(o, len(out.stages))
		if err != nil {
			return nil, err
		}
		out.stages = append(out.stages, Stage{o.History[len(o.History)-1], formulas})
		out.logOdds = append(out.logOdds, held)
		for i, s := range l.rows.Subgraphs {
			copy(logOdds[l.rows.Start[i]:l.rows.Start[i+1]], held[s.Name])
		}
	}
}

// fit selects a model from the candidates that are available after a step.
func (l *learner) fit(o *grow.Order, step int) (formulas []*mln.Formula, logOdds map[string][]float64, err error) {
	var some []*mln.Formula
	for c := range l.candidates {
		if o.Available(c) {
			some = append(some, l.candidates[c].Joint())
		}
	}
	m := l.model.With(some)
	opt := resolwe.SelectOptions{LogOdds: true, Run: l.opt.Stage(fmt.Sprintf("step %d", step))}
	opt.Gain = resolwe.GainOptions{Formulas: l.opt.Formulas, Seed: l.opt.Seed, Inner: selecting.InnerRandom}
	sel, err := resolwe.Select(l.ctx, m, l.stream, opt)
	if err != nil {
		return nil, nil, err
	}
	fitted, _ := sel.Model(m)
	for _, f := range fitted.Formulas {
		if f.HasWeight {
			formulas = append(formulas, f)
		}
	}
	logOdds = map[string][]float64{}
	for _, g := range sel.Gain { // by target, like query atoms
		for name, z := range g.LogOdds {
			logOdds[name] = append(logOdds[name], z...)
		}
	}
	return formulas, logOdds, nil
}

// traces replays the stream in an order, with held-out predictions.
func (l *learner) traces(o *ordered) (out []*grow.Trace, err error) {
	run := l.opt.Stage("replay")
	newScratch := predictors(l.ctx, l.model.Schema, o.stages[:1], &run)
	err = resolwe.Process(l.ctx, l.stream, &run, newScratch, func(base *predictor, sub *subgraph.Subgraph) (*grow.Trace, error) {
		return l.trace(o, base, sub.Complete(l.model.Schema))
	}, func(t *grow.Trace) error {
		if t != nil {
			out = append(out, t)
		}
		return nil
	})
	return out, err
}

// trace replays a subgraph. It returns nil if there are no held-out predictions for it.
func (l *learner) trace(o *ordered, base *predictor, sub *subgraph.Subgraph) (*grow.Trace, error) {
	all, query, err := base.predict(0, sub)
	if err != nil {
		return nil, err
	}
	atoms := scored(all, query)
	if len(atoms) == 0 || len(o.logOdds[len(o.logOdds)-1][sub.Name]) != len(atoms) {
		return nil, nil //nolint:nilnil // none
	}
	t := &grow.Trace{Subgraph: strings.Clone(sub.Name), Fold: l.fold(sub.Name), Atoms: len(atoms)}
	r := grow.NewReplay(l.model.Schema, sub, l.centers)
	p := make([]float64, len(atoms))
	for k, stage := range o.stages {
		for i := range p {
			if k > 0 {
				atoms[i].P = elementary.Sigmoid(o.logOdds[k][t.Subgraph][i])
			}
			p[i] = atoms[i].P
		}
		t.Ranked = t.Advance(r, stage.Step, nextStep(o.stages, k), l.opt.Costs).Observe(p, atoms)
	}
	return t, nil
}

// nextStep returns the step after a stage, nil after the last.
func nextStep(order []Stage, k int) Step {
	if k+1 < len(order) {
		return order[k+1].Step
	}
	return nil
}
