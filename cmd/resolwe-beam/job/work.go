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

// Work runs a DoFn on each of some elements. The output of the pipeline is not used: results go to the mailbox.
type Work struct {
	Elements []string
	New      func() Fn // makes a DoFn; each goroutine has its own
}

// Fn is a DoFn that processes an element.
type Fn interface {
	ProcessElement(ctx context.Context, element string) (string, error)
}

// pipeline builds the pipeline. The elements are grouped although nothing needs it: Prism waits for a stage without output in a loop that
// takes a whole core.
func (w *Work) pipeline(root beam.Scope) {
	done := beam.ParDo(root, w.New(), spread(root, w.Elements))
	beam.ParDo0(root, &forgetFn{}, beam.GroupByKey(root, beam.AddFixedKey(root, done)))
}

// forgetFn does nothing.
type forgetFn struct{}

// ProcessElement ends a pipeline.
func (*forgetFn) ProcessElement(int, func(*string) bool) {}

// spread returns texts as a collection that a runner spreads over its workers. The order is random each time, so that expensive neighbours
// do not all go to one worker.
func spread(scope beam.Scope, texts []string) beam.PCollection {
	rand.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return beam.Reshuffle(scope, beam.CreateList(scope, texts))
}

// AtOnce is how many elements a process works on at a time, each on all cores: when one nears its end and uses fewer cores, the next has
// already begun.
const AtOnce = 2

// here processes the elements without Beam's runners, which open ports, and returns the counters. It stops at the first failure.
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
