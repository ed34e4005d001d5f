package crossval_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// Each fold discovers candidates only in its training subgraphs, once for all systems; a checkpoint with other options is refused.
func TestRun_Discover(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n")
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(1, 12))
	opt := &resolwe.DiscoverOptions{Length: 2, Support: 12}
	j := newJob()
	j.Discover = opt
	var got [][]string
	seen := func(_ context.Context, tr *crossval.Training) (*crossval.Trained, error) {
		got = append(got, streamtest.Rules(tr.Model.Formulas))
		return &crossval.Trained{Model: tr.Model}, nil
	}
	j.Systems = []crossval.System{{Name: "first", Train: seen}, {Name: "second", Train: seen}}
	_, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), j.Options)
	check.OK(t, err)
	var want [][]string
	different := false
	for _, test := range shuffled(12, 4, 7) {
		out := map[int]bool{}
		for _, i := range test {
			out[i] = true
		}
		var train []int
		for i := range subs {
			if !out[i] {
				train = append(train, i)
			}
		}
		found, err := resolwe.Discover(t.Context(), m, resolwe.NewStream(m, subs).Pick(train), *opt)
		check.OK(t, err)
		rules := streamtest.Rules(found.Model.Formulas)
		want = append(want, rules, rules)
		different = different || len(rules) != len(want[0])
	}
	check.Equal(t, "formulas by trial", got, want)
	check.Equal(t, "folds differ", different, true)

	j.Checkpoints.Resume = j.checkpoints[2]
	j.Discover = &resolwe.DiscoverOptions{Length: 1, Support: 12}
	_, err = crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), j.Options)
	if e, ok := errors.AsType[*resolwe.CheckpointError](err); !ok || e.Damaged {
		t.Errorf("another length: got %v", err)
	}
	j.Discover = &resolwe.DiscoverOptions{Length: 9}
	if _, err = crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), j.Options); !errors.As(err, new(*resolwe.OptionError)) {
		t.Errorf("a length of 9: got %v", err)
	}
}

// The counts of a fold's discovery are saved too: from any checkpoint, starting with the first count of the first fold, the run arrives
// at the same candidates.
func TestRun_Discover_Resume(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n")
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(1, 12))
	run := func(j *job) (string, error) {
		var seen []string
		j.Discover = &resolwe.DiscoverOptions{Length: 2, Support: 12}
		j.Checkpoints.Due = func() bool { return true }
		j.Systems = []crossval.System{{Name: "seen", Train: func(_ context.Context, tr *crossval.Training) (*crossval.Trained, error) {
			seen = append(seen, streamtest.Rules(tr.Model.Formulas)...)
			return &crossval.Trained{Model: tr.Model}, nil
		}}}
		_, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), j.Options)
		return strings.Join(seen, "\n"), err
	}
	whole := newJob()
	want, err := run(whole)
	check.OK(t, err)
	check.MustAtLeast(t, len(whole.checkpoints), 3*4, "checkpoints")
	for i, data := range whole.checkpoints[:len(whole.checkpoints)-1] { // the last one is complete
		again := newJob()
		again.Checkpoints.Resume, again.Run.Workers = data, 1+i%3
		got, err := run(again)
		check.OK(t, err)
		if !strings.HasSuffix(want, got) || i == 0 && got != want {
			t.Errorf("from checkpoint %d: got\n%s\nwant the end of\n%s", i, got, want)
		}
		check.Equal(t, "last checkpoint", again.last(), whole.last())
	}
}
