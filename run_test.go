package resolwe_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/building"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
)

// Progress counts every subgraph once for each step, and marking a profile changes nothing.
func TestRun_Progress(t *testing.T) {
	t.Parallel()
	const n = 9
	m := parse(t, tied)
	s := inMemory(t, m, tiedDB(n))
	for _, workers := range []int{1, 4} {
		done := 0
		run := resolwe.Run{Workers: workers, Labels: true, Progress: func(k int) { done += k }}
		expect := func(step string, err error, want int) {
			t.Helper()
			if err != nil || done != want {
				t.Errorf("%s: got progress of %d, %v, want %d", step, done, err, want)
			}
			done = 0
		}
		sel := resolwe.SelectOptions{Criterion: resolwe.Paper, Subgraphs: 7, Run: run}
		_, err := resolwe.Select(t.Context(), parsed(t, m), s, sel)
		expect("select", err, 7)
		learn := resolwe.LearnOptions{Objective: true, Passes: 3, Skip: 2, Run: run}
		_, err = resolwe.Learn(t.Context(), m, s, learn)
		expect("learn", err, 3*7)
		infer := resolwe.InferOptions{Run: run}
		_, err = resolwe.Evaluate(t.Context(), m, s, infer)
		expect("evaluate", err, n)
	}
}

// parsed returns the model with its unweighted formulas alone.
func parsed(t *testing.T, m *resolwe.Model) *resolwe.Model {
	t.Helper()
	return m.With(m.Formulas[:1])
}

// A stream of another model, or subgraphs of another schema, are errors.
func TestRun_OtherModel(t *testing.T) {
	t.Parallel()
	m, other := parse(t, tied), parse(t, strings.Replace(tied, "target", "f(a, b)\ntarget", 1))
	subs := subgraphs(t, m, tiedDB(2))
	s := resolwe.NewStream(m, subs)
	for _, err := range resolwe.Infer(t.Context(), other, s, resolwe.InferOptions{}) {
		check.ErrorAs[*resolwe.OptionError](t, err, "infer")
	}
	_, err := resolwe.Learn(t.Context(), other, s, resolwe.LearnOptions{})
	check.ErrorAs[*resolwe.OptionError](t, err, "learn")
	_, err = resolwe.Select(t.Context(), other, s, resolwe.SelectOptions{})
	check.ErrorAs[*resolwe.OptionError](t, err, "select")
	if _, err = resolwe.Score(t.Context(), other, subs[0], resolwe.InferOptions{}); err == nil || !strings.Contains(err.Error(), "1 domains and 2 relations, the schema has 2 and 3") {
		t.Error("got", err)
	}
	without := parse(t, "e(a)\ntarget q(a)\ne(x) => q(x)\n")
	_, err = resolwe.Evaluate(t.Context(), without, resolwe.NewStream(without, nil), resolwe.InferOptions{})
	check.ErrorAs[*resolwe.OptionError](t, err, "no weight")
	for _, err := range resolwe.Explain(t.Context(), without, resolwe.NewStream(without, nil), resolwe.ExplainOptions{}) {
		check.ErrorAs[*resolwe.OptionError](t, err, "no weight to explain")
	}
	if _, err = resolwe.Score(t.Context(), m, nil, resolwe.InferOptions{}); err == nil {
		t.Error("no subgraph has a score")
	}
}

