package stage

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/crossval"
	"resolwe/format/subgraph"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// CrossvalArgs are the parameters of cross-validation.
type CrossvalArgs struct {
	flags.Crossval
	Test int `help:"The most subgraphs to test in a fold, drawn at random, the same for all systems; 0 for all, as in a task with one query atom a subgraph." default:"0" placeholder:"N"`
}

func (a *CrossvalArgs) options(seed uint64, run resolwe.Run) (crossval.Options, error) {
	opt, err := a.Options(seed)
	opt.Test, opt.Run, opt.Now = a.Test, run, time.Now
	return opt, err
}

// Crossval cross-validates on the stream of all shards, which each worker opens whole. An element is a system on a fold, or just a fold if
// candidates are discovered. It returns what the function Run of package crossval returns, with the workers' seconds, and the number of
// damaged subgraphs left out. It saves finished parts regularly and at the end.
func Crossval(
	ctx context.Context, r *job.Runner, t Task, args CrossvalArgs, seed uint64, list []shard.Shard,
	checkpoints resolwe.Checkpoints, every time.Duration,
) (result *crossval.Result, skipped uint64, err error) {
	w := &crossvalidating{Args: args, Seed: seed, Shards: list}
	s, opt, err := w.open(ctx, &t)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	opt.Checkpoints.Resume = checkpoints.Resume
	c := crossvalJob{shardJob: shardJob{stage: "crossval", worker: w}}
	c.save = func(done [][]byte) (err error) {
		opt.Checkpoints.Resume, err = crossval.Join(ctx, t.model, s.Stream, opt, done)
		if err != nil || checkpoints.Save == nil {
			return err
		}
		return checkpoints.Save(opt.Checkpoints.Resume)
	}
	if w.Parts, err = crossval.Parts(ctx, t.model, s.Stream, opt); err != nil {
		return nil, 0, err
	}
	for i := range w.Parts {
		c.list = append(c.list, shard.Shard{Number: i})
	}
	if len(c.list) > 0 {
		if err := c.run(ctx, r, t, every); err != nil {
			return nil, 0, err
		}
	}
	if result, err = crossval.Run(ctx, t.model, s.Stream, opt); err == nil && t.SkipDamaged { // which here read little of it
		err = resolwe.Each(ctx, s.Stream, t.run(), func(*subgraph.Subgraph) error { return nil })
	}
	return result, uint64(s.Skipped()), err
}

// crossvalJob is the parts of a cross-validation for workers; its list holds those that remain. A part takes the place of a shard.
type crossvalJob struct {
	shardJob

	save func(done [][]byte) error // checkpoints of parts

	mu  sync.Mutex // of list and box
	box job.Mailbox
}

// run does all parts, and saves finished ones regularly.
func (c *crossvalJob) run(ctx context.Context, r *job.Runner, t Task, every time.Duration) error {
	ctx, stop := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := c.collect(ctx, 1); err != nil { // this leaves one for the job's next attempt
					stop(err)
				}
			}
		}
	})
	defer watch.Wait()
	defer stop(nil)
	work := func(box job.Mailbox) *job.Work {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.box = box
		return c.work(t, box)
	}
	return r.Run(ctx, work, func(job.Mailbox) error {
		if err := c.collect(ctx, 0); err != nil {
			return err
		}
		if len(c.list) > 0 {
			return job.ErrNoResult
		}
		return nil
	})
}

// collect saves finished parts from the mailbox, but always leaves least parts to do.
func (c *crossvalJob) collect(ctx context.Context, least int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var done [][]byte
	left := len(c.list)
	c.list = slices.DeleteFunc(c.list, func(s shard.Shard) bool {
		if left == least {
			return false
		}
		result, err := resultOf(ctx, c.box, s)
		if err == nil {
			done = append(done, result.Data)
			left--
		}
		return err == nil
	})
	if len(done) == 0 {
		return nil
	}
	return c.save(done)
}

// crossvalidating does parts of a cross-validation.
type crossvalidating struct {
	Args   CrossvalArgs    `json:"args"`
	Seed   uint64          `json:"seed"`
	Shards []shard.Shard   `json:"shards"`
	Parts  []crossval.Part `json:"parts"` // by number
}

// open opens the whole stream, which the caller closes.
func (w *crossvalidating) open(ctx context.Context, t *Task) (*shard.Open, crossval.Options, error) {
	opt, err := w.Args.options(w.Seed, t.run())
	if err != nil {
		return nil, opt, err
	}
	s, err := shard.OpenAll(ctx, t.model, w.Shards, resolwe.StreamOptions{Names: true, SkipDamaged: t.SkipDamaged})
	return s, opt, err
}

// work returns a checkpoint of a part.
func (w *crossvalidating) work(ctx context.Context, t *Task, part shard.Shard, _ *resolwe.Stream) (result []byte, err error) {
	s, opt, err := w.open(ctx, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return crossval.RunPart(ctx, t.model, s.Stream, opt, w.Parts[part.Number])
}
