package job

import (
	"context"
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

// Work has a DoFn work on each of some elements. What it returns is of no use: it leaves its results in the mailbox.
type Work struct {
	Elements []string
	New      func() Fn // makes a DoFn; no two goroutines share one
}

// Fn is a DoFn that works on an element.
type Fn interface {
	ProcessElement(ctx context.Context, element string) (string, error)
}

// pipeline builds the pipeline. Elements are grouped for nobody: while a stage without any output runs, Prism waits for it in
// a loop that takes a core.
func (w *Work) pipeline(root beam.Scope) {
	done := beam.ParDo(root, w.New(), spread(root, w.Elements))
	beam.ParDo0(root, &forgetFn{}, beam.GroupByKey(root, beam.AddFixedKey(root, done)))
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

// here works on the elements without Beam's runners, which open ports, and returns what was counted. The first failure ends
// the work.
func (w *Work) here(ctx context.Context) ([]metrics.Results, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type worker struct {
		fn  Fn
		ctx context.Context //nolint:containedctx // of this one call: Beam's counters are in it
	}
	newWorker := func() *worker {
		return &worker{w.New(), metrics.SetPTransformID(metrics.SetBundleID(ctx, Local), Local)}
	}
	workers, err := pool.Reduce(ctx, AtOnce, pool.Numbers(len(w.Elements)), newWorker, func(_ context.Context, own *worker, i int) error {
		_, err := own.fn.ProcessElement(own.ctx, w.Elements[i])
		if err != nil {
			cancel(err)
		}
		return err
	})
	counted := make([]metrics.Results, len(workers))
	for i, own := range workers {
		counted[i] = metrics.ResultsExtractor(own.ctx)
	}
	return counted, err
}
