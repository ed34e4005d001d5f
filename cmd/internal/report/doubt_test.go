package report_test

import (
	"bytes"
	"log/slog"
	"math"
	"testing"

	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/report"
	"resolwe/crossval"
	"resolwe/internal/test/check"
)

func TestDoubtLearned(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	reached := crossval.Reached{Learned: true, Converged: true, Gradient: 1e-9, Drift: nan}
	short := crossval.Reached{Learned: true, Gradient: .25, Short: 12.5, Drift: nan}
	drifting := crossval.Reached{Learned: true, Gradient: nan, Short: nan, Drift: .5}
	unknown := crossval.Reached{Learned: true, Gradient: nan, Short: nan, Drift: nan}
	for _, test := range []struct {
		folds []crossval.Reached
		want  string
	}{
		{[]crossval.Reached{reached, {}, unknown}, ""}, // nothing was learned in the second
		{
			[]crossval.Reached{reached, short, short},
			"resolwe: warning: own, fold 2: learning ended short of the optimum: about 12.5 nats below it, largest gradient 0.25 an atom folds=2\n",
		},
		{
			[]crossval.Reached{drifting, reached},
			"resolwe: warning: own, fold 1: learning ended before the weights had settled: they still drift by up to 0.5 of a standard error folds=1\n",
		},
	} {
		var stderr bytes.Buffer
		log := slog.New(console.NewMessages("resolwe", &stderr, slog.LevelInfo))
		report.DoubtLearned(log, &crossval.Outcome{Name: "own", Reached: test.folds})
		check.Equal(t, "warning", stderr.String(), test.want)
	}
}
