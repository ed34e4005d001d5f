package resolwe

import (
	"context"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/kernels/gain"
)

// Samples that marginals are inferred with to judge formulas of several target literals.
const tiedSamples, tiedBurnIn = 150, 50

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
		return t.second.modelOf(&t.second.extension.ExtendedModel)
	}
	return t.modelOf(t.result.Model())
}

// tiedSteps returns the formulas of several target literals that are selected, without weights.
func (t *gainTarget) tiedSteps() (out []GainStep) {
	if t.second == nil {
		return nil
	}
	g := t.second
	for i, at := range g.extension.Extras {
		p := g.extension.Path[i]
		step := GainStep{Gain: p.Gain / float64(g.sample.Rows()), After: p.After}
		for row, v := range g.features[at].Values {
			if v != 0 {
				step.Support++
				if g.sample.Truth(row) {
					step.TrueRate++
				}
			}
		}
		step.TrueRate /= float64(step.Support)
		out = append(out, step)
	}
	if len(out) > 0 { // else another target has some
		out[len(out)-1].After = g.after
	}
	return out
}
