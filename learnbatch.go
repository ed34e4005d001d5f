package resolwe

import (
	"runtime/debug"
	"sync"

	"resolwe/kernels/cd"
	"resolwe/pool"
)

// batch computes the gradients of an update's subgraphs side by side.
type batch struct {
	examples  []*example
	gradients []*cd.Gradient // by place in the batch, like the next two
	scores    []cd.Score
	errs      []error
	workers   chan *learner // that are free
	all       []*learner
	running   sync.WaitGroup
}

// learner computes gradients for one goroutine.
type learner struct {
	*cd.Worker
	sums *cd.Sums // that it has added to, where sums are taken
}

// newBatch returns a batch of at most so many subgraphs.
func newBatch(size int, t *LearnTask) *batch {
	b := &batch{scores: make([]cd.Score, size), errs: make([]error, size)}
	for range size {
		b.gradients = append(b.gradients, &cd.Gradient{})
	}
	workers := min(size, workerCount(t.opt.Run.Workers))
	b.workers = make(chan *learner, workers)
	for range workers {
		w := &learner{Worker: cd.NewWorker(t.gradients)}
		b.all = append(b.all, w)
		b.workers <- w
	}
	return b
}

// begin adds an example, and begins its gradient once a worker is free. A panic in it is a *pool.PanicError.
func (b *batch) begin(ex *example, gradient func(*learner, *example, *cd.Gradient, int) error) {
	place, w := len(b.examples), <-b.workers
	b.examples = append(b.examples, ex)
	b.running.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				b.errs[place] = &pool.PanicError{Item: uint64(ex.index), Value: v, Stack: debug.Stack()}
			}
			b.workers <- w
		}()
		b.errs[place] = gradient(w, ex, b.gradients[place], place)
	})
}

// wait returns once all gradients are there, with the error of the first that failed.
func (b *batch) wait() error {
	b.running.Wait()
	for i, ex := range b.examples {
		if err := b.errs[i]; err != nil {
			return &SubgraphError{Name: ex.name, Index: ex.index, Err: explained(err, ex.Net, ex.atoms)}
		}
	}
	return nil
}

// collect moves what the learners have summed to sums.
func (b *batch) collect(sums *cd.Sums) {
	for _, w := range b.all {
		if w.sums != nil {
			sums.Merge(w.sums)
			w.sums.Clear()
		}
	}
}
