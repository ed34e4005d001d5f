package resolwe

import (
	"context"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/gain"
)

// Weights have settled once held-out probabilities differ by so little, as the root of the mean square. Where they do, a fit
// halves the distance at first, from about .1 on the data sets of BENCHMARKS.md.
const (
	settling  = 20
	settledAt = .005
)

// settle fits the weights again and again, each time at the held-out probabilities that the last ones lead to, until these stay
// as they are: then they are what inference has of the neighbours of an atom. It returns false where they do not, or predict
// held-out atoms no better than the first stages.
func (y *tying) settle(ctx context.Context, s []*Stream) (bool, error) {
	f := y.chosen()
	for range settling {
		change := 0.0
		for _, g := range y.stages {
			change = max(change, approach(g.logOdds, g.extension.HeldOut))
		}
		if gains := y.gains(); !gains || change < settledAt {
			return gains, nil
		}
		if err := f.compute(ctx, s); err != nil {
			return false, err
		}
		for _, g := range y.stages {
			var err error
			if g.extension, err = g.sample.Refit(g.extension, g.result, g.features, y.options(ctx)); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// gains reports whether a stage predicts held-out atoms better than the first one, by the expected values of their neighbours.
func (y *tying) gains() bool {
	return slices.ContainsFunc(y.stages, func(g *secondStage) bool {
		before, _ := g.sample.Judge(g.result.HeldOut[:g.sample.Rows()])
		after, _ := g.sample.Judge(g.extension.HeldOut)
		return after.CLL > before.CLL
	})
}

// approach moves log-odds half of the way to others, so that weights do not swing, and returns their distance before.
func approach(z, to []float64) float64 {
	d := distance(z, to)
	for i := range z {
		z[i] = (z[i] + to[i]) / 2
	}
	return d
}

// distance returns the root of the mean square of what the probabilities of log-odds differ by.
func distance(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		d := elementary.Sigmoid(a[i]) - elementary.Sigmoid(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(max(len(a), 1)))
}

// Samples that marginals are inferred with to judge formulas of several target literals: of all chains, and before those of each.
const tiedSamples, tiedBurnIn = 150, 25

// judge infers the marginals of the sampled subgraphs, those of each fold with the model that has not seen it. It returns
// whether they are better than the probabilities of the first stage, by the mean log-likelihoods of a subgraph's atoms in a
// fold.
func (y *tying) judge(ctx context.Context, s []*Stream) (bool, error) {
	burnIn, z := tiedBurnIn, make([][]float64, len(y.stages))
	for i, g := range y.stages {
		z[i] = make([]float64, g.sample.Rows())
	}
	for fold := range uint8(gain.Folds) {
		opt := InferOptions{Samples: tiedSamples, BurnIn: &burnIn, Seed: y.opt.Seed, Run: Run{Workers: y.run.Workers}}
		model, positions := y.foldModel(int(fold)), y.positionsOf(fold)
		take := func(r *Marginals) error {
			for i, g := range y.stages {
				row, n := g.rowsOf(r.Subgraph)
				if n == 0 || row >= len(z[i]) {
					continue
				}
				for at, end := r.atoms.Of(g.pred); at < end; at++ {
					if r.Truth(at) == subgraph.Unknown {
						continue
					}
					if g.sample.Fold()[row] == fold {
						p := min(max(r.P[at], 1e-9), 1-1e-9)
						z[i][row] = elementary.Log(p / (1 - p))
					}
					row++
				}
			}
			return nil
		}
		for _, part := range s {
			if err := Infer(ctx, model, part.Pick(positions), opt, take); err != nil {
				return false, err
			}
		}
	}
	var before, after []float64
	for i, g := range y.stages {
		var units []float64
		g.after, units = g.sample.Judge(z[i])
		_, first := g.sample.Judge(g.result.HeldOut[:g.sample.Rows()])
		before, after = append(before, first...), append(after, units...)
	}
	return better(after, before), nil
}

// better reports whether values are above others, pair by pair, by more than two standard errors of their mean difference.
func better(values, others []float64) bool {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for i, v := range values {
		mean += (v - others[i]) / n
	}
	for i, v := range values {
		d := v - others[i] - mean
		square += float64(d * d)
	}
	return mean > 2*math.Sqrt(square/(n*(n-1)))
}

// positionsOf returns the positions of the sampled subgraphs that have rows in a fold.
func (y *tying) positionsOf(fold uint8) (out []int) {
	for _, g := range y.stages {
		for _, name := range g.sample.Names() {
			if first, n := g.rowsOf(name); slices.Contains(g.sample.Fold()[first:first+n], fold) {
				out = append(out, y.positions[name])
			}
		}
	}
	return out
}

// foldModel returns the model that has not seen a fold.
func (y *tying) foldModel(fold int) *Model {
	formulas := y.model.given()
	for _, g := range y.stages {
		m := g.modelOf(&g.extension.FoldModels[fold])
		formulas = slices.Concat(m.formulas, withBias(y.model.Schema, formulas, g.pred, m.bias))
	}
	return y.model.With(formulas)
}

// gainModel is formulas with their weights, and the weight of the unit clause.
type gainModel struct {
	bias     float64
	formulas []*mln.Formula
}

func (m *gainModel) add(f mln.Formula, weight float64) {
	f.Weight, f.HasWeight = weight, true
	m.formulas = append(m.formulas, &f)
}

// modelOf returns formulas for a model of the target.
func (t *gainTarget) modelOf(m *gain.Model) *gainModel {
	out := &gainModel{bias: m.Bias}
	for i := range m.Columns {
		out.add(*t.formula(&m.Columns[i]), m.Weights[i])
	}
	return out
}

// model returns what is selected.
func (t *gainTarget) model() *gainModel {
	if t.second != nil {
		return t.second.modelOf(&t.second.extension.Model)
	}
	return t.modelOf(&t.result.Model)
}

// tiedSteps returns the formulas of several target literals that are selected, without weights.
func (t *gainTarget) tiedSteps() (out []GainStep) {
	if t.second == nil {
		return nil
	}
	g := t.second
	for _, p := range g.extension.Path[:g.extension.Size] {
		out = append(out, GainStep{Gain: p.Gain / float64(g.sample.Rows()), Support: p.Support, TrueRate: p.TrueRate, After: p.After})
	}
	if len(out) > 0 { // else another target has some
		out[len(out)-1].After = g.after
	}
	return out
}
