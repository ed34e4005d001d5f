package report

import (
	"context"
	"math"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
)

// gather collects the cases as models predicted them that had not seen them: of a task those of its cross-validation; else the given model's.
func (r *Report) gather(ctx context.Context, s *resolwe.Stream) error {
	r.origin = s.Origin()
	if !r.Task {
		r.gatherFitted()
		return nil
	}
	for _, text := range r.Cross.Systems[0].Models {
		var m *resolwe.Model
		if text != "" {
			read, err := resolwe.ParseModel("model of a fold", []byte(text), resolwe.ModelOptions{})
			if err != nil {
				return err
			}
			m = r.Model.With(read.Formulas)
		}
		r.models = append(r.models, m)
	}
	tested := -1
	opt := r.options.Cross.Infer
	opt.Run = r.options.Begin("cases", len(r.Cross.Tested))
	return r.Cross.Predictions(ctx, r.Model, s, opt, func(of *resolwe.Marginals, _ crossval.Tested, p [][]float64) error {
		tested++
		i := 0
		for at := range of.P {
			if !of.Predicted(at) {
				continue
			}
			all := make([]float64, len(p))
			for k := range p {
				all[k] = p[k][i]
			}
			i++
			pred, _ := of.Args(at)
			r.outOfFold = append(r.outOfFold, predicted{tested: tested, atom: at, pred: pred, p: all, truth: of.Truth(at) == subgraph.True})
		}
		return nil
	})
}

// gatherFitted takes the predictions of a model with weights, which is its own only fold, beside the base rate.
func (r *Report) gatherFitted() {
	for k, f := range r.fitted {
		known := 0
		for i, p := range f.p {
			if math.IsNaN(p) {
				continue
			}
			a := f.known[known]
			known++
			r.outOfFold = append(r.outOfFold, predicted{tested: k, atom: i, pred: a.pred, p: []float64{p, p}, truth: a.True})
		}
	}
}
