package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/rank"
)

// fitted is a subgraph as the final model predicts it.
type fitted struct {
	entry resolwe.Entry
	p     []float64    // by query atom; NaN if the atom was given or its truth is unknown
	known []fittedAtom // the other atoms; for a model with weights
}

// fittedAtom is a query atom with known truth.
type fittedAtom struct {
	inferring.Prediction
	pred int
}

// fit runs inference on the stream or, for a task tested on a sample of subgraphs, on that sample.
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
	opt.Stop = r.options.Budget.Part(.7).Stop()
	known := 0
	err = inferring.Infer(ctx, r.Final, s, opt, func(m *resolwe.Marginals) error {
		r.Quality.Add(m)
		f := fitted{entry: names[m.Index], p: slices.Clone(m.P)}
		for i, p := range m.P {
			if m.Truth(i) == subgraph.Unknown {
				r.decide(caseKey{m.Index, i}, Case{P: p, Subgraph: f.entry.Name, Time: f.entry.Time})
			}
			if !m.Predicted(i) {
				f.p[i] = math.NaN()
				continue
			}
			known++
			if pred, _ := m.Args(i); !r.Task {
				f.known = append(f.known, fittedAtom{inferring.Prediction{P: p, True: m.Truth(i) == subgraph.True}, pred})
			}
		}
		r.fitted = append(r.fitted, f)
		return nil
	})
	if opt.Stop != nil && opt.Stop() && len(r.fitted) < r.Fitted {
		r.expired(fmt.Sprintf("this model predicted %d of %d subgraphs", len(r.fitted), r.Fitted))
		r.Fitted = len(r.fitted)
		if err == nil && known == 0 {
			err = resolwe.ErrBudget
		}
	}
	switch {
	case err != nil:
		return err
	case known == 0:
		return ErrNoTruth
	}
	if !r.Task {
		r.evaluate()
	}
	return nil
}

// undecided is a case of unknown truth.
type undecided struct {
	Case
	key caseKey
}

// decide keeps a case of unknown truth, if it is among the most probable ones.
func (r *Report) decide(key caseKey, x Case) {
	if r.undecided = append(r.undecided, undecided{x, key}); len(r.undecided) == 2*mostUndecided {
		r.sortUndecided()
	}
}

// sortUndecided keeps the most probable cases of unknown truth, in order.
func (r *Report) sortUndecided() {
	slices.SortStableFunc(r.undecided, func(a, b undecided) int { return cmp.Compare(b.P, a.P) })
	r.undecided = r.undecided[:min(len(r.undecided), mostUndecided)]
}

// evaluate computes the figures of a model with weights, beside those of the base rates of the same data.
func (r *Report) evaluate() {
	atoms, positives := map[int]float64{}, map[int]float64{}
	entries := make([]resolwe.Entry, len(r.fitted))
	for i, f := range r.fitted {
		entries[i] = f.entry
		for _, a := range f.known {
			atoms[a.pred]++
			if a.True {
				positives[a.pred]++
			}
		}
	}
	systems := crossval.NewPrequential(entries, "model", "base rate")
	systems.Seed = r.options.Cross.Seed
	for _, f := range r.fitted {
		var model, base []inferring.Prediction
		for _, a := range f.known {
			model = append(model, a.Prediction)
			base = append(base, inferring.Prediction{P: positives[a.pred] / atoms[a.pred], True: a.True})
		}
		systems.Add(f.entry.Index, 0, rank.Evaluate(model), model)
		systems.Add(f.entry.Index, 1, rank.Evaluate(base), base)
	}
	r.Cross = systems.Result()
	r.Cross.Prequential, r.Cross.Systems[0].Quality = false, r.Quality // the model does not learn
}
