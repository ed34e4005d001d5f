package forecast_test

import (
	"testing"
	"time"

	"resolwe"
	"resolwe/forecast"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/naive"
)

// A forecast stops when its time is up: with an error if it has no results, otherwise with those it has.
func TestRun_Budget(t *testing.T) {
	t.Parallel()
	text, db := streamtest.Random(1, naive.TaskOptions{Subgraphs: 12})
	m := streamtest.Parse(t, text)
	subs := streamtest.Subgraphs(t, m, db)
	run := func(opt forecast.Options) (*forecast.Forecast, error) {
		return forecast.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
	}
	check.ErrorIs(t, check.Err(run(forecast.Options{Budget: 1})), forecast.ErrBudget, "no time")
	check.ErrorAs[*resolwe.OptionError](t, check.Err(run(forecast.Options{Budget: -1})), "negative")
	got, err := run(forecast.Options{Budget: time.Hour, Now: time.Now})
	check.OK(t, err)
	check.Equal(t, "sampled", got.Sampled, 12)
	check.Equal(t, "over", got.Over, false)

	slow := forecast.Options{Budget: 500 * time.Millisecond, Now: time.Now, Run: resolwe.Run{Workers: 1, Progress: func(int) { time.Sleep(200 * time.Millisecond) }}}
	got, err = run(slow)
	check.OK(t, err)
	if !got.Over || got.Sampled < 1 || got.Sampled >= 12 || len(got.Formulas) != len(m.Formulas) {
		t.Errorf("a little time: got %+v", got)
	}
	for _, step := range got.Times {
		check.ErrorIs(t, step.Err, forecast.ErrBudget, "%s", step.Step)
	}
}
