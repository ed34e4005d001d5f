package stage_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/crossval"
	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/cmd/resolwe-beam/stage"
)

// However often workers fail, what is finished is saved and not done again, and the result is that of one machine.
func TestCrossval_Failing(t *testing.T) { everywhere(t, testCrossvalFailing) }

func testCrossvalFailing(t *testing.T, runner string) {
	t.Helper()
	d := beamtest.New(t, 16, 4, 3)
	args := stage.CrossvalArgs{Crossval: flags.Crossval{Systems: []string{"paper", "base"}, Folds: 3, LearnOn: "auto"}}
	check.OK(t, args.Select.UnmarshalText([]byte("--criterion paper --k2 3")))
	check.OK(t, args.Learn.UnmarshalText([]byte("--method cd --passes 1 --batch 1")))
	check.OK(t, args.Infer.UnmarshalText([]byte("--samples 10 --burn-in 0 --sweeps 5")))
	opt, err := args.Options(1)
	check.OK(t, err)
	want, err := crossval.Run(t.Context(), d.Model, open(t, d.Model, d.Stream), opt)
	check.OK(t, err)

	var mu sync.Mutex
	done := map[int]int{}
	rng := rand.New(rand.NewPCG(3, 0))
	defer stage.SetDisturb(func(s shard.Shard) error {
		mu.Lock()
		defer mu.Unlock()
		if rng.Float64() < 0.3 {
			return errors.New("disturbed")
		}
		done[s.Number]++
		return nil
	})()
	saved := 0
	checkpoints := resolwe.Checkpoints{Save: func([]byte) error {
		saved++
		return nil
	}}
	got, skipped, err := stage.Crossval(
		t.Context(), start(t, runner, 200), task(t, d.Model), args, 1, find(t, d.Folder), checkpoints, 10*time.Millisecond)
	check.OK(t, err)
	check.Equal(t, "result", got, want, cmpopts.EquateNaNs(), cmpopts.IgnoreTypes(crossval.Seconds{}))
	check.Equal(t, "skipped and parts", []int{int(skipped), len(done)}, []int{0, 6})
	check.AtLeast(t, saved, 2, "checkpoints")
}
