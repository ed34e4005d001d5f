package crossval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/rank"
)

const candidates = `e(a, b)
f(b)
target q(a)
target listed r(b)
template L(x, y) = e(x, y) | e(x, y) ^ f(y) | !f(y)
L(x, y) => q(x)
e(x, y) => r(y)
e(x, y) ^ q(x) => r(y)
0.5 q(x)
`

// tested returns the test subgraphs as in results.
func tested(subs []*subgraph.Subgraph, folds [][]int) (out []crossval.Tested) {
	for fold, test := range folds {
		for _, i := range test {
			out = append(out, crossval.Tested{Entry: resolwe.Entry{Index: i, Name: subs[i].Name, Fold: subs[i].Fold, Time: subs[i].Time}, In: fold})
		}
	}
	return out
}

// named returns the systems with the given names.
func named(tb testing.TB, names ...string) []crossval.System {
	tb.Helper()
	out, err := crossval.Named(names...)
	check.OK(tb, err)
	return out
}

// compareTests checks that there are tests of three measures against each other system: of the means over subgraphs or, with few
// subgraphs in folds that share training data, of the means of folds.
func compareTests(t *testing.T, got *crossval.Result) {
	t.Helper()
	a, tests := &got.Systems[0], got.Tests
	for i := range got.Systems[1:] {
		b := &got.Systems[1+i]
		for _, m := range []struct {
			measure string
			of      func(*resolwe.Evaluation) float64
			n       int
		}{
			{"map", func(e *resolwe.Evaluation) float64 { return e.MAP }, a.Ranked},
			{"auc_roc", func(e *resolwe.Evaluation) float64 { return e.AUCROC }, a.Ranked},
			{"cll", func(e *resolwe.Evaluation) float64 { return e.CLL }, a.Subgraphs},
		} {
			if len(tests) == 0 {
				t.Fatalf("no test of %s against %s", m.measure, b.Name)
			}
			c := tests[0]
			tests = tests[1:]
			n, difference, value := m.n, m.of(&a.Evaluation)-m.of(&b.Evaluation), c.T
			if got.Overlap > 0 && len(got.Tested) < 80 {
				n, difference, value = naiveTest(a.Folds, b.Folds, got.Overlap, m.of)
			}
			if c.Measure != m.measure || c.Against != b.Name || c.N != n || !(math.Abs(c.MeanDifference-difference) < 1e-9) {
				t.Errorf("got %+v, want %s against %s with mean difference %v of %d", c, m.measure, b.Name, difference, n)
			}
			if c.P > 0 && c.P < 1 && !(math.Abs(c.T-value) <= 1e-9*math.Abs(value)) {
				t.Errorf("%s against %s: t: got %v, want %v", m.measure, b.Name, c.T, value)
			}
		}
	}
	check.Empty(t, tests, "more tests")
}

// For the paper's tasks skipSelection learns 73 and 140 formulas.
func TestRun_NumberOfFormulas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, fact string
		want       int
	}{
		{"../examples/wikicollabs/wikicollabs.mln", "modifies(A1, U1)\n!modifies(A1, U2)\n", 73},
		{"../examples/delicious/delicious.mln", "cFriends(U1)\n!cFriends(U2)\n", 140},
	} {
		m, err := resolwe.ReadModel(test.file, resolwe.ModelOptions{})
		check.OK(t, err)
		var db strings.Builder
		for i := range 4 {
			fmt.Fprintf(&db, "@subgraph s%d center=U0\n%s", i, test.fact)
		}
		opt := crossval.Options{Systems: named(t, "paper", "skipSelection", "base")}
		opt.Select.Threshold = new(1.0)
		got, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, db.String()), opt)
		check.OK(t, err)
		want := [][]int{{0, 0, 0, 0}, {test.want, test.want, test.want, test.want}, {0, 0, 0, 0}}
		check.Equal(t, test.file, [][]int{got.Systems[0].Formulas, got.Systems[1].Formulas, got.Systems[2].Formulas}, want)
		for _, c := range got.Tests {
			if c.N != 4 || c.P != 1 && (c.Measure != "cll" || c.Against == "base") {
				t.Errorf("%s: all systems know the base rate alone: got %+v", test.file, c)
			}
		}
	}
}

// If both systems are the same, all differences are 0 and p is 1.
func TestRun_SameSystems(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\ne(x, y) => q(x)\n")
	opt := crossval.Options{Systems: named(t, "paper", "skipSelection")}
	opt.Select.Subgraphs, opt.Select.Threshold = 2, new(0.0)
	got, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, streamtest.IndependentDB(2, 12)), opt)
	check.OK(t, err)
	for _, c := range got.Tests {
		if want := (rank.Test{N: c.N, DF: c.N - 1, P: 1}); c.N != 4 || c.Test != want {
			t.Errorf("%s: got %+v, want %+v", c.Measure, c.Test, want)
		}
	}
}

// Positions that exceed 32 bits work like any other.
func TestRun_FarPositions(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	path := streamtest.File(t, "", "s.db", []byte(streamtest.IndependentDB(1, 12)))
	var results []*crossval.Result
	for _, first := range []int{0, 1 << 33} {
		s := streamtest.Open(t, m, resolwe.StreamOptions{First: first}, path)
		got, err := crossval.Run(t.Context(), m, s, crossval.Options{Select: resolwe.SelectOptions{Subgraphs: 3}, Systems: crossval.Systems()})
		check.OK(t, err)
		for _, part := range got.Parts {
			for i := range part {
				part[i] -= first
			}
		}
		results = append(results, got)
	}
	if diff := cmp.Diff(results[1], results[0], cmpopts.EquateNaNs(), cmpopts.IgnoreFields(resolwe.Entry{}, "Index")); diff != "" || results[0].Systems[0].Subgraphs != 12 {
		t.Errorf("(-far +near):\n%s", diff)
	}
}

