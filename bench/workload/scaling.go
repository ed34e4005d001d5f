package workload

import (
	"context"
	"runtime"
	"slices"

	"resolwe"
)

// Point is what a number of workers takes for a selection.
type Point struct {
	Workers int
	Wall    Spread // seconds, opening included
	Speedup Spread // one worker's time over this, round by round
}

// Scale times a selection with 1, 2, 4.. workers up to opt.Workers, opt.Runs rounds of all of them. Each round has the
// reverse order of the one before, so that a machine that slows down or speeds up favours none.
func Scale(ctx context.Context, src Source, opt Options) ([]Point, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	workers := ladder(opt.Workers)
	stages := make([]stage, len(workers))
	once := func(i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		runtime.GC()
		o := opt
		o.Workers = workers[i]
		defer opt.Done()
		return stages[i].run(func() error { return src.selectOnce(ctx, &o) })
	}
	if err := once(0); err != nil { // fills caches
		return nil, err
	}
	stages[0] = stage{}
	order := make([]int, len(workers))
	for i := range order {
		order[i] = i
	}
	for range opt.Runs {
		for _, i := range order {
			if err := once(i); err != nil {
				return nil, err
			}
		}
		slices.Reverse(order)
	}
	out := make([]Point, len(workers))
	for i, n := range workers {
		out[i] = Point{
			Workers: n, Wall: NewSpread(stages[i].wall), Speedup: NewSpread(quotients(stages[0].wall, stages[i].wall)),
		}
	}
	return out, nil
}

// Rounds returns how often Scale calls opt.Done.
func Rounds(opt Options) int {
	opt, err := opt.withDefaults()
	if err != nil {
		return 0
	}
	return 1 + opt.Runs*len(ladder(opt.Workers))
}

// ladder returns the powers of two below n, and n.
func ladder(n int) []int {
	var out []int
	for w := 1; w < n; w *= 2 {
		out = append(out, w)
	}
	return append(out, n)
}

// selectOnce opens the stream and selects.
func (src *Source) selectOnce(ctx context.Context, opt *Options) error {
	s, err := src.Open()
	if err != nil {
		return err
	}
	if s.ReadOnce() {
		return closed(s, resolwe.ErrReadOnce)
	}
	_, err = selectOn(ctx, src.Model, s, opt)
	return closed(s, err)
}
