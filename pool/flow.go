package pool

import (
	"context"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// errExit reports a callback that neither returned nor panicked.
var errExit = errors.New("pool: callback ended its goroutine")

// job is an item with its position in the stream, from 0.
type job[Item any] struct {
	number uint64
	item   Item
}

// outcome is the result of the item of that number. The end of the stream is an outcome too, numbered after the last item.
type outcome[Result any] struct {
	number uint64
	result Result
	err    error
	ready  bool
	end    bool
}

// flow is what Map and Reduce share: a goroutine that reads the source, the
// workers, and a bound on the items between the source and the caller.
type flow[Item, Result any] struct {
	slots    chan struct{} // one element for each item in flight
	jobs     chan job[Item]
	outcomes chan outcome[Result]
	group    errgroup.Group // errors travel as outcomes, not through it
}

// start starts the goroutines, which end when the source ends or ctx is done.
func start[Item, Scratch, Result any](
	ctx context.Context,
	workers int,
	source func(context.Context) (Item, error),
	newScratch func() Scratch,
	fn func(context.Context, Scratch, Item) (Result, error),
) *flow[Item, Result] {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	window := 4 * workers
	f := &flow[Item, Result]{
		slots:    make(chan struct{}, window),
		jobs:     make(chan job[Item], window),
		outcomes: make(chan outcome[Result], window+1), // one extra for the end: a send never blocks
	}
	reading, halt := context.WithCancel(ctx)
	// The first failure ends the source. Items already read still run, since one of them may be earlier in the stream and fail too.
	report := func(o outcome[Result]) {
		if o.err != nil {
			halt()
		}
		o.ready = true
		f.outcomes <- o
		runtime.Gosched() // let whoever waits for the outcome run before the next item
	}
	f.group.Go(func() error {
		defer halt()
		f.read(reading, source, report)
		return nil
	})
	for range workers {
		f.group.Go(func() error {
			debug.SetPanicOnFault(true)
			scratch := sync.OnceValue(newScratch)
			f.work(func(item Item) (Result, error) {
				if err := ctx.Err(); err != nil {
					var none Result
					return none, err
				}
				return fn(ctx, scratch(), item)
			}, report)
			return nil
		})
	}
	return f
}

// read numbers the items of source and passes each on as soon as there is a slot for it, then reports the end of the stream.
func (f *flow[Item, Result]) read(
	ctx context.Context,
	source func(context.Context) (Item, error),
	report func(outcome[Result]),
) {
	debug.SetPanicOnFault(true)
	defer close(f.jobs)
	end := outcome[Result]{err: errExit, end: true}
	defer func() {
		if v := recover(); v != nil {
			end.err = NewPanicError(end.number, v)
		}
		report(end)
	}()
	for ; ; end.number++ {
		select {
		case f.slots <- struct{}{}:
		case <-ctx.Done():
			end.err = ctx.Err()
			return
		}
		item, err := source(ctx)
		if err != nil {
			end.err = err
			if err == io.EOF { //nolint:errorlint // a wrapped one means damage
				end.err = nil
			}
			return
		}
		f.jobs <- job[Item]{end.number, item}
	}
}

// work runs fn on jobs until there are no more.
func (f *flow[Item, Result]) work(fn func(Item) (Result, error), report func(outcome[Result])) {
	// Jobs remain here only if fn ended the goroutine. They come after the one at which it ended, so they need not run.
	defer func() {
		for j := range f.jobs {
			report(outcome[Result]{number: j.number, err: errExit})
		}
	}()
	attempt := func(j job[Item]) {
		o := outcome[Result]{number: j.number, err: errExit}
		defer func() {
			if v := recover(); v != nil {
				o.err = NewPanicError(j.number, v)
			}
			report(o)
		}()
		o.result, o.err = fn(j.item)
	}
	for j := range f.jobs {
		attempt(j)
	}
}

// next waits for an outcome, in order of arrival.
func (f *flow[Item, Result]) next(ctx context.Context) (outcome[Result], error) {
	select {
	case o := <-f.outcomes:
		return o, nil
	case <-ctx.Done():
		return outcome[Result]{}, context.Cause(ctx)
	}
}

// release lets source read one more item.
func (f *flow[Item, Result]) release() { <-f.slots }

// wait waits until all goroutines have ended.
func (f *flow[Item, Result]) wait() { _ = f.group.Wait() }