// Both systems report the quality of the marginals of every subgraph.
func TestRun_Quality(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.TiedTask)
	opt := crossval.Options{Systems: named(t, "base", "skipSelection"), Folds: 3, LearnOn: crossval.LearnAll, Seed: 1}
	opt.Infer.Method, opt.Infer.Samples, opt.Infer.Stop = resolwe.MethodMCSAT, 50, func() bool { return true }
	got, err := crossval.Run(t.Context(), m.With(streamtest.Unweighted(m)), streamtest.InMemory(t, m, streamtest.RingsDB(30, 4, 40)), opt)
	check.OK(t, err)
	if q := got.Systems[1].Quality; q.Subgraphs != 3 || q.Sampled != 3 || q.RHat.Subgraph == "" {
		t.Errorf("got %+v", q)
	}
}

func TestRun_Errors(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	isOption := func(err error) bool { return errors.As(err, new(*resolwe.OptionError)) }
	isFold := func(err error) bool { return errors.As(err, new(*crossval.FoldError)) }
	for _, test := range []struct {
		name string
		set  func(*crossval.Options)
		is   func(error) bool
	}{
		{"nothing is left", func(o *crossval.Options) { o.LearnOn, o.Select.Subgraphs = crossval.LearnRest, 30 }, isFold},
		{"many folds", func(o *crossval.Options) { o.Folds = 9 }, isFold},
		{"one fold", func(o *crossval.Options) { o.Folds = 1 }, isOption},
		{"selection", func(o *crossval.Options) { o.Select.Subgraphs = -1 }, isOption},
		{"learning", func(o *crossval.Options) { o.Learn.Sigma = -1 }, isOption},
		{"inference", func(o *crossval.Options) { o.Infer.Chains = -1 }, isOption},
	} {
		opt := crossval.Options{Systems: crossval.Systems()}
		test.set(&opt)
		if _, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, streamtest.IndependentDB(1, 8)), opt); !test.is(err) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	opt := crossval.Options{Systems: named(t, "base"), LearnOn: crossval.LearnRest}
	_, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, streamtest.IndependentDB(1, 8)), opt)
	check.OK(t, err) // no system divides the training data
	pipe := streamtest.Open(t, m, resolwe.StreamOptions{Stdin: strings.NewReader(streamtest.IndependentDB(1, 8))}, "-")
	check.ErrorIs(t, check.Err(crossval.Run(t.Context(), m, pipe, crossval.Options{})), resolwe.ErrReadOnce, "pipe")
}

func ExampleRun() {
	m := streamtest.Try(resolwe.ReadModel("../testdata/week.mln", resolwe.ModelOptions{}))
	s := streamtest.Try(resolwe.OpenStream(m, []string{"../testdata/week.db"}, resolwe.StreamOptions{}))
	defer s.Close()
	opt := crossval.Options{Folds: 2, Select: resolwe.SelectOptions{Subgraphs: 1}}
	opt.Systems = streamtest.Try(crossval.Named("paper", "skipSelection", "base"))
	c := streamtest.Try(crossval.Run(context.Background(), m, s, opt))
	for _, system := range c.Systems {
		fmt.Printf("%s: MAP %.3f with %v formulas\n", system.Name, system.MAP, system.Formulas)
	}
	// Output:
	// paper: MAP 0.938 with [1 1] formulas
	// skipSelection: MAP 0.938 with [2 2] formulas
	// base: MAP 0.560 with [0 0] formulas
}

// With Test all systems are tested on the same few subgraphs of each fold, with the same figures for these as without.
func TestRun_Test(t *testing.T) {
	t.Parallel()
	j := newJob()
	all, err := j.run(t.Context(), t)
	check.OK(t, err)
	j.Test = 2
	some, err := j.run(t.Context(), t)
	check.OK(t, err)
	at := map[string]int{}
	for i, tested := range all.Tested {
		at[tested.Name] = i
	}
	folds := map[int]int{}
	for i, tested := range some.Tested {
		folds[tested.In]++
		for k := range some.Systems {
			check.Equal(t, some.Systems[k].Name+" in "+tested.Name, some.Systems[k].Figures[i], all.Systems[k].Figures[at[tested.Name]])
		}
		check.Equal(t, tested.Name, tested, all.Tested[at[tested.Name]])
	}
	check.Equal(t, "tested by fold", folds, map[int]int{0: 2, 1: 2, 2: 2, 3: 2})
	check.Equal(t, "overlap", []float64{some.Overlap, all.Overlap}, []float64{2. / 9, 3. / 9})
	compareTests(t, some)
	j.Test = 3 // the size of a fold
	same, err := j.run(t.Context(), t)
	check.OK(t, err)
	check.Equal(t, "all of a fold", same.Systems, all.Systems, cmpopts.EquateNaNs())
	j.Checkpoints.Resume = j.checkpoints[len(j.checkpoints)-1]
	j.Test = 2
	if _, err := j.run(t.Context(), t); err == nil || !strings.Contains(err.Error(), "crossval.Options.Test") {
		t.Errorf("a checkpoint of other test subgraphs: got %v", err)
	}
	j.Test = -1
	check.ErrorAs[*resolwe.OptionError](t, check.Err(j.run(t.Context(), t)), "-1")
}
