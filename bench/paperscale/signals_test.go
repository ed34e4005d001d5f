package paperscale_test

import (
	"testing"

	"resolwe"
	"resolwe/bench/paperscale"
	"resolwe/examples"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/selection"
)

// TestSignals selects the formulas of an example's task on what a recipe cuts: each planted formula is stronger, by a factor, than noise
// is in the mean, and noise is near the base rate.
func TestSignals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("statistics of one goroutine")
	}
	for _, tt := range []struct {
		task, recipe string
		factor       float64
	}{
		{"wikicollabs", "wikicollabs.recipe", 1.25},
		{"delicious", "generated.recipe", 1.1},
	} {
		t.Run(tt.task, func(t *testing.T) {
			t.Parallel()
			dir, stats := generate(t, tasks[tt.task], 0.01, 1)
			m, subs := build(t, tt.task, tt.recipe, dir)
			strength, noise, n, planted := map[string]float64{}, 0.0, 0.0, 0
			for _, f := range m.Formulas {
				mean := strengthOf(t, m, f, subs)
				strength[mln.FormatFormula(f)] = mean.Value()
				for _, s := range stats.Signals {
					if s.Role == paperscale.Noise && s.Formula == mln.FormatFormula(f) {
						noise += mean.Value() * float64(mean.Defined())
						n += float64(mean.Defined())
					}
				}
			}
			noise /= n
			if base := baseRate(m, subs); noise > 1.3*base {
				t.Errorf("noise has %.3f, want about the base rate %.3f", noise, base)
			}
			for _, s := range stats.Signals {
				value, ok := strength[s.Formula]
				if !ok {
					t.Errorf("%s is not in the task", s.Formula)
				}
				if s.Role == paperscale.Planted {
					planted++
					if value < tt.factor*noise {
						t.Errorf("%s: got %.3f, want at least %v times the noise %.3f", s.Formula, value, tt.factor, noise)
					}
				}
			}
			if planted == 0 {
				t.Error("nothing is planted")
			}
		})
	}
}

// build cuts the subgraphs of an example's task out of tables.
func build(t *testing.T, task, recipe, dir string) (*resolwe.Model, []*subgraph.Subgraph) {
	t.Helper()
	src, err := examples.FS.ReadFile(task + "/" + task + ".mln")
	check.OK(t, err)
	rules, err := examples.FS.ReadFile(task + "/" + recipe)
	check.OK(t, err)
	m, err := resolwe.ParseModel(task, src, resolwe.ModelOptions{})
	check.OK(t, err)
	var subs []*subgraph.Subgraph
	_, err = resolwe.Build(t.Context(), m, recipe, rules, resolwe.BuildOptions{Dir: dir}, func(s *subgraph.Subgraph) error {
		subs = append(subs, s.Clone())
		return nil
	})
	check.OK(t, err)
	return m, subs
}

// strengthOf returns the value that selection compares with theta. The formula is alone: together, two that differ in the order of their
// target literals are one candidate.
func strengthOf(t *testing.T, m *resolwe.Model, f *mln.Formula, subs []*subgraph.Subgraph) *selection.Mean {
	t.Helper()
	alone := *m
	alone.Formulas = []*mln.Formula{f}
	opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: len(subs)}
	sel, err := resolwe.Select(t.Context(), &alone, resolwe.NewStream(&alone, subs), opt)
	check.OK(t, err)
	stat := &sel.Candidates[0].Joint
	if given := sel.Candidates[0].Conditional; len(given) > 0 {
		stat = &given[len(given)-1]
	}
	return &stat.Mean
}

// baseRate is the mean share of the query atoms that are true.
func baseRate(m *resolwe.Model, subs []*subgraph.Subgraph) (sum float64) {
	for _, s := range subs {
		for i, p := range m.Schema.Predicates {
			if r := &s.Relations[i]; p.Role.IsTarget() {
				sum += float64(r.True.Len()) / float64(r.True.Len()+r.False.Len())
			}
		}
	}
	return sum / float64(len(subs))
}
