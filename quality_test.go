package resolwe_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/mcsat"
)

// all returns what inference hands over, and the names of the subgraphs that it left out.
func all(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.InferOptions) (out []*resolwe.Marginals, leftOut []string) {
	t.Helper()
	opt.Skipped = func(name string) { leftOut = append(leftOut, name) }
	err := inferring.Infer(t.Context(), m, s, opt, func(r *resolwe.Marginals) error {
		out = append(out, r)
		return nil
	})
	check.OK(t, err)
	return out, leftOut
}

// A target error ends sampling at the same sample whatever the number of workers, and that early enough to tell.
func TestInfer_Error(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	subs := subgraphs(t, m, ringsDB(30, 5, 60))
	opt := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 20_000, Chains: 3, Error: 0.01}
	streamtest.SameBytes(t, "target error", func(run resolwe.Run) string {
		opt.Run = run
		var text strings.Builder
		rs, _ := all(t, m, resolwe.NewStream(m, subs), opt)
		for _, r := range rs {
			d := r.Diagnostics
			if d.Stopped != mcsat.StopError || d.MaxError > opt.Error || d.Samples >= opt.Samples {
				t.Errorf("%s: got %+v", r.Subgraph, d)
			}
			fmt.Fprintln(&text, r.Subgraph, r.P, d)
		}
		return text.String()
	})
	opt.Error = 1.5
	check.Fails(t, check.Err(infer(t, m, resolwe.NewStream(m, subs), opt)), "an error of 1.5 of a probability")
}

// Chains of one subgraph give the same on any number of workers.
func TestInfer_ParallelChains(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	subs := subgraphs(t, m, ringsDB(40))
	streamtest.SameBytes(t, "five chains", func(run resolwe.Run) string {
		opt := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 200, Chains: 5, Run: run}
		got, err := infer(t, m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		return got
	})
}

// Time that is over leaves what was sampled, and says which subgraphs have nothing.
func TestInfer_Enough(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	subs := subgraphs(t, m, ringsDB(30, 30, 30, 30, 30))
	for _, calls := range []int64{0, 1, 10, 40, 1 << 40} {
		for _, workers := range []int{1, 3} {
			opt := resolwe.InferOptions{}
			opt.Method, opt.BurnIn, opt.Samples, opt.Run.Workers = resolwe.MethodMCSAT, new(5), 1500, workers
			var asked atomic.Int64
			opt.Stop = func() bool { return asked.Add(1) > calls }
			rs, leftOut := all(t, m, resolwe.NewStream(m, subs), opt)
			var q resolwe.Quality
			for _, r := range rs {
				q.Add(r)
				if slices.ContainsFunc(r.P, func(p float64) bool { return !(p > 0 && p < 1) }) {
					t.Errorf("after %d calls: %s has %v", calls, r.Subgraph, r.P)
				}
			}
			switch {
			case calls == 0 && (len(rs) > 0 || len(leftOut) == 0),
				calls == 1<<40 && (len(rs) != 5 || len(leftOut) > 0 || q.Cut > 0),
				calls < 1<<40 && len(rs)+len(leftOut) < 5 && len(leftOut) == 0:
				t.Errorf("after %d calls, %d workers: got %d subgraphs, %d cut short, left out %v", calls, workers, len(rs), q.Cut, leftOut)
			}
		}
	}
}

func TestQuality(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	var q resolwe.Quality
	for _, r := range []*resolwe.Marginals{
		{Subgraph: "exact", Diagnostics: mcsat.Diagnostics{Exact: 3, MaxRHat: nan, MinESS: nan, MaxError: nan}},
		{Subgraph: "few", Diagnostics: mcsat.Diagnostics{Sampled: 3, Samples: 2, Stopped: mcsat.StopEnough, MaxRHat: nan, MinESS: nan, MaxError: nan, Doubts: mcsat.Doubts{Short: true}}},
		{Subgraph: "good", Diagnostics: mcsat.Diagnostics{Sampled: 3, Samples: 100, Stopped: mcsat.StopError, MaxRHat: 1.01, MinESS: 90, MaxError: 0.01}},
		{Subgraph: "bad", Diagnostics: mcsat.Diagnostics{Sampled: 3, Samples: 300, Stopped: mcsat.StopSamples, MaxRHat: 1.2, MinESS: 9, MaxError: 0.005, Doubts: mcsat.Doubts{
			Apart: mcsat.Suspects{N: 2}, Stuck: mcsat.Suspects{N: 1},
		}}},
		{Subgraph: "fair", Diagnostics: mcsat.Diagnostics{Sampled: 3, Samples: 300, Stopped: mcsat.StopSamples, MaxRHat: 1.04, MinESS: 40, MaxError: 0.002}},
	} {
		q.Add(r)
	}
	want := resolwe.Quality{
		Subgraphs: 5, Sampled: 4, Samples: 702, Disagree: 1, Stuck: 1, Short: 1, Precise: 1, Cut: 1,
		RHat: inferring.Worst{Value: 1.2, Subgraph: "bad"}, ESS: inferring.Worst{Value: 9, Subgraph: "bad"},
		Error: inferring.Worst{Value: 0.01, Subgraph: "good"}, Still: inferring.Worst{Value: 1, Subgraph: "bad"},
	}
	check.Equal(t, "result", q, want)
}

// An evaluation has the quality of the marginals that they infer.
func TestEvaluate_Quality(t *testing.T) {
	t.Parallel()
	m := parse(t, tiedTask)
	s := inMemory(t, m, ringsDB(30, 4, 40))
	opt := resolwe.InferOptions{Method: resolwe.MethodMCSAT, Samples: 200}
	var want resolwe.Quality
	rs, _ := all(t, m, s, opt)
	for _, r := range rs {
		want.Add(r)
	}
	e, err := resolwe.Evaluate(t.Context(), m, s, opt)
	check.OK(t, err)
	if diff := cmp.Diff(e.Quality, want); diff != "" || want.Sampled != 3 || want.Subgraphs != 3 {
		t.Errorf("evaluation (-got +want):\n%s", diff)
	}
	var asked atomic.Int64
	opt.Stop = func() bool { return asked.Add(1) > 3 }
	if e, err = resolwe.Evaluate(t.Context(), m, s, opt); err != nil || e.Quality.Skipped+e.Quality.Cut == 0 {
		t.Errorf("without time: got %+v, %v", e, err)
	}
}
