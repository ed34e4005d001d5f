package learning_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/internal/stage/learning"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"
)

func weights(fs []*mln.Formula) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = f.Weight
	}
	return out
}

// penalised is the penalised log-likelihood by enumeration.
func penalised(t *testing.T, ws []*oracle.World, fs []*mln.Formula, w, mean []float64, sigma float64) float64 {
	t.Helper()
	sum := 0.0
	for _, world := range ws {
		ll, err := oracle.LogLikelihood(world, fs, w)
		check.OK(t, err)
		sum += ll
	}
	for i, f := range fs {
		if d := w[i] - mean[i]; !f.Hard {
			sum -= d * d / (2 * sigma * sigma)
		}
	}
	return sum
}

// optimum maximises the penalised log-likelihood on enumerated expectations.
func optimum(t *testing.T, ws []*oracle.World, fs []*mln.Formula, mean []float64, sigma float64) []float64 {
	t.Helper()
	w, err := oracle.Optimum(ws, fs, mean, sigma)
	check.OK(t, err)
	return w
}

func TestLearn_ReachesTheOptimum(t *testing.T) {
	t.Parallel()
	m := parse(t, independent)
	const n = 6
	subs := subgraphs(t, m, independentDB(3, n))
	mean := []float64{0.5, 0, -1, 0, 0}
	for _, sigma := range []float64{0.5, 2, 10} {
		var want []float64
		for _, method := range []resolwe.LearnMethod{resolwe.CD, resolwe.PCD, resolwe.AdaGrad} {
			opt := resolwe.LearnOptions{Objective: true, Sigma: sigma, Passes: 200, Method: method}
			if method == resolwe.AdaGrad {
				opt.Passes, opt.Batch = 2000, n
			}
			got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			fs := got.Model.Formulas
			if len(fs) != len(mean) || got.Subgraphs != n || !got.Exact {
				t.Fatalf("got %d formulas from %d subgraphs, exact %v", len(fs), got.Subgraphs, got.Exact)
			}
			if want == nil {
				want = optimum(t, worlds(m, subs), fs, mean, sigma)
			}
			for i, f := range fs {
				check.Near(t, f.Weight, want[i], 1e-3, "sigma %v, method %v, %s", sigma, method, mln.FormatFormula(f))
			}
			objective := penalised(t, worlds(m, subs), fs, weights(fs), mean, sigma)
			check.Near(t, got.Objective, objective, 1e-9*math.Abs(objective), "objective")
		}
	}
}

// Subgraphs whose data violate a hard formula are left out, by each method: the weights and the objective are those of the others, by
// enumeration.
func TestLearn_Violations(t *testing.T) {
	t.Parallel()
	const task = "busy(st)\nlike(st, st)\ntarget free(st)\nlike(s, t) ^ free(s) => free(t).\n1 busy(s) ^ free(s)\nlike(s, t) ^ busy(t) ^ free(s)\n"
	const sound, first, second = "@subgraph a\nbusy(S1)\nlike(S2, S1)\nfree(S1)\n@entity st S3\n@subgraph b\nbusy(S1)\nlike(S1, S2)\nfree(S3)\n@subgraph c\nfree(S1)\nbusy(S1)\nlike(S1, S2)\nfree(S2)\n",
		"@subgraph x\nbusy(S1)\nfree(S1)\nlike(S1, S2)\n", "@subgraph y\nbusy(S2)\n@entity st S1\nlike(S1, S2)\nlike(S2, S3)\nfree(S1)\n"
	m := parse(t, task)
	subs := subgraphs(t, m, first+sound+second)
	var want []float64
	for name, opt := range map[string]resolwe.LearnOptions{
		"exact": {}, "exact, reread": {CacheBytes: -1}, "cd": {Method: resolwe.CD, Passes: 400}, "pcd": {Method: resolwe.PCD, Passes: 400}, "batches": {Method: resolwe.CD, Passes: 400, Batch: 2},
	} {
		opt.Objective = true
		s := resolwe.NewStream(m, subs)
		got, err := resolwe.Learn(t.Context(), m, s, opt)
		check.OK(t, err)
		fs := got.Model.Formulas
		mean, ws := []float64{0, 1, 0, 0}, worlds(m, subs)[1:4]
		if want == nil {
			want = optimum(t, ws, fs, mean, 2)
		}
		for i, f := range fs {
			check.Near(t, f.Weight, want[i], 1e-3, "%s: %s", name, mln.FormatFormula(f))
		}
		check.Near(t, got.Objective, penalised(t, ws, fs, weights(fs), mean, 2), 1e-9, "%s: objective", name)
		violated, n := s.Violations()
		check.Equal(t, name, []any{violated.Subgraph, n}, []any{"x", 2})
	}
}

