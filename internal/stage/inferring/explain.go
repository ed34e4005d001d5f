package inferring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/explain"
	"resolwe/kernels/ground"
)

// ExplainOptions say what to explain.
type ExplainOptions struct {
	Subgraph   string  // its name
	Atom       string  // a query atom of it, as text; "" for all
	Groundings int     // maximum per formula; 0 for 3, negative for none
	Infer      Options // of the marginals
}

// listed returns how many things to list: 3 for 0, none for a negative number.
func listed(n int) int { return max(0, cmp.Or(n, 3)) }

// Explanation says why a query atom has its probability.
type Explanation = explain.Explanation

// Explain is resolwe.Explain, except that it passes results to emit, whose error ends it.
func Explain(ctx context.Context, m *run.Model, s *run.Stream, opt ExplainOptions, emit func(*Explanation) error) error {
	s, err := m.On(s)
	if err = cmp.Or(err, run.NeedsCallback(emit != nil)); err != nil {
		return err
	}
	newInferrer, err := opt.Infer.newInferrers(ctx, m)
	if err != nil {
		return err
	}
	var names []string // of the subgraphs, if known before reading them
	if !s.ReadOnce() {
		entries, err := s.Entries(ctx)
		if err != nil {
			return err
		}
		list := []int{}
		for _, e := range entries {
			names = append(names, e.Name)
			if e.Name == opt.Subgraph {
				list = append(list, e.Index)
			}
		}
		s = s.Pick(list)
	}
	found, near := false, ""
	err = run.Process(ctx, s, &opt.Infer.Run, newInferrer, func(f *inferrer, sub *subgraph.Subgraph) (*explanations, error) {
		if sub.Name != opt.Subgraph {
			return &explanations{}, nil
		}
		return f.explain(m, sub, &opt)
	}, func(r *explanations) error {
		near = cmp.Or(near, r.near)
		for _, e := range r.list {
			found = true
			if err := emit(e); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil || found:
		return err
	case opt.Atom == "":
		return &run.OptionError{Option: "ExplainOptions.Subgraph", Reason: fmt.Sprintf("the stream has no subgraph %q with query atoms", opt.Subgraph) + lex.DidYouMean(opt.Subgraph, names)}
	}
	return &run.OptionError{Option: "ExplainOptions.Atom", Reason: fmt.Sprintf("%q is no query atom to explain in a subgraph %q of the stream", opt.Atom, opt.Subgraph) + near}
}

// Behind calls work with each subgraph and a finder of what is behind the model's formulas there, by several workers, and passes its results
// to emit in the order of the stream.
func Behind[R any](
	ctx context.Context, m *run.Model, s *run.Stream, r *run.Run, work func(*explain.Finder, *subgraph.Subgraph) R, emit func(R) error,
) error {
	s, err := m.On(s)
	if err != nil {
		return err
	}
	newFinder := func() *explain.Finder { return explain.NewFinder(m.Schema, m.Formulas) }
	return run.Process(ctx, s, r, newFinder, func(x *explain.Finder, sub *subgraph.Subgraph) (out R, err error) {
		if err = x.Reset(sub); err == nil {
			out = work(x, sub)
		}
		return out, err
	}, emit)
}

// explanations are the explanations of a subgraph's query atoms.
type explanations struct {
	list []*Explanation
	near string // suggestion of another atom if there is none to explain
}

// explain explains the query atoms of a subgraph that are wanted.
func (f *inferrer) explain(m *run.Model, sub *subgraph.Subgraph, opt *ExplainOptions) (*explanations, error) {
	e, judging := explain.NewExplainer(m.Schema, m.Formulas, f.weights, listed(opt.Groundings)), explain.NewExplainer(m.Schema, nil, f.weights, 0)
	bind := func(e *explain.Explainer, sub *subgraph.Subgraph) (*Marginals, error) {
		r, err := f.marginals(sub)
		if err != nil {
			return nil, err
		}
		p := make([]float64, f.model.Net.NumAtoms)
		for i, v := range r.P {
			if at, ok := r.Atoms.Free(i); ok {
				p[at] = v
			}
		}
		e.Bind(f.model.Net, r.Atoms, p)
		return r, nil
	}
	f.helpers.Begin()
	defer f.helpers.End()
	r, err := bind(e, sub)
	if err != nil {
		return nil, err
	}
	var out []*Explanation
	for i := range r.P {
		at, free := r.Atoms.Free(i)
		if !free || opt.Atom != "" && m.Schema.Respell(opt.Atom) != r.Atom(i) {
			continue
		}
		judge := func(sub *subgraph.Subgraph) (float64, []explain.Reason, error) {
			_, err := bind(judging, sub)
			if errors.As(err, new(*ground.ViolationError)) || errors.As(err, new(*run.UnsatisfiableError)) {
				return 0, nil, nil // the evidence is needed for another reason
			}
			if err != nil {
				return 0, nil, err
			}
			x := judging.Odds(uint32(at)) // #nosec G115 -- an atom's place
			return x.LogOdds, x.Reasons, nil
		}
		x, err := e.Explain(i, judge)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	if len(out) > 0 || opt.Atom == "" {
		return &explanations{list: out}, nil
	}
	atoms := make([]string, len(r.P))
	for i := range atoms {
		atoms[i] = r.Atom(i)
	}
	return &explanations{near: lex.DidYouMean(opt.Atom, atoms)}, nil
}

// Firing says where a formula fires, that is, where its feature (see Features) is not 0, and how often its prediction is right
// there.
type Firing struct {
	Predicts    bool // it predicts that atoms are true, else that they are false
	Atoms, True int  // query atoms of the head's predicate with known truth, and how many are true
	Fires       int  // atoms for which it fires
	Right       int  // of these, atoms for which it is right
	// Right and wrong examples, the first in the stream.
	RightAt, WrongAt []FiringExample
}

// FiringExample is an atom for which a formula fires.
type FiringExample struct {
	Subgraph, Atom string
	Value          float64             // of the feature
	Groundings     [][]explain.Binding // the first in order of the entities
}

// FiringOptions say how many examples a Firing has. The zero value is valid.
type FiringOptions struct {
	Examples   int // maximum of each kind; 0 for 3, negative for none
	Groundings int // maximum per example; 0 for 3, negative for none
	Run        run.Run
}

// EvaluateFormula says where a formula of a model, given by its index, fires. If it has several target literals, the other atoms
// are set to their truth in the data. A formula with a negative weight predicts that its head is false. The error is an
// *OptionError if there is no such formula or it has no feature (see FeatureError). The stream must have been opened with
// StreamOptions.Names.
func EvaluateFormula(ctx context.Context, m *run.Model, s *run.Stream, formula int, opt FiringOptions) (*Firing, error) {
	s, err := m.On(s)
	if err != nil {
		return nil, err
	}
	if formula < 0 || formula >= len(m.Formulas) {
		return nil, &run.OptionError{Option: "EvaluateFormula.formula", Reason: fmt.Sprintf("0 to %d", len(m.Formulas)-1)}
	}
	f := m.Formulas[formula]
	headed, ok := f.Headed(m.Schema)
	alone := newFeaturePlan(m.With([]*mln.Formula{f}), FeatureOptions{Others: true})
	opt.Examples, opt.Groundings = listed(opt.Examples), listed(opt.Groundings)
	switch {
	case len(alone.leftOut) > 0:
		return nil, &run.OptionError{Option: "EvaluateFormula.formula", Reason: alone.leftOut[0].Reason}
	case !ok:
		return nil, &run.OptionError{Option: "EvaluateFormula.formula", Reason: "it is neither a conjunction of literals nor an implication of target literals by such a one"}
	}
	_, head := headed.Head()
	out := &Firing{Predicts: head.Negated == (f.Weight < 0)}
	var enough [2]atomic.Bool // enough wrong and right examples were found, so workers need not look for more
	newWorker := func() *firingWorker {
		finder := explain.NewFinder(m.Schema, []*mln.Formula{f})
		return &firingWorker{alone.newGrounders(ctx, &opt.Run), finder, head.Atom.Pred, out.Predicts, &opt, &enough}
	}
	err = run.Process(ctx, s, &opt.Run, newWorker, (*firingWorker).work, func(part *Firing) error {
		out.Atoms, out.True, out.Fires, out.Right = out.Atoms+part.Atoms, out.True+part.True, out.Fires+part.Fires, out.Right+part.Right
		out.RightAt = append(out.RightAt, part.RightAt[:min(len(part.RightAt), opt.Examples-len(out.RightAt))]...)
		out.WrongAt = append(out.WrongAt, part.WrongAt[:min(len(part.WrongAt), opt.Examples-len(out.WrongAt))]...)
		enough[0].Store(len(out.WrongAt) == opt.Examples)
		enough[1].Store(len(out.RightAt) == opt.Examples)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// firingWorker is a worker's memory.
type firingWorker struct {
	features *featureGrounders
	finder   *explain.Finder
	head     int // predicate
	predicts bool
	opt      *FiringOptions
	enough   *[2]atomic.Bool
}

// work returns where the formula fires in one subgraph.
func (w *firingWorker) work(sub *subgraph.Subgraph) (*Firing, error) {
	rows, err := w.features.rows(sub)
	if err != nil {
		return nil, err
	}
	out, bound := &Firing{}, false
	var value []float64
	lo, hi := rows.Atoms.Of(w.head)
	for i := lo; i < hi; i++ {
		truth := rows.Truth(i)
		if truth == subgraph.Unknown {
			continue
		}
		out.Atoms++
		if truth == subgraph.True {
			out.True++
		}
		if value = rows.Values(i, value); value[0] == 0 {
			continue
		}
		out.Fires++
		examples, enough := &out.WrongAt, &w.enough[0]
		if (truth == subgraph.True) == (w.predicts == (value[0] > 0)) { // the features of a shape may be negative
			out.Right++
			examples, enough = &out.RightAt, &w.enough[1]
		}
		if len(*examples) == w.opt.Examples || enough.Load() {
			continue
		}
		if !bound {
			if err := w.finder.Reset(sub); err != nil {
				return nil, err
			}
			bound = true
		}
		e := FiringExample{Subgraph: strings.Clone(sub.Name), Atom: rows.Atom(i), Value: value[0]}
		pred, args := rows.Atoms.Args(i, nil)
		for _, g := range w.finder.Groundings(0, explain.Atom{Pred: pred, Args: args}, w.opt.Groundings) {
			e.Groundings = append(e.Groundings, w.finder.Bindings(0, g))
		}
		*examples = append(*examples, e)
	}
	return out, nil
}
