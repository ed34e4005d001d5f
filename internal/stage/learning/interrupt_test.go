package learning_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"resolwe"
	"resolwe/internal/stage/learning"
	"resolwe/internal/test/check"
	"resolwe/pool"
)

// An interrupt ends a batch after the subgraphs that are being computed. Of those that fail the first in the stream is reported.
func TestLearn_Batch(t *testing.T) {
	t.Parallel()
	const n = 500
	cause := errors.New("the user left")
	for workers := 1; workers <= 64; workers *= 2 {
		ctx, cancel := context.WithCancelCause(t.Context())
		var computed atomic.Int64
		err := learning.ComputeBatch(ctx, n, workers, func(int) error {
			if computed.Add(1) == 10 {
				cancel(cause)
			}
			return nil
		})
		check.ErrorIs(t, err, cause, "interrupted")
		check.AtMost(t, int(computed.Load()), 10+workers, "%d workers, subgraphs computed", workers)
		err = learning.ComputeBatch(t.Context(), n, workers, func(i int) error {
			switch {
			case i >= 100 && i%3 == 0:
				return cause
			case i >= 100:
				panic(i)
			}
			return nil
		})
		e, _ := errors.AsType[*resolwe.SubgraphError](err)
		p, ok := errors.AsType[*pool.PanicError](err)
		if !ok || e.Index != 100 || p.Value != 100 {
			t.Errorf("%d workers: got error %v, want the panic of subgraph 100", workers, err)
		}
	}
}

// expiring is a context that is cancelled when it has been asked so many times.
type expiring struct {
	context.Context //nolint:containedctx // it is one
	left            *atomic.Int64
	cancel          context.CancelFunc
}

func (e expiring) Err() error {
	if e.left.Add(-1) == 0 {
		e.cancel()
	}
	return e.Context.Err()
}

// A run that is interrupted anywhere saves where it is, also within a batch, and continues from there to the same bytes.
func TestLearn_InterruptedAnywhere(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	m := parse(t, tied)
	for name, opt := range map[string]resolwe.LearnOptions{
		"auto": {}, "cd": {Passes: 2, Sample: true, Batch: 4}, "pcd": {Passes: 2, Sample: true, Batch: 4, Method: resolwe.PCD},
		"cda": {Passes: 2, Batch: 4, Method: resolwe.CDA}, "auto tied": {Sample: true, Method: resolwe.PCD, Passes: 3},
	} {
		want, _ := recorded(t, m, inMemory(t, m, tiedDB(9)), opt)
		interrupted := 0
		for range 12 {
			ctx, cancel := context.WithCancel(t.Context())
			ctx = expiring{ctx, new(atomic.Int64), cancel}
			ctx.(expiring).left.Store(1 + r.Int64N(80))
			var saved []byte
			opt.Run.Workers = 1 + r.IntN(4)
			opt.Checkpoints = resolwe.Checkpoints{Save: func(data []byte) error {
				saved = bytes.Clone(data)
				return nil
			}}
			learned, err := resolwe.Learn(ctx, m, inMemory(t, m, tiedDB(9)), opt)
			cancel()
			if err != nil {
				check.ErrorIs(t, err, context.Canceled, "%s", name)
				interrupted++
				opt.Checkpoints = resolwe.Checkpoints{Resume: saved}
				learned, err = resolwe.Learn(t.Context(), m, inMemory(t, m, tiedDB(9)), opt)
				check.OKf(t, err, "%s, seed %d", name, seed)
			}
			check.Equal(t, fmt.Sprintf("%s, seed %d: learned", name, seed), outcome(learned), want)
		}
		check.AtLeast(t, interrupted, 3, "%s: runs interrupted", name)
	}
}
