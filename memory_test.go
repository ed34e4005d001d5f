package resolwe_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"resolwe"
	"resolwe/internal/test/check"
)

// Where memory is short subgraphs are worked on one at a time, and begun anew: what comes out is the same.
func TestRun_Tight(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	s := inMemory(t, m, tiedDB(12))
	results := func(run resolwe.Run) string {
		var out strings.Builder
		for _, opt := range []resolwe.LearnOptions{
			{Objective: true}, {Passes: 3, Sample: true, Method: resolwe.PCD}, {Passes: 2, Sample: true, Batch: 5, CurveEvery: 2}, {Passes: 1, Objective: true},
		} {
			opt.Run, opt.CacheBytes = run, 2000
			learned, err := resolwe.Learn(t.Context(), m, s, opt)
			check.OK(t, err)
			fmt.Fprintln(&out, rules(learned.Model.Formulas), learned.Objective, learned.Exact, learned.Visits, learned.Curve)
		}
		for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodGibbs} {
			err := resolwe.Infer(t.Context(), m, s, resolwe.InferOptions{Method: method, Run: run}, func(r *resolwe.Marginals) error {
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
