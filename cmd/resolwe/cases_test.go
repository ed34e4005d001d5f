package main_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// TestCases holds the program against the results of a brute-force oracle: each folder has a model, facts and what is
// to come out.
func TestCases(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/cases/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			c := &conformance{dir, filepath.Join(dir, "model.mln"), filepath.Join(dir, "facts.db")}
			checks := map[string]func(*testing.T){
				"expand.json": c.expand, "counts.json": c.counts, "exact.json": c.marginals, "map.json": c.mode, "eval.json": c.eval,
				"fit.json": c.fit,
			}
			selects, _ := filepath.Glob(filepath.Join(dir, "select-*.json"))
			for _, path := range selects {
				checks[filepath.Base(path)] = func(t *testing.T) {
					t.Helper()
					c.selection(t, path)
				}
			}
			ran := 0
			for name, check := range checks {
				if c.has(name) {
					ran++
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						check(t)
					})
				}
			}
			if ran == 0 {
				t.Error("nothing to check")
			}
		})
	}
}

// conformance is a case.
type conformance struct{ dir, model, facts string }

func (c *conformance) has(name string) bool {
	_, err := os.Stat(filepath.Join(c.dir, name))
	return err == nil
}

// canonical returns a text of a formula that does not depend on the names of variables or the order of literals. In place of => may
// stand |.
func (c *conformance) canonical(t *testing.T, text string) string {
	t.Helper()
	m, err := mln.Parse(c.model, contents(t, c.model), mln.Options{})
	check.OK(t, err)
	text = strings.ReplaceAll(strings.TrimRight(text, ". "), " | ", " => ")
	m, err = mln.Parse("formula", []byte(m.Declarations()+"1 "+text), mln.Options{})
	check.OK(t, err)
	return mln.Canonical(m.Formulas[0])
}

// canonicals is canonical of several, sorted.
func (c *conformance) canonicals(t *testing.T, texts []string) []string {
	t.Helper()
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = c.canonical(t, text)
	}
	slices.Sort(out)
	return out
}

func (c *conformance) expand(t *testing.T) {
	t.Helper()
	type expansion struct {
		Formulas []string
		Count    int
	}
	want, got := loaded[expansion](t, c.dir, "expand.json"), printed[expansion](t, "expand", c.model)
	check.Equal(t, "formulas", c.canonicals(t, got.Formulas), c.canonicals(t, want.Formulas))
	check.Equal(t, "count", got.Count, len(got.Formulas))
}

// selected is what select prints.
type selected struct {
	K2         int
	Theta      float64
	Criterion  string
	Candidates []struct {
		Formula     string
		Joint       statistic
		Conditional []statistic
		Selected    []string
	}
}

// statistic is one variant's; its fields that a criterion does not have stay nil or 0.
type statistic struct {
	Mean, Value, Expected *float64
	Defined, True         int64
	Selected              int64 `json:"selected_groundings"`
}

// compare orders statistics of one candidate.
func (s statistic) compare(o statistic) int {
	return cmp.Or(
		cmp.Compare(rounded(s.Mean), rounded(o.Mean)), cmp.Compare(rounded(s.Value), rounded(o.Value)),
		cmp.Compare(rounded(s.Expected), rounded(o.Expected)),
		cmp.Compare(s.Defined, o.Defined), cmp.Compare(s.True, o.True), cmp.Compare(s.Selected, o.Selected),
	)
}

// rounded makes nearly equal numbers equal. An undefined one comes before all.
func rounded(v *float64) float64 {
	if v == nil {
		return math.Inf(-1)
	}
	return math.Round(*v * 1e9)
}

// near compares floats, null ones too.
func near(tolerance float64) gocmp.Option {
	return gocmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= tolerance })
}

