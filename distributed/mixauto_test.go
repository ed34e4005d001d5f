package distributed_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"resolwe"
	"resolwe/distributed"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// By default the result is that of Learn, to the last bit, however the stream is cut.
func TestMixer_AutoIsLearn(t *testing.T) {
	t.Parallel()
	m, subs := untied(t, 24)
	opt := resolwe.LearnOptions{Objective: true, Skip: 3}
	want, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	if !want.Converged {
		t.Fatalf("got %+v", want)
	}
	for _, parts := range []int{1, 2, 5, 12, 24} {
		x := newMixer(t, m, subs, parts, opt, distributed.MixAuto)
		got := x.learned(t, rand.New(rand.NewPCG(1, uint64(parts))))
		name := fmt.Sprint(parts, " parts")
		check.Equal(t, name, streamtest.Rules(got.Model.Formulas), streamtest.Rules(want.Model.Formulas))
		if got.Objective != want.Objective || got.Gradient != want.Gradient || !got.Converged || got.Subgraphs != want.Subgraphs || x.Tied() != 0 {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

// Models that connect many target atoms are learned by synchronous steps, which start at the optimum of the pseudo-likelihood and
// approach that of the likelihood; the result does not depend on how the stream is cut, nor on where a run was resumed.
func TestMixer_AutoTied(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, sharingTypes()+"links(p, q) ^ likes(p, u) => likes(q, u)\nread(p, u) => likes(p, u)\n")
	subs := streamtest.Subgraphs(t, m, streamtest.SharingDB(3, 12))
	opt := resolwe.LearnOptions{Objective: true, Sample: true}
	rng := rand.New(rand.NewPCG(1, 1))
	x := newMixer(t, m, subs, 3, opt, distributed.MixAuto)
	want := x.learned(t, rng)
	if x.Tied() < 2 || math.IsNaN(want.Drift) || !math.IsNaN(want.Gradient) || want.Subgraphs != 12 {
		t.Errorf("got %+v, %d atoms tied", want, x.Tied())
	}
	for _, parts := range []int{1, 5} {
		y := newMixer(t, m, subs, parts, opt, distributed.MixAuto)
		for !y.Done() {
			y.epoch(t, rng.Perm(parts))
			state, err := y.MarshalBinary()
			check.OK(t, err)
			y = newMixer(t, m, subs, parts, opt, distributed.MixAuto)
			check.OK(t, y.Restore(state))
		}
		got := y.Learned()
		check.Equal(t, fmt.Sprint(parts, " parts"), streamtest.Rules(got.Model.Formulas), streamtest.Rules(want.Model.Formulas))
		if got.Drift != want.Drift || got.Passes != want.Passes {
			t.Errorf("%d parts: got %+v, want %+v", parts, got, want)
		}
	}
	best, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), resolwe.LearnOptions{Objective: true})
	check.OK(t, err)
	if got := x.objective(t); !best.Exact || best.Objective-got > .01 {
		t.Errorf("got an objective of %v, want about %v", got, best.Objective)
	}
}
