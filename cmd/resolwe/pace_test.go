package main_test

import (
	"testing"
	"time"

	main "resolwe/cmd/resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
)

// A long job is forecast once, after the first fold that is done as a whole, by what its systems took.
func TestPace(t *testing.T) {
	t.Parallel()
	trial := func(fold, folds int, system string) crossval.Trial {
		return crossval.Trial{Fold: fold, Folds: folds, System: system, Systems: 2}
	}
	for _, c := range []struct {
		first, second time.Duration
		folds         int
		want          string
	}{
		{10 * time.Second, 5 * time.Second, 4, ""},
		{30 * time.Second, 30 * time.Second, 4, "fold 1 of 4 took 60 s: about 3 min more; --systems gain alone takes about 2 min for all folds"},
		{30 * time.Second, time.Second, 4, "fold 1 of 4 took 31 s: about 93 s more"},
		{time.Hour, time.Hour, 1, ""},
	} {
		got := main.Paced([]crossval.Trial{
			trial(1, c.folds, "gain"), trial(1, c.folds, "base"), trial(2, c.folds, "gain"), trial(2, c.folds, "base"),
		}, []time.Duration{c.first, c.second, time.Hour, time.Hour})
		check.Equal(t, "said", got, []string{"", c.want, "", ""})
	}
	// Of a run that goes on a part of the first fold is missing.
	got := main.Paced([]crossval.Trial{trial(1, 4, "base"), trial(2, 4, "gain"), trial(2, 4, "base")}, []time.Duration{time.Hour, time.Minute, time.Minute})
	check.Equal(t, "after a checkpoint", got, []string{"", "", "fold 2 of 4 took 2 min: about 4 min more; --systems gain alone takes about 4 min for all folds"})
}