func (c *conformance) selection(t *testing.T, path string) {
	t.Helper()
	want := loaded[selected](t, path)
	got := printed[selected](t, "select", c.model, "--stream", c.facts, "--k2", strconv.Itoa(want.K2),
		"--theta", fmt.Sprint(want.Theta), "--criterion", cmp.Or(want.Criterion, "paper"))
	check.Is(t, len(got.Candidates), len(want.Candidates), "candidates")
	at := map[string]int{}
	candidate := strings.NewReplacer("=>", "^") // as a conjunction, whichever target literal is the head
	for i, g := range got.Candidates {
		at[c.canonical(t, candidate.Replace(g.Formula))] = i
	}
	for _, w := range want.Candidates {
		i, ok := at[c.canonical(t, candidate.Replace(w.Formula))]
		if !ok {
			t.Errorf("no candidate %s", w.Formula)
			continue
		}
		g := got.Candidates[i]
		slices.SortFunc(g.Conditional, statistic.compare)
		slices.SortFunc(w.Conditional, statistic.compare)
		check.Equal(t, w.Formula, append(g.Conditional, g.Joint), append(w.Conditional, w.Joint), near(1e-9))
		check.Equal(t, "selected from "+w.Formula, c.canonicals(t, g.Selected), c.canonicals(t, w.Selected))
	}
}

func (c *conformance) counts(t *testing.T) {
	t.Helper()
	type counts struct {
		Subgraph string
		Counts   []float64
	}
	got, want := printed[[]counts](t, "counts", c.model, "--stream", c.facts), loaded[[]counts](t, c.dir, "counts.json")
	check.Equal(t, "counts", got, want, near(1e-9))
}

// marginals is what infer prints for a subgraph.
type marginals struct {
	Subgraph  string
	Marginals map[string]float64
}

// compareMarginals checks the errors of marginals against bounds on their mean and on the worst.
func compareMarginals(t *testing.T, got, want []marginals, mean, worst float64) {
	t.Helper()
	bySubgraph := map[string]map[string]float64{}
	for _, g := range got {
		bySubgraph[g.Subgraph] = map[string]float64{}
		for atom, p := range g.Marginals {
			bySubgraph[g.Subgraph][strings.ReplaceAll(atom, " ", "")] = p
		}
	}
	sum, largest, n := 0.0, 0.0, 0
	for _, w := range want {
		for atom, p := range w.Marginals {
			q, ok := bySubgraph[w.Subgraph][strings.ReplaceAll(atom, " ", "")]
			if !ok {
				t.Fatalf("no marginal of %s in subgraph %s", atom, w.Subgraph)
			}
			sum += math.Abs(p - q)
			largest = max(largest, math.Abs(p-q))
			n++
		}
	}
	if n == 0 || sum/float64(n) > mean || largest > worst {
		t.Errorf("%d marginals: got mean error %.2g and worst %.2g, want at most %g and %g", n, sum/float64(n), largest, mean, worst)
	}
}

// manySamples is how many samples meet the bounds on errors with room to spare; in short, just so.
func manySamples() string {
	if testing.Short() {
		return "2000"
	}
	return "5000"
}

func (c *conformance) marginals(t *testing.T) {
	t.Helper()
	want := loaded[[]marginals](t, c.dir, "exact.json")
	for _, tt := range []struct {
		method      string
		mean, worst float64
	}{{"auto", 1e-9, 1e-8}, {"mcsat", 0.005, 0.02}} {
		t.Run(tt.method, func(t *testing.T) {
			t.Parallel()
			args := []string{
				"infer", c.model, "--stream", c.facts, "--method", tt.method, "--samples", manySamples(), "--burn-in", "500",
				"--chains", "4", "--seed", "7",
			}
			if c.has("given") {
				args = append(args, "--given")
			}
			compareMarginals(t, printed[[]marginals](t, args...), want, tt.mean, tt.worst)
		})
	}
}

