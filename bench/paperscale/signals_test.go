package paperscale_test

import (
	"math"
	"slices"
	"testing"

	"resolwe"
	"resolwe/bench/paperscale"
	"resolwe/examples"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// selected is what selection finds for the formulas of an example's task, each alone, on the subgraphs that a recipe cuts
// from the tables.
func selected(t *testing.T, task, recipe, dir string) map[string]paperscale.Signal {
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
	out := map[string]paperscale.Signal{}
	for _, f := range m.Formulas { // alone: together, two that differ in the order of their target literals are one candidate
		alone := *m
		alone.Formulas = []*mln.Formula{f}
		opt := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: len(subs)}
		sel, err := resolwe.Select(t.Context(), &alone, resolwe.NewStream(&alone, subs), opt)
		check.OK(t, err)
		c := &sel.Candidates[0]
		stat := &c.Joint
		if n := len(c.Conditional); n > 0 {
			stat = &c.Conditional[n-1]
		}
		out[mln.FormatFormula(f)] = paperscale.Signal{Value: stat.Mean.Value(), Defined: int(stat.Mean.Defined())}
	}
	return out
}

// The strengths that the report gives are those that selection finds on what the recipe cuts; what is planted stands out from
// the noise. The recipe of Delicious draws other strangers than the report: about as many as there are, so nearly the same.
func TestSignals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("statistics of one goroutine")
	}
	for _, tt := range []struct {
		task, recipe      string
		tolerance, factor float64
	}{
		{"wikicollabs", "wikicollabs.recipe", 1e-12, 1.25},
		{"delicious", "generated.recipe", .04, 1.1},
	} {
		t.Run(tt.task, func(t *testing.T) {
			t.Parallel()
			dir, stats := generate(t, tasks[tt.task], 0.01, 1)
			want := selected(t, tt.task, tt.recipe, dir)
			for _, s := range stats.Signals {
				if w, ok := want[s.Formula]; !ok || math.Abs(s.Value-w.Value) > tt.tolerance || s.Defined != w.Defined {
					t.Errorf("%s: got %v over %d, want %v over %d", s.Formula, s.Value, s.Defined, w.Value, w.Defined)
				}
			}
			checkRoles(t, stats, tt.factor)
		})
	}
}

// checkRoles checks that each planted formula is stronger than noise is in the mean, by the given factor, and that noise is
// about the base rate.
func checkRoles(t *testing.T, stats *paperscale.Stats, factor float64) {
	t.Helper()
	if !slices.ContainsFunc(stats.Signals, func(s paperscale.Signal) bool { return s.Role == paperscale.Planted }) {
		t.Error("nothing is planted")
	}
	noise, n := 0.0, 0
	for _, s := range stats.Signals {
		if s.Role == paperscale.Noise {
			noise += s.Value * float64(s.Defined)
			n += s.Defined
		}
	}
	noise /= float64(n)
	if noise > 1.3*stats.Base {
		t.Errorf("noise has %.3f, want about the base rate %.3f", noise, stats.Base)
	}
	for _, s := range stats.Signals {
		if s.Role == paperscale.Planted && s.Value < factor*noise {
			t.Errorf("%s: got %.3f, want at least %v times the noise %.3f", s.Formula, s.Value, factor, noise)
		}
	}
}
