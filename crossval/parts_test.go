package crossval_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// Parts carried out separately, in any order and with any number of workers, join to the result of a single run; so do the parts that a
// checkpoint leaves.
func TestJoin(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m := streamtest.Parse(t, candidates)
	stream := streamtest.InMemory(t, m, streamtest.IndependentDB(1, 12))
	for _, discover := range []*resolwe.DiscoverOptions{nil, {Length: 1, Support: 1}} {
		one := newJob()
		one.Discover = discover
		want, err := one.run(t.Context(), t)
		check.OK(t, err)
		for _, before := range []int{0, 1, rng.IntN(trials), len(one.checkpoints)} {
			opt := newJob().Options
			opt.Discover = discover
			if before > 0 {
				opt.Checkpoints.Resume = one.checkpoints[before-1]
			}
			parts, err := crossval.Parts(t.Context(), m, stream, opt)
			check.OK(t, err)
			count := 0
			for _, p := range parts {
				count += len(p.Systems)
			}
			if discover == nil {
				check.Equal(t, "trials left", count, trials-before)
			} else if before == 0 {
				check.Equal(t, "parts", len(parts), 4)
			}
			done := make([][]byte, len(parts))
			for _, i := range rng.Perm(len(parts)) {
				opt.Run.Workers = 1 + rng.IntN(3)
				done[i], err = crossval.RunPart(t.Context(), m, stream, opt, parts[i])
				check.OK(t, err)
			}
			rng.Shuffle(len(done), func(i, j int) { done[i], done[j] = done[j], done[i] })
			joined, err := crossval.Join(t.Context(), m, stream, opt, done)
			check.OK(t, err)
			opt.Checkpoints.Resume = joined
			steps := 0
			opt.Stage = func(string) { steps++ }
			got, err := crossval.Run(t.Context(), m, stream, opt)
			check.OK(t, err)
			check.Equal(t, "steps left", steps, 0)
			check.Equal(t, "result", got, want, cmpopts.EquateNaNs())
		}
	}
}

// A part of another run is refused, as is a checkpoint of one.
func TestRunPart_Err(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	stream := streamtest.InMemory(t, m, streamtest.IndependentDB(1, 12))
	opt := newJob().Options
	for _, part := range []crossval.Part{{Fold: -1, Systems: []string{"base"}}, {Fold: 4, Systems: []string{"base"}}, {Systems: []string{"none"}}} {
		check.ErrorAs[*crossval.FoldError](t, check.Err(crossval.RunPart(t.Context(), m, stream, opt, part)), "%v", part)
	}
	other := opt
	other.Folds = 3
	done, err := crossval.RunPart(t.Context(), m, stream, other, crossval.Part{Systems: []string{"base"}})
	check.OK(t, err)
	check.ErrorAs[*resolwe.CheckpointError](t, check.Err(crossval.Join(t.Context(), m, stream, opt, [][]byte{done})), "three folds")
}
