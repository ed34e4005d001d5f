package job

import (
	"context"
	"io"
	"math/rand/v2"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe/pool"
)

func init() {
	register.DoFn2x0[int, func(*string) bool](&forgetFn{})
	register.Iter1[string]()
}

// Work is what a job does: an *Each.
type Work interface {
	pipeline(root beam.Scope)                            // for a runner of Beam
	here(ctx context.Context) ([]metrics.Results, error) // in this process; what was counted
}

// Each has a DoFn work on each of some elements.
type Each[T any] struct {
	Elements []string
	New      func() Fn[T] // makes a DoFn; no two goroutines share one
	Sum      Adder[T]     // of what the DoFns return; nil where T is string, and nothing is done with it
	Save     Saver[T]     // takes the sum
}

// Fn is a DoFn that works on an element.
type Fn[T any] interface {
	ProcessElement(ctx context.Context, element string) (T, error)
}

// Adder is a CombineFn. Which values meet, and in which order, is left to chance.
type Adder[T any] interface {
	MergeAccumulators(a, b T) (T, error)
}

// Saver is a DoFn that takes a sum.
type Saver[T any] interface {
	ProcessElement(ctx context.Context, sum T) error
}

// pipeline builds the pipeline. Where there is no sum, elements are grouped for nobody: while a stage without any output runs,
// Prism waits for it in a loop that takes a core.
func (w *Each[T]) pipeline(root beam.Scope) {
	done := beam.ParDo(root, w.New(), spread(root, w.Elements))
	if w.Sum == nil {
		beam.ParDo0(root, &forgetFn{}, beam.GroupByKey(root, beam.AddFixedKey(root, done)))
		return
	}
	beam.ParDo0(root, w.Save, beam.Combine(root, w.Sum, done))
}

// forgetFn does nothing.
type forgetFn struct{}

// ProcessElement ends a pipeline.
func (*forgetFn) ProcessElement(int, func(*string) bool) {}

// spread returns texts as a collection that a runner spreads over its workers: in an order that is drawn anew each time, so
// that heavy neighbours do not keep one worker.
func spread(scope beam.Scope, texts []string) beam.PCollection {
	rand.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return beam.Reshuffle(scope, beam.CreateList(scope, texts))
}

// AtOnce is how many elements a process works on at one time, each on all cores: while one comes to its end, and has less
// and less for the cores to do, the next has begun.
const AtOnce = 2

// here works on the elements without Beam's runners, which open ports. The first failure ends the work.
func (w *Each[T]) here(ctx context.Context) ([]metrics.Results, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := 0
	source := func(context.Context) (element string, err error) {
		if next == len(w.Elements) {
			return "", io.EOF
		}
		next++
		return w.Elements[next-1], nil
	}
	work := func(ctx context.Context, own *worker[T], element string) error {
		err := own.work(ctx, w, element)
		if err != nil {
			cancel(err)
		}
		return err
	}
	workers, err := pool.Reduce(ctx, AtOnce, source, func() *worker[T] { return &worker[T]{fn: w.New()} }, work)
	if err != nil {
		return nil, err
	}
	var sum T
	counted := make([]metrics.Results, len(workers))
	for i, own := range workers {
		counted[i] = metrics.ResultsExtractor(own.ctx)
		if sum, err = w.add(sum, own.sum); err != nil {
			return nil, err
		}
	}
	if w.Save != nil {
		err = w.Save.ProcessElement(ctx, sum)
	}
	return counted, err
}

func (w *Each[T]) add(a, b T) (T, error) {
	if w.Sum == nil {
		return a, nil
	}
	return w.Sum.MergeAccumulators(a, b)
}

// worker is what a goroutine has to itself.
type worker[T any] struct {
	fn  Fn[T]
	sum T
	ctx context.Context //nolint:containedctx // of the one call of here that it lives in: Beam's counters are in it
}

func (own *worker[T]) work(ctx context.Context, w *Each[T], element string) error {
	if own.ctx == nil {
		own.ctx = metrics.SetPTransformID(metrics.SetBundleID(ctx, Local), Local)
	}
	value, err := own.fn.ProcessElement(own.ctx, element)
	if err != nil {
		return err
	}
	own.sum, err = w.add(own.sum, value)
	return err
}
