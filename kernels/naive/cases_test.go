package naive_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/naive"
)

// eachCase runs a test on every case that has a file of that pattern.
func eachCase(t *testing.T, pattern string, test func(t *testing.T, path string, c *task)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../../cmd/resolwe/testdata/cases/*", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no case has %s (%v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			c, err := load(readFile(t, filepath.Join(filepath.Dir(path), "model.mln")), readFile(t, filepath.Join(filepath.Dir(path), "facts.db")))
			check.OK(t, err)
			test(t, path, c)
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	check.OK(t, err)
	return string(b)
}

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	check.OK(t, json.Unmarshal([]byte(readFile(t, path)), &v))
	return v
}

func TestCounts_MatchesCases(t *testing.T) {
	t.Parallel()
	type counts struct {
		Subgraph string
		Counts   []float64
	}
	eachCase(t, "counts.json", func(t *testing.T, path string, c *task) {
		t.Helper()
		var got []counts
		for i, w := range c.worlds {
			got = append(got, counts{c.names[i], w.Values(c.model.Formulas)})
		}
		check.Equal(t, "counts", got, readJSON[[]counts](t, path), cmpopts.EquateApprox(0, 1e-9))
	})
}

func TestMarginals_MatchesCases(t *testing.T) {
	t.Parallel()
	eachCase(t, "exact.json", func(t *testing.T, path string, c *task) {
		t.Helper()
		_, err := os.Stat(filepath.Join(filepath.Dir(path), "given"))
		rules := naive.Rules{UnknownExist: true, Given: err == nil}
		want := readJSON[[]struct {
			Subgraph  string
			Marginals map[string]float64
		}](t, path)
		for i, w := range c.worlds {
			d, err := w.Enumerate(c.model.Formulas, nil, rules)
			check.OK(t, err)
			marginals := d.Marginals()
			free := 0
			for k, a := range w.QueryAtoms(rules) {
				if rules.Given && a.Stated {
					continue // the case leaves them out
				}
				free++
				if p := want[i].Marginals[c.atomName(a)]; math.Abs(marginals[k]-p) > 1e-9 {
					t.Errorf("%s, P(%s): got %v, want %v", c.names[i], c.atomName(a), marginals[k], p)
				}
			}
			if free != len(want[i].Marginals) {
				t.Errorf("%s: got %d query atoms, want %d", c.names[i], free, len(want[i].Marginals))
			}
		}
	})
}

// figures are what a case says of one variant of a candidate, null where undefined.
type figures struct {
	Mean     *float64
	Defined  int
	Value    *float64
	Selected *float64 `json:"selected_groundings"`
	True     *float64
	Expected *float64
}

func TestSelection_MatchesCases(t *testing.T) {
	t.Parallel()
	eachCase(t, "select-*.json", func(t *testing.T, path string, c *task) {
		t.Helper()
		want := readJSON[struct {
			K2         int
			Criterion  string
			Candidates []struct {
				Formula     string
				Joint       figures
				Conditional []figures
			}
		}](t, path)
		candidates, _, err := mln.Candidates(c.model)
		check.OK(t, err)
		if len(candidates) != len(want.Candidates) {
			t.Fatalf("got %d candidates, want %d", len(candidates), len(want.Candidates))
		}
		measure := paperFigures
		if want.Criterion != "" {
			measure = pooledFigures
		}
		for i, candidate := range candidates {
			joint, conditional := measure(c.worlds[:min(want.K2, len(c.worlds))], candidate)
			checkFigures(t, want.Candidates[i].Formula, want.Criterion, joint, want.Candidates[i].Joint)
			if len(conditional) != len(want.Candidates[i].Conditional) {
				t.Errorf("%s: got %d conditionals, want %d", want.Candidates[i].Formula, len(conditional), len(want.Candidates[i].Conditional))
				continue
			}
			for k := range conditional {
				checkFigures(t, want.Candidates[i].Formula, want.Criterion, conditional[k], want.Candidates[i].Conditional[k])
			}
		}
	})
}

func checkFigures(t *testing.T, formula, criterion string, got, want figures) {
	t.Helper()
	if criterion != "lift" {
		got.Value, want.Value = nil, nil
	}
	same := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9 })
	check.Equal(t, formula, got, want, same)
}

// paperFigures averages the quotients of the paper's two rules over the subgraphs.
func paperFigures(worlds []*naive.World, c *mln.Candidate) (joint figures, conditional []figures) {
	full := 1<<len(c.Enforcer) - 1
	average := func(base int) figures {
		var f figures
		sum := 0.0
		for _, w := range worlds {
			selected, _ := w.Selection(c)
			if selected[base] > 0 {
				f.Defined++
				sum += float64(selected[full]) / float64(selected[base])
			}
		}
		f.Mean = quotient(sum, float64(f.Defined))
		return f
	}
	for k := range c.Enforcer {
		if full > 1 {
			conditional = append(conditional, average(full&^(1<<k)))
		}
	}
	return average(0), conditional
}

// pooledFigures adds up the groundings for the criteria on the measured default distribution; Value is the lift.
func pooledFigures(worlds []*naive.World, c *mln.Candidate) (joint figures, conditional []figures) {
	full := 1<<len(c.Enforcer) - 1
	pool := func(base int) figures {
		var n, k, e float64
		for _, w := range worlds {
			selected, all := w.Selection(c)
			n += float64(selected[base])
			k += float64(selected[full])
			if all[base] > 0 {
				e += float64(selected[base]) * float64(all[full]) / float64(all[base])
			}
		}
		return figures{Value: quotient(k, e), Selected: &n, True: &k, Expected: &e}
	}
	for k := range c.Enforcer {
		if full > 1 {
			conditional = append(conditional, pool(full&^(1<<k)))
		}
	}
	return pool(0), conditional
}

func quotient(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	q := a / b
	return &q
}

// The penalised likelihood of a case is the given one at the given weights, and is flat there.
func TestLogLikelihood_MatchesCases(t *testing.T) {
	t.Parallel()
	eachCase(t, "fit.json", func(t *testing.T, path string, c *task) {
		t.Helper()
		want := readJSON[struct {
			Sigma     float64
			Weights   []struct{ Weight float64 }
			Objective float64
		}](t, path)
		fs := c.model.Formulas
		var w []float64
		objective, gradient := 0.0, make([]float64, len(fs))
		for i, x := range want.Weights {
			w = append(w, x.Weight)
			objective -= x.Weight * x.Weight / (2 * want.Sigma * want.Sigma)
			gradient[i] = -x.Weight / (want.Sigma * want.Sigma)
		}
		for _, world := range c.worlds {
			ll, err := oracle.LogLikelihood(world, fs, w)
			check.OK(t, err)
			d, err := world.Enumerate(fs, w, naive.Rules{})
			check.OK(t, err)
			objective += ll
			mean := d.Mean()
			for i, n := range world.Values(fs) {
				gradient[i] += n - mean[i]
			}
		}
		if math.Abs(objective-want.Objective) > 1e-9 {
			t.Errorf("objective: got %v, want %v", objective, want.Objective)
		}
		if slices.ContainsFunc(gradient, func(g float64) bool { return math.Abs(g) > 1e-5 }) {
			t.Errorf("gradient at the optimum: got %v, want 0", gradient)
		}
	})
}