// The objective is the naive one on tasks of any shape, with hard formulas and atoms that are tied.
func TestLearn_Objective(t *testing.T) {
	t.Parallel()
	checked, broken := 0, 0
	for seed := range uint64(80) {
		text, db := random(seed, oracle.TaskOptions{General: true, Hard: seed%2 == 0, MaxAtoms: 9})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		opt := resolwe.LearnOptions{Objective: true, Sigma: 2, Passes: 3}
		got, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
		if errors.As(err, new(*resolwe.SubgraphError)) {
			continue // hard formulas that the evidence violates
		}
		if err != nil || !got.Exact && !got.Unlabeled {
			t.Fatalf("seed %d: %+v, %v", seed, got, err)
		}
		fs := got.Model.Formulas
		mean := append(weights(m.Formulas), make([]float64, len(fs)-len(m.Formulas))...)
		possible := slices.DeleteFunc(worlds(m, subs), func(w *oracle.World) bool {
			return math.IsInf(penalised(t, []*oracle.World{w}, fs, weights(fs), mean, opt.Sigma), -1)
		})
		if len(possible) < len(subs) {
			broken++
		}
		want := penalised(t, possible, fs, weights(fs), mean, opt.Sigma)
		if got.Unlabeled {
			want = 0
		}
		if !(math.Abs(got.Objective-want) <= 1e-8*(1+math.Abs(want))) && got.Objective != want {
			t.Errorf("seed %d: got %v, want %v", seed, got.Objective, want)
		}
		checked++
	}
	if checked < 40 || broken == 0 {
		t.Errorf("%d tasks were checked, in %d of them the data breaks a hard formula", checked, broken)
	}
}

// Results are the same for any number of workers, from any form of stream, with the ground networks kept or not.
func TestLearn_SameBytes(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(9))
	plain := pack(t, m.Schema, subs, rsg.WriterOptions{})
	streams := map[string]*resolwe.Stream{
		"memory": resolwe.NewStream(m, subs), "mapped": open(t, m, resolwe.StreamOptions{}, file(t, "", "s.rsg", plain)),
		"archive": open(t, m, resolwe.StreamOptions{}, file(t, "", "s.rsg.gz", archivetest.Gzip(plain))),
		"text":    open(t, m, resolwe.StreamOptions{}, file(t, "", "s.db", []byte(tiedDB(9)))),
	}
	results := map[string]bool{}
	for _, set := range []func(*resolwe.LearnOptions){
		func(o *resolwe.LearnOptions) {},
		func(o *resolwe.LearnOptions) { o.Passes = 0 },
		func(o *resolwe.LearnOptions) { o.Batch = 4 },
		func(o *resolwe.LearnOptions) { o.Sample, o.Batch = true, 4 },
		func(o *resolwe.LearnOptions) { o.Sample, o.Method = true, resolwe.PCD },
		func(o *resolwe.LearnOptions) { o.Sample, o.Method, o.Batch = true, resolwe.PCD, 100 },
		func(o *resolwe.LearnOptions) { o.Sample, o.Seed = true, 2 },
		func(o *resolwe.LearnOptions) { o.Sample, o.Sampler = true, resolwe.MethodMCSAT },
		func(o *resolwe.LearnOptions) { o.Skip = 3 },
		func(o *resolwe.LearnOptions) { o.Method, o.Passes = resolwe.AdaGrad, 0 },
		func(o *resolwe.LearnOptions) { o.Method, o.Batch = resolwe.AdaGrad, 4 },
		func(o *resolwe.LearnOptions) { o.Method, o.Passes = resolwe.CDA, 0 },
		func(o *resolwe.LearnOptions) { o.Method, o.Batch = resolwe.CDA, 4 },
	} {
		opt := resolwe.LearnOptions{Objective: true, Passes: 4}
		set(&opt)
		want := ""
		for _, cache := range []int{0, 1000, 3000, 9000, -1} {
			opt.CacheBytes = cache
			for name, s := range streams {
				for _, workers := range []int{1, 2, 3, 7, 16} {
					if opt.Run = streamtest.Yielding(workers); name != "memory" && workers != 3 {
						continue
					}
					learned, err := resolwe.Learn(t.Context(), m, s, opt)
					check.OK(t, err)
					got := fmt.Sprint(rules(learned.Model.Formulas), learned.Objective, learned.Exact, learned.Subgraphs)
					if want == "" {
						want = got
					}
					check.Equal(t, fmt.Sprintf("%s, cache of %d, %d workers", name, cache, workers), got, want)
				}
			}
		}
		if results[want] {
			t.Errorf("options made no difference: %s", want)
		}
		results[want] = true
	}
}

