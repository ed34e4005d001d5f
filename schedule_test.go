package resolwe_test

import (
	"fmt"
	"testing"

	"resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// Every stage that samples gives the same on any schedule, from networks of replicas that plain sweeps settle in part.
func TestStages_Replicas_SameBytes(t *testing.T) {
	t.Parallel()
	for i := range check.Networks(t, 1) {
		seed := uint64(1 + i)
		text, db := streamtest.Replicas(seed, 5)
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		s := resolwe.NewStream(m, subs)
		name := func(stage string) string { return fmt.Sprintf("seed %d, %s", seed, stage) }
		burnIn := 8
		opt := resolwe.InferOptions{
			Method: []resolwe.Method{resolwe.MethodAuto, resolwe.MethodMCSAT}[seed%2], Samples: 16, BurnIn: &burnIn, Chains: 4, Seed: 1,
		}
		streamtest.SameBytes(t, name("infer"), func(run resolwe.Run) string {
			opt.Run = run
			got, err := infer(t, m, s, opt)
			check.OK(t, err)
			return got
		})
		streamtest.SameBytes(t, name("eval"), func(run resolwe.Run) string {
			opt.Run = run
			got, err := resolwe.Evaluate(t.Context(), m, s, opt)
			check.OK(t, err)
			return fmt.Sprintf("%+v", got)
		})
		streamtest.SameBytes(t, name("map"), func(run resolwe.Run) string {
			return states(t, m, s, resolwe.MapOptions{Sweeps: 20, Seed: 1, Run: run})
		})
		streamtest.SameBytes(t, name("learn"), func(run resolwe.Run) string {
			learn := resolwe.LearnOptions{Sample: true, Passes: 1, Seed: 1, Run: run}
			if seed%2 == 1 {
				learn.Sampler, learn.Method = resolwe.MethodMCSAT, resolwe.PCD
			}
			got, err := resolwe.Learn(t.Context(), m, s, learn)
			check.OK(t, err)
			return fmt.Sprint(rules(got.Model.Formulas))
		})
	}
}
