package pool

import (
	"context"
	"io"
	"sync"
)

// Map reads items from source until it returns exactly [io.EOF], calls fn on each, and passes the results to sink in the order of
// the items.
//
// source and fn run on goroutines of the pool: source on one, fn on workers of them (GOMAXPROCS if workers is zero or less). sink
// runs on the caller's goroutine. Each worker calls newScratch before its first item, and passes the scratch to every call of fn;
// no two concurrent calls share it. fn owns its item, and sink its result. At most 4*workers items have been read whose results
// sink has not yet taken.
//
// The error is that of the earliest item in the stream for which source, fn or sink failed: sink has received all results before it
// and none after it. A panic in source, newScratch or fn, or a fault in mapped memory, becomes an error, a [*PanicError]. Once ctx
// is done, its cause is returned instead and sink is not called again. Map returns after the last calls of source and fn have
// returned, which they should do soon after their context is done.
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

	// A result that overtook an earlier one waits here, at its number modulo the length. There is one more slot than items in
	// flight, for the end of the stream.
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

// Reduce reads items from source until it returns exactly [io.EOF], and folds each into the accumulator of the worker that fn runs
// on. It returns the accumulators in no particular order: at most one for each worker, and none for a worker without items.
//
// Which items share an accumulator is left to chance. So folding, and the caller's merging, must be associative and commutative, as
// with integers, fixed-point numbers and sets, but not with floating-point sums. In return, nothing waits for an earlier item and
// nothing is locked.
//
// Goroutines, errors, panics and cancellation are as for [Map]. If an item fails, later ones may have been folded, but no
// accumulators are returned.
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

	var first outcome[struct{}] // the earliest failure
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
