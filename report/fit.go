package report

import (
	"context"
	"math"
	"slices"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/kernels/rank"
)

// fitted is a subgraph as the final model predicts it.
type fitted struct {
	entry resolwe.Entry
	atoms []fittedAtom
}

// fittedAtom is a query atom. The probability is NaN where it was given, or its truth is unknown.
type fittedAtom struct {
	p    float64
	pred int32
	is   bool
}

// fit infers on the stream; for a task of which a sample of subgraphs was tested, on that sample.
func (r *Report) fit(ctx context.Context, s *resolwe.Stream) error {
	entries, err := s.Entries(ctx)
	if err != nil {
		return err
	}
	names := map[int]resolwe.Entry{}
	for _, e := range entries {
		names[e.Index] = e
	}
	r.Fitted = len(entries)
	if r.sampling() {
		tested := make([]int, len(r.Cross.Tested))
		for i, t := range r.Cross.Tested {
			tested[i] = t.Index
		}
		slices.Sort(tested)
		s, r.Fitted = s.Pick(tested), len(tested)
	}
	opt := r.options.Cross.Infer
	opt.Run = r.options.Begin("infer", r.Fitted)
	known := 0
	var best chooser
	err = resolwe.Infer(ctx, r.Final, s, opt, func(m *resolwe.Marginals) error {
		r.Quality.Add(m)
		f := fitted{names[m.Index], make([]fittedAtom, len(m.P))}
		for i, p := range m.P {
			pred, _ := m.Args(i)
			f.atoms[i] = fittedAtom{math.NaN(), int32(pred), m.Truth(i) == subgraph.True} // #nosec G115 -- a predicate
			if m.Truth(i) != subgraph.Unknown && !m.Given(i) {
				f.atoms[i].p = p
				known++
				best.look(m, i)
			}
		}
		r.fitted = append(r.fitted, f)
		return nil
	})
	switch {
	case err != nil:
		return err
	case known == 0:
		return ErrNoTruth
	}
	r.Examples = best.list()
	if !r.Task {
		r.evaluate()
	}
	return nil
}

// evaluate takes the figures of a model that has weights, beside those of the base rates of the same data.
func (r *Report) evaluate() {
	atoms, positives := map[int32]float64{}, map[int32]float64{}
	for _, f := range r.fitted {
		for _, a := range f.atoms {
			if !math.IsNaN(a.p) {
				atoms[a.pred]++
				if a.is {
					positives[a.pred]++
				}
			}
		}
	}
	model := r.outcome("model", func(a fittedAtom) float64 { return a.p })
	base := r.outcome("base rate", func(a fittedAtom) float64 { return positives[a.pred] / atoms[a.pred] })
	model.Quality = r.Quality
	r.Cross = &crossval.Result{Folds: 1, Finished: 1, Systems: []crossval.Outcome{model, base}}
	for _, f := range r.fitted {
		r.Cross.Tested = append(r.Cross.Tested, crossval.Tested{Entry: f.entry})
	}
	a, b := valuesOf(model.Figures), valuesOf(base.Figures)
	for i, measure := range []string{"map", "auc_roc", "cll"} { // not Brier
		r.Cross.Tests = append(r.Cross.Tests, crossval.Comparison{Measure: measure, Against: base.Name, Test: rank.PairedT(a[i], b[i])})
	}
}

// outcome evaluates probabilities of the atoms.
func (r *Report) outcome(name string, probability func(fittedAtom) float64) crossval.Outcome {
	var eval resolwe.Evaluator
	out := crossval.Outcome{Name: name}
	for _, f := range r.fitted {
		var scored []resolwe.Prediction
		for _, a := range f.atoms {
			if !math.IsNaN(a.p) {
				scored = append(scored, resolwe.Prediction{P: probability(a), True: a.is})
			}
		}
		figures := rank.Evaluate(scored)
		eval.AddFigures(figures, scored)
		out.Figures = append(out.Figures, figures)
	}
	out.Pooled = []resolwe.Pooled{eval.EndFold()}
	out.Evaluation = *eval.Evaluation()
	return out
}