// The size of a mini-batch is that of the options, else by the length of the stream.
func TestLearnOptions_BatchOf(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]int{{0, 1, 1}, {0, 511, 1}, {0, 512, 2}, {0, 1785, 6}, {0, 100_000, 8}, {3, 2, 2}, {3, 100_000, 3}} {
		opt := resolwe.LearnOptions{Batch: c[0]}
		check.Equal(t, fmt.Sprint(c), opt.BatchOf(c[1]), c[2])
	}
}

// What is kept of the networks, from the pseudo-likelihood on, and with what they are prepared, changes no weight.
func TestLearn_Kept(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	s := resolwe.NewStream(m, subgraphs(t, m, tiedDB(9)))
	want := ""
	for _, cache := range []int{-1, 0, 2000, 5000, 9000, 14_000, 20_000} {
		learned, err := resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{Sample: true, CacheBytes: cache, Run: resolwe.Run{Workers: 3}})
		check.OK(t, err)
		got := fmt.Sprint(rules(learned.Model.Formulas), learned.Passes)
		if want == "" {
			want = got
		}
		check.Equal(t, fmt.Sprintf("cache of %d", cache), got, want)
	}
}

func TestLearn_Pipe(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	learn := func(set func(*resolwe.LearnOptions), stdin string) (*resolwe.Learned, error) {
		opt := resolwe.LearnOptions{Objective: true}
		set(&opt)
		s := inMemory(t, m, tiedDB(6))
		if stdin != "" {
			s = open(t, m, resolwe.StreamOptions{Stdin: strings.NewReader(stdin)}, "-")
		}
		return resolwe.Learn(t.Context(), m, s, opt)
	}
	want, err := learn(func(o *resolwe.LearnOptions) { o.Skip, o.Passes = 1, 1 }, "")
	check.OK(t, err)
	got, err := learn(func(o *resolwe.LearnOptions) { o.Skip, o.Subgraphs = 1, 6 }, tiedDB(6))
	if err != nil || !cmp.Equal(rules(got.Model.Formulas), rules(want.Model.Formulas)) || got.Objective != want.Objective || got.Subgraphs != 5 {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	check.ErrorIs(t, check.Err(learn(func(o *resolwe.LearnOptions) { o.Subgraphs, o.Passes = 6, 2 }, tiedDB(6))), resolwe.ErrReadOnce, "two passes")
	for name, set := range map[string]func(*resolwe.LearnOptions){
		"LearnOptions.Subgraphs": func(*resolwe.LearnOptions) {},
		"resolwe.Stream":         func(o *resolwe.LearnOptions) { o.Skip, o.Subgraphs = 6, 6 },
	} {
		_, err := learn(set, tiedDB(6))
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != name {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err = learn(func(o *resolwe.LearnOptions) { o.Subgraphs = 6 }, string(pack(t, m.Schema, nil, rsg.WriterOptions{})))
	if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != "resolwe.Stream" {
		t.Errorf("empty pipe: got %v", err)
	}
}

// Hard formulas keep their period, and weights of the model are the prior's mean.
func TestLearn_Models(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget q(a)\ntarget p(a)\n3 e(x) => q(x)\np(x) => q(x).\n!p(x)\n")
	opt := resolwe.LearnOptions{Objective: true, Sigma: 1e-5, Passes: 5}
	got, err := resolwe.Learn(t.Context(), m, inMemory(t, m, "@subgraph s\ne(A)\nq(A)\n@subgraph t\ne(A)\n@entity a B\n"), opt)
	check.OK(t, err)
	var out []string
	for _, f := range got.Model.Formulas {
		if !f.Hard {
			if math.Abs(f.Weight-math.Round(f.Weight)) > 1e-6 {
				t.Errorf("%s left its prior's mean", mln.FormatRule(f))
			}
			f.Weight = math.Round(f.Weight) + 0
		}
		out = append(out, mln.FormatRule(f))
	}
	// p has its unit clause in the model already, if negated.
	want := []string{"3 e(x) => q(x)", "p(x) => q(x).", "0 !p(x)", "0 q(a1)"}
	check.Equal(t, "formulas", out, want)
	if m.Formulas[0].Weight != 3 {
		t.Error("the model learned from has changed")
	}
}

func TestLearn_Options(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	for _, test := range []struct {
		name, option string
		set          func(*resolwe.LearnOptions)
	}{
		{"small sigma", "Sigma", func(o *resolwe.LearnOptions) { o.Sigma = 1e-7 }},
		{"sigma that is no number", "Sigma", func(o *resolwe.LearnOptions) { o.Sigma = math.NaN() }},
		{"infinite sigma", "Sigma", func(o *resolwe.LearnOptions) { o.Sigma = math.Inf(1) }},
		{"no method", "Method", func(o *resolwe.LearnOptions) { o.Method = 9 }},
		{"sampled margin", "Method", func(o *resolwe.LearnOptions) { o.Method, o.Sample = resolwe.CDA, true }},
		{"passes", "Passes", func(o *resolwe.LearnOptions) { o.Passes = -1 }},
		{"batch", "Batch", func(o *resolwe.LearnOptions) { o.Batch = -1 }},
		{"samples", "Samples", func(o *resolwe.LearnOptions) { o.Samples = -1 }},
		{"skip", "Skip", func(o *resolwe.LearnOptions) { o.Skip = -1 }},
		{"all skipped", "resolwe.Stream", func(o *resolwe.LearnOptions) { o.Skip = 2 }},
		{"exact sampler", "Sampler", func(o *resolwe.LearnOptions) { o.Sampler = resolwe.MethodExact }},
	} {
		opt := resolwe.LearnOptions{Objective: true}
		test.set(&opt)
		_, err := resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(2)), opt)
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || strings.TrimPrefix(e.Option, "LearnOptions.") != test.option {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	huge := resolwe.LearnOptions{Objective: true, Batch: math.MaxInt}
	check.OKf(t, check.Err(resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(2)), huge)), "a batch beyond the stream")
}

// A component beyond 20 atoms has an exact objective where its junction tree is small, as that of a chain is.
func TestLearn_ObjectiveIsAbsent(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	for _, test := range []struct {
		atoms, back int // each is tied to this many before it
		want        bool
	}{{15, 1, true}, {100, 1, true}, {21, 20, false}} {
		var db strings.Builder
		for i := range test.atoms {
			for k := max(0, i-test.back); k < i; k++ {
				fmt.Fprintf(&db, "e(A%d, A%d)\n", k, i)
			}
		}
		got, err := resolwe.Learn(t.Context(), m, inMemory(t, m, db.String()), resolwe.LearnOptions{Objective: true})
		if err != nil || got.Exact != test.want {
			t.Errorf("%+v: got %+v, %v", test, got, err)
		}
	}
}

// Nor is there one where all components together have too many states.
func TestLearn_ObjectiveIsBounded(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	var text strings.Builder
	for i := range 4 {
		fmt.Fprintf(&text, "@subgraph s%d\nq(A)\ne(A, B)\ne(B, C)\ne(C, D)\ne(D, E)\n", i)
	}
	db := text.String()
	for _, test := range []struct {
		states int
		want   bool
	}{{4 * 32, true}, {4*32 - 1, false}} {
		opt := learning.WithStates(resolwe.LearnOptions{Objective: true, Passes: 1, Sample: true}, test.states)
		got, err := resolwe.Learn(t.Context(), m, inMemory(t, m, db), opt)
		if err != nil || got.Exact != test.want || got.Objective < 0 != test.want {
			t.Errorf("%d states: got %+v, %v, want exact %v", test.states, got, err, test.want)
		}
	}
}
