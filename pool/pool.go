package pool

import (
	"context"
	"io"
	"sync"
)

// Map reads items from source until it returns [io.EOF] itself, calls fn on each, and
// hands the results to sink in the order of the items.
//
// source and fn run on goroutines of the pool: source on one, fn on as many as
// workers says (GOMAXPROCS where it is zero or less). sink runs on the
// caller's. Each worker calls newScratch before its first item, and passes
// what it got to every call of fn; no two calls share it at one time. An item
// belongs to fn from the call on, a result to sink. At most 4*workers items
// have been read without their result having been taken by sink.
//
// The error returned is the one of the earliest item in the stream for which
// source, fn or sink failed: all results before it have gone to sink, none
// after it. A panic in source, newScratch or fn counts as an error, a
// [*PanicError]; so does a fault in mapped memory. Once ctx is done, its cause
// is returned instead and sink is called no more. Map returns after the last
// call of source and fn has; both should soon do so when their context is
// done.
func Map[Item, Scratch, Result any](
	ctx context.Context,
	workers int,
	source func(ctx context.Context) (Item, error),
	newScratch func() Scratch,
	fn func(ctx context.Context, scratch Scratch, item Item) (Result, error),
	sink func(Result) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	f := start(ctx, workers, source, newScratch, fn)
	defer f.wait()
	defer cancel()

	// A result that overtook an earlier one waits here, at its number modulo
	// the length. One place more than items in flight: the end of the stream
	// takes one too.
	waiting := make([]outcome[Result], cap(f.slots)+1)
	place := func(number uint64) *outcome[Result] { return &waiting[number%uint64(len(waiting))] }
	for number := uint64(0); ; number++ {
		for !place(number).ready {
			o, err := f.next(ctx)
			if err != nil {
				return err
			}
			*place(o.number) = o
		}
		o := *place(number)
		*place(number) = outcome[Result]{}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case o.err != nil:
			return o.err
		case o.end:
			return nil
		}
		if err := sink(o.result); err != nil {
			return err
		}
		f.release()
	}
}

// Reduce reads items from source until it returns [io.EOF] itself and folds each into
// the accumulator of the worker that fn runs on. It returns the accumulators,
// at most one for each worker and none for a worker that had no item, in no
// particular order.
//
// Which items meet in one accumulator is left to chance, so folding and the
// merging that the caller does must be associative and commutative: integers,
// fixed point, sets; not floating-point sums. In return nothing waits for an
// earlier item, and nothing is locked.
//
// Goroutines, errors, panics and cancellation are as for [Map]. Items after
// the one that failed may have been folded; no accumulator is returned then.
func Reduce[Item, Acc any](
	ctx context.Context,
	workers int,
	source func(ctx context.Context) (Item, error),
	newAcc func() Acc,
	fn func(ctx context.Context, acc Acc, item Item) error,
) ([]Acc, error) {
	var mu sync.Mutex
	var accs []Acc
	register := func() Acc {
		acc := newAcc()
		mu.Lock()
		defer mu.Unlock()
		accs = append(accs, acc)
		return acc
	}
	fold := func(ctx context.Context, acc Acc, item Item) (struct{}, error) {
		return struct{}{}, fn(ctx, acc, item)
	}
	ctx, cancel := context.WithCancel(ctx)
	f := start(ctx, workers, source, register, fold)
	defer f.wait()
	defer cancel()

	var first outcome[struct{}] // the earliest that failed
	for received, length := uint64(0), uint64(0); length == 0 || received < length; received++ {
		o, err := f.next(ctx)
		if err != nil {
			return nil, err
		}
		if o.err != nil && (first.err == nil || o.number < first.number) {
			first = o
		}
		if o.end {
			length = o.number + 1 // the end is an outcome too
			continue
		}
		f.release()
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if first.err != nil {
		return nil, first.err
	}
	return accs, nil
}

// Numbers returns a source of 0 to n-1.
func Numbers(n int) func(context.Context) (int, error) {
	next := 0
	return func(ctx context.Context) (int, error) {
		if next == n {
			return 0, io.EOF
		}
		next++
		return next - 1, context.Cause(ctx)
	}
}