func (c *conformance) eval(t *testing.T) {
	t.Helper()
	got := printed[map[string]any](t, "eval", c.model, "--stream", c.facts, "--marginals", filepath.Join(c.dir, "marginals.json"))
	for measure, w := range loaded[map[string]any](t, c.dir, "eval.json") {
		check.Equal(t, measure, got[measure], w, near(1e-9))
	}
}

func (c *conformance) mode(t *testing.T) {
	t.Helper()
	type mode struct {
		Subgraph  string
		State     map[string]int
		LogWeight float64
		Exact     bool
	}
	want := loaded[[]mode](t, c.dir, "map.json")
	for i := range want {
		want[i].Exact = true
	}
	check.Equal(t, "states", printed[[]mode](t, "map", c.model, "--stream", c.facts), want, near(1e-9))
	found := printed[[]mode](t, "map", c.model, "--stream", c.facts, "--method", "search")
	for i := range found {
		found[i].Exact = true
	}
	check.Equal(t, "states by search", found, want, near(1e-9))
}

// weights is what learn prints.
type weights struct {
	Sigma   float64
	Weights []struct {
		Formula string
		Weight  float64
	}
}

// compareWeights checks the worst error of weights.
func (c *conformance) compareWeights(t *testing.T, got, want weights, tolerance float64) {
	t.Helper()
	byFormula := map[string]float64{}
	for _, g := range got.Weights {
		byFormula[c.canonical(t, g.Formula)] = g.Weight
	}
	for _, w := range want.Weights {
		g, ok := byFormula[c.canonical(t, w.Formula)]
		if !ok || math.Abs(g-w.Weight) > tolerance {
			t.Errorf("%s: got weight %v, want %v within %g", w.Formula, g, w.Weight, tolerance)
		}
	}
}

func (c *conformance) fit(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("thousands of passes")
	}
	want := loaded[weights](t, c.dir, "fit.json")
	learn := func(method, exact string) weights {
		return printed[weights](t, "learn", c.model, "--stream", c.facts, "--sigma", fmt.Sprint(want.Sigma),
			"--method", method, "--exact", exact, "--passes", "3000", "--seed", "3")
	}
	c.compareWeights(t, learn("pcd", "never"), want, 0.05)
	if !strings.Contains(c.dir, "collective") {
		c.compareWeights(t, learn("cd", "auto"), want, 1e-3)
	}
}

// TestPeerMarginals infers on the models that existing systems were measured on.
func TestPeerMarginals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, target string
	}{
		{"smokers", "Smokes,Cancer"},
		{"link", "m"},
		{"linkstrong", "m"}, // near-deterministic
		{"hardprobe", "m"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base := filepath.Join("testdata/peers/small", tt.name)
			want := loaded[marginals](t, base+".exact.json")
			want.Subgraph = tt.name
			args := []string{"infer", base + ".mln", "--target", tt.target, "--stream", base + ".db", "--given"}
			compareMarginals(t, printed[[]marginals](t, args...), []marginals{want}, 1e-9, 1e-9)
			args = append(args, "--method", "mcsat", "--samples", manySamples(), "--seed", "1")
			compareMarginals(t, printed[[]marginals](t, args...), []marginals{want}, 0.005, 0.02)
		})
	}
}

// TestPeerWeights learns by sampling towards the exact optimum.
func TestPeerWeights(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of passes")
	}
	got := printed[weights](t, "learn", "testdata/peers/learn/link0.mln", "--target", "m", "--stream", "testdata/peers/learn",
		"--sigma", "2", "--method", "pcd", "--exact", "never", "--passes", "2000", "--seed", "1")
	want := loaded[struct{ Weights []float64 }](t, "testdata/peers/learn/exact_sd2.json").Weights
	check.MustIs(t, len(got.Weights), len(want), "weights")
	for i, w := range want {
		if g := got.Weights[i]; g.Weight < w-0.05 || g.Weight > w+0.05 {
			t.Errorf("%s: got weight %v, want %v within 0.05", g.Formula, g.Weight, w)
		}
	}
}