// A stream of a sequence gives the same as one in memory, for any number of workers; and says so if the sequence does not always give the same.
func TestStreamOf(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(40))
	cut := len(subs)
	seq := func(yield func(*subgraph.Subgraph, error) bool) {
		for _, s := range subs[:cut] {
			if !yield(s, nil) {
				return
			}
		}
	}
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{})
	check.OK(t, err)
	for _, workers := range []int{1, 3} {
		s := resolwe.StreamOf(m, seq)
		got, err := resolwe.Learn(t.Context(), m, s, resolwe.LearnOptions{Run: resolwe.Run{Workers: workers}})
		check.OK(t, err)
		check.Slices(t, rules(got.Model.Formulas), rules(want.Model.Formulas), "%d workers", workers)
		for sub, err := range resolwe.Subgraphs(t.Context(), s, resolwe.Run{}) { // one that ends early
			check.OK(t, err)
			check.Is(t, sub.Name, subs[0].Name, "the first")
			break
		}
	}
	s := resolwe.StreamOf(m, seq)
	_, err = s.Entries(t.Context())
	check.OK(t, err)
	cut = 7
	if _, err = resolwe.Evaluate(t.Context(), m, s, resolwe.InferOptions{}); err == nil || !strings.Contains(err.Error(), "gave 40 subgraphs, and then 7") {
		t.Error("got", err)
	}
	broken := errors.New("broken")
	_, err = resolwe.Evaluate(t.Context(), m, resolwe.StreamOf(m, func(yield func(*subgraph.Subgraph, error) bool) {
		_ = yield(subs[0], nil) && yield(nil, broken)
	}), resolwe.InferOptions{})
	check.ErrorIs(t, err, broken, "an error of the sequence")
	_, err = resolwe.Evaluate(t.Context(), m, resolwe.StreamOf(m, func(yield func(*subgraph.Subgraph, error) bool) {
		if yield(subs[0], nil) {
			yield(subs[0], nil)
		}
	}), resolwe.InferOptions{})
	check.ErrorAs[*resolwe.DuplicateError](t, err, "a name twice")
}

// A grounding that would never end does so with the context.
func TestRun_Vast(t *testing.T) {
	t.Parallel()
	var clique []string
	for i := range 41 {
		for k := range i {
			clique = append(clique, fmt.Sprintf("s(x%d, x%d)", k, i))
		}
	}
	const complete = "@subgraph a\ns(A, A)\ns(A, B)\ns(B, A)\ns(B, B)\nq(A)\n"
	candidate := "s(a, a)\ntarget q(a)\n" + strings.Join(clique, " ^ ") + " => q(x0)\n"
	weighted := strings.Replace(candidate, "\ns(x", "\n1 s(x", 1)
	for name, c := range map[string]struct {
		text string
		run  func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error
	}{
		"select": {candidate, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			_, err := resolwe.Select(ctx, m, s, resolwe.SelectOptions{Run: run})
			return err
		}},
		"learn": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			_, err := resolwe.Learn(ctx, m, s, resolwe.LearnOptions{Run: run})
			return err
		}},
		"infer": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Infer(ctx, m, s, resolwe.InferOptions{Run: run}, func(*resolwe.Marginals) error { return nil })
		}},
		"map": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Map(ctx, m, s, resolwe.MapOptions{Run: run}, func(*resolwe.MapState) error { return nil })
		}},
		"explain": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Explain(ctx, m, s, resolwe.ExplainOptions{Subgraph: "a", Infer: resolwe.InferOptions{Run: run}}, func(*resolwe.Explanation) error { return nil })
		}},
		"counts": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Counts(ctx, m, s, run, func(string, []resolwe.Count) error { return nil })
		}},
		"features": {weighted, func(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, run resolwe.Run) error {
			return inferring.Features(ctx, m, s, resolwe.FeatureOptions{Run: run}, func(*resolwe.FeatureRows) error { return nil })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, cause := parse(t, c.text), errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			run := resolwe.Run{Watch: func() func(resolwe.Effort) { return func(resolwe.Effort) { cancel(cause) } }}
			check.ErrorIs(t, c.run(ctx, m, inMemory(t, m, complete), run), cause, "error")
		})
	}
}

// A callback that is missing is an error, before any work.
func TestCallbacks(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	s := inMemory(t, m, friendsDB(0, 2))
	ctx, run := t.Context(), resolwe.Run{}
	_, build := resolwe.Build(ctx, m, "none.recipe", nil, resolwe.BuildOptions{}, nil)
	_, write := building.WriteShards(ctx, m.Schema, nil, building.ShardOptions{Shards: 1}, nil)
	for name, err := range map[string]error{
		"Build": build, "WriteShards": write,
		"Counts":   inferring.Counts(ctx, m, s, run, nil),
		"Each":     resolwe.Each(ctx, s, run, nil),
		"Explain":  inferring.Explain(ctx, m, s, resolwe.ExplainOptions{Subgraph: "s0"}, nil),
		"Features": inferring.Features(ctx, m, s, resolwe.FeatureOptions{}, nil),
		"Infer":    inferring.Infer(ctx, m, s, resolwe.InferOptions{}, nil),
		"Map":      inferring.Map(ctx, m, s, resolwe.MapOptions{}, nil),
	} {
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != "callback" {
			t.Errorf("%s: got %v, want an *OptionError of the callback", name, err)
		}
	}
}

