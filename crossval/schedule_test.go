package crossval_test

import (
	"fmt"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// Systems that are learned and tested by sampling, on replicas that plain sweeps settle in part, have the same outcomes on any schedule.
func TestRun_Replicas_SameBytes(t *testing.T) {
	t.Parallel()
	for i := range check.Networks(t, 1) {
		seed := uint64(1 + i)
		text, db := streamtest.Replicas(seed, 2)
		m := streamtest.Parse(t, text)
		subs := streamtest.Subgraphs(t, m, db)
		opt := crossval.Options{Systems: named(t, "paper", "skipSelection"), Folds: 2, Seed: seed}
		opt.Select.Subgraphs, opt.Learn.Passes, opt.Infer.Samples, opt.Infer.Chains = 1, 1, 16, 4
		m = m.With(streamtest.Unweighted(m))
		streamtest.SameBytes(t, fmt.Sprint("seed ", seed), func(run resolwe.Run) string {
			opt.Run = run
			got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			return fmt.Sprintf("%+v %v", got.Systems, got.Tested)
		})
	}
}
