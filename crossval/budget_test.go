package crossval_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// limited runs a job in which each step takes a second, and which has so many.
func limited(t *testing.T, j *job, seconds float64) (got *crossval.Result, err error) {
	t.Helper()
	stage := j.Stage
	synctest.Test(t, func(t *testing.T) {
		j.Stage = func(step string) {
			stage(step)
			time.Sleep(time.Second)
		}
		j.Budget = resolwe.NewBudget(time.Duration(seconds*float64(time.Second)), time.Now)
		got, err = j.run(t.Context(), t)
	})
	return got, err
}

// Whenever a budget expires, the result is that of the folds finished for all systems, or of the systems finished on the first
// fold; it names the rest. A run that continues from there, with another budget too, gives what an uninterrupted one gives.
func TestRun_Budget(t *testing.T) {
	whole := newJob()
	want, err := whole.run(t.Context(), t)
	check.OK(t, err)
	for at := range len(whole.steps) {
		j := newJob()
		got, err := limited(t, j, float64(at)+.5)
		done := 0 // trials
		for _, step := range whole.steps[:at+1] {
			if strings.Contains(step, "predict") {
				done++
			}
		}
		if strings.Contains(whole.steps[at], "predict") {
			done-- // within which it expired
		}
		check.Equal(t, "checkpoints", len(j.checkpoints), done)
		if done == 0 {
			if got != nil || !errors.Is(err, resolwe.ErrBudget) {
				t.Errorf("after %d steps: got %v and %v", at, got, err)
			}
			continue
		}
		check.OK(t, err)
		names := make([]string, 0, 6)
		for _, s := range want.Systems {
			names = append(names, s.Name)
		}
		folds, systems := done/6, 6
		if folds == 0 {
			folds, systems = 1, done
		}
		check.Equal(t, "finished", []int{got.Finished, got.Folds, len(got.Systems)}, []int{folds, 4, systems})
		for i, s := range got.Systems {
			check.Equal(t, "figures", s.Figures, want.Systems[i].Figures[:len(s.Figures)], cmpopts.EquateNaNs())
		}
		var left []string
		for f := done / 6; f < 4; f++ {
			text := []string{"fold 1", "fold 2", "fold 3", "fold 4"}[f]
			if f == done/6 && done%6 > 0 {
				text += ": " + strings.Join(names[done%6:], ", ")
			}
			left = append(left, text)
		}
		check.Equal(t, "left", got.Left, left)
		if at%5 > 0 {
			continue
		}
		again := newJob()
		again.Checkpoints.Resume = j.last()
		resumed, err := limited(t, again, 1000)
		check.OK(t, err)
		check.Equal(t, "resumed", resumed, want, cmpopts.EquateNaNs())
		check.Equal(t, "last checkpoint", again.last(), whole.last())
	}
}

// The discovery of a fold gets half of its share of the time. If it needs more, the fold is reported, but a run that continues does
// it anew, as if nothing had ended it.
func TestRun_Budget_Discover(t *testing.T) {
	m := streamtest.Parse(t, "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n")
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(1, 12))
	run := func(j *job, seconds int, slow string) (got *crossval.Result) {
		j.Systems = named(t, "gain", "base")
		j.Discover = &resolwe.DiscoverOptions{Length: 2, Support: 4}
		synctest.Test(t, func(t *testing.T) {
			if seconds > 0 {
				j.Budget = resolwe.NewBudget(time.Duration(seconds)*time.Second, time.Now)
			}
			last := ""
			stage := j.Stage
			j.Stage = func(step string) {
				stage(step)
				last = step
			}
			j.Checkpoints.Due = func() bool { // called by discovery
				if last == slow {
					time.Sleep(time.Minute)
				}
				return true
			}
			var err error
			got, err = crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), j.Options)
			check.OK(t, err)
		})
		return got
	}
	whole := newJob()
	want := run(whole, 0, "")
	for _, fold := range []string{"1", "2", "4"} {
		j := newJob()
		got := run(j, 100, "fold "+fold+": discover")
		check.Equal(t, "left", got.Left, []string{"longer candidates in fold " + fold})
		check.Equal(t, "finished", got.Finished, 4)
		again := newJob()
		again.Checkpoints.Resume = j.last()
		check.Equal(t, "resumed in fold "+fold, run(again, 1000, ""), want, cmpopts.EquateNaNs())
		check.Equal(t, "trials done again", again.predicted(), 2)
	}
}