// A long run that is cancelled returns the cause, and leaves no goroutine.
func TestRun_Cancelled(t *testing.T) {
	m := parse(t, tied)
	s := inMemory(t, m, tiedDB(40))
	for name, run := range map[string]func(context.Context) error{
		"select": func(ctx context.Context) error {
			for {
				if _, err := resolwe.Select(ctx, parsed(t, m), s, resolwe.SelectOptions{}); err != nil {
					return err
				}
			}
		},
		"learn": func(ctx context.Context) error {
			_, err := resolwe.Learn(ctx, m, s, resolwe.LearnOptions{Passes: 1e6, Sample: true})
			return err
		},
		"infer": func(ctx context.Context) error {
			opt := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 1e8}
			return inferring.Infer(ctx, m, s, opt, func(*resolwe.Marginals) error { return nil })
		},
		"cross-validate": func(ctx context.Context) error {
			opt := crossval.Options{Systems: try(crossval.Named("skipSelection"))}
			opt.Infer.Method, opt.Infer.Samples = resolwe.MethodMCSAT, 1e8
			_, err := crossval.Run(ctx, parsed(t, m), s, opt)
			return err
		},
	} {
		others, cause := goleak.IgnoreCurrent(), errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, cause)
		err := run(ctx)
		end, _ := ctx.Deadline()
		t.Logf("%s returned %v after it was cancelled", name, time.Since(end))
		cancel()
		check.ErrorIs(t, err, cause, "%s", name)
		goleak.VerifyNone(t, others)
	}
}

// A file that is missing is fs.ErrNotExist, wherever it is named.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	none, m := filepath.Join(t.TempDir(), "none"), parse(t, friends)
	ignore := func(*subgraph.Subgraph) error { return nil }
	_, model := resolwe.ReadModel(none+".mln", resolwe.ModelOptions{})
	_, included := resolwe.ParseModel("m.mln", []byte("#include \""+none+"\"\n"), resolwe.ModelOptions{})
	_, tables := resolwe.Build(t.Context(), m, "r.recipe", []byte("table t(a) from \"t.csv\" (x)\ncenter c :- t(c)\n"), resolwe.BuildOptions{Dir: none}, ignore)
	errs := map[string]error{"model": model, "include": included, "tables": tables}
	for _, end := range []string{".rsg", ".db", ".db.gz", ".json", ""} {
		_, errs["stream"+end] = resolwe.OpenStream(m, []string{none + end}, resolwe.StreamOptions{})
	}
	for name, err := range errs {
		check.ErrorIs(t, err, fs.ErrNotExist, "%s", name)
	}
}

// Where memory is short subgraphs are worked on one at a time, and begun anew: what comes out is the same.
func TestRun_Tight(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	s := inMemory(t, m, tiedDB(12))
	results := func(run resolwe.Run) string {
		var out strings.Builder
		for _, opt := range []resolwe.LearnOptions{
			{Objective: true}, {Passes: 3, Sample: true, Method: resolwe.PCD}, {Passes: 2, Sample: true, Batch: 5, Curve: true}, {Passes: 1, Objective: true},
		} {
			opt.Run, opt.CacheBytes = run, 2000
			learned, err := resolwe.Learn(t.Context(), m, s, opt)
			check.OK(t, err)
			fmt.Fprintln(&out, rules(learned.Model.Formulas), learned.Objective, learned.Exact, learned.Visits, learned.Curve)
		}
		for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodGibbs} {
			err := inferring.Infer(t.Context(), m, s, resolwe.InferOptions{Method: method, Run: run}, func(r *resolwe.Marginals) error {
				_, err := fmt.Fprintln(&out, r.Subgraph, r.P, r.Errors)
				return err
			})
			check.OK(t, err)
		}
		return out.String()
	}
	want := results(resolwe.Run{Workers: 1})
	for _, workers := range []int{1, 4, 16} {
		for _, every := range []int64{1, 2, 7} {
			var asked atomic.Int64
			tight := func() bool { return asked.Add(1)%every == 0 }
			check.Equal(t, fmt.Sprintf("%d workers, tight every %d", workers, every), results(resolwe.Run{Workers: workers, Tight: tight}), want)
			if asked.Load() == 0 {
				t.Error("nobody asks whether memory is short")
			}
		}
	}
}
