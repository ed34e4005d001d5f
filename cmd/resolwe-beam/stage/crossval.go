package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/crossval"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&crossvalFn{})
}

// CrossvalArgs are the parameters of cross-validation.
type CrossvalArgs struct {
	flags.Crossval
	Test int `help:"Test subgraphs of a fold at most, drawn at random, the same for all systems; 0 for all." default:"0" placeholder:"N"`
}

func (a *CrossvalArgs) options(seed uint64, run resolwe.Run) (crossval.Options, error) {
	opt, err := a.Options(seed)
	opt.Test, opt.Run, opt.Now = a.Test, run, time.Now
	return opt, err
}

// Crossval cross-validates on the stream of all shards, which each worker opens whole: an element is a system on a fold, or a
// fold where candidates are discovered. It returns what the function Run of package crossval returns, with the seconds of the
// workers, and how many damaged subgraphs were left out. What is finished is saved every so often, and at the end.
func Crossval(
	ctx context.Context, r *job.Runner, t Task, args CrossvalArgs, seed uint64, list []shard.Shard,
	checkpoints resolwe.Checkpoints, every time.Duration,
) (result *crossval.Result, skipped uint64, err error) {
	fn := &crossvalFn{Task: t, Args: args, Seed: seed, Shards: list}
	m, s, opt, err := fn.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	opt.Checkpoints.Resume = checkpoints.Resume
	save := func(done [][]byte) (err error) {
		opt.Checkpoints.Resume, err = crossval.Join(ctx, m, s.Stream, opt, done)
		if err != nil || checkpoints.Save == nil {
			return err
		}
		return checkpoints.Save(opt.Checkpoints.Resume)
	}
	parts, err := crossval.Parts(ctx, m, s.Stream, opt)
	if err != nil {
		return nil, 0, err
	}
	if len(parts) > 0 {
		if err := newCrossvalJob(fn, parts, save).run(ctx, r, every); err != nil {
			return nil, 0, err
		}
	}
	result, err = crossval.Run(ctx, m, s.Stream, opt)
	return result, uint64(s.Skipped()), err
}

// crossvalJob is the parts of a cross-validation that workers do.
type crossvalJob struct {
	fn   *crossvalFn
	save func(done [][]byte) error // checkpoints of parts

	mu   sync.Mutex // of what follows
	left map[int]crossval.Part
	box  job.Mailbox
}

func newCrossvalJob(fn *crossvalFn, parts []crossval.Part, save func([][]byte) error) *crossvalJob {
	c := &crossvalJob{fn: fn, save: save, left: map[int]crossval.Part{}}
	for i, p := range parts {
		c.left[i] = p
	}
	return c
}

// run has all parts done, and saves those that are there every so often.
func (c *crossvalJob) run(ctx context.Context, r *job.Runner, every time.Duration) error {
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
				if err := c.collect(ctx, 1); err != nil { // which leaves one for the job's next attempt
					stop(err)
				}
			}
		}
	})
	defer watch.Wait()
	defer stop(nil)
	return r.Run(ctx, c.work, func(job.Mailbox) error {
		if err := c.collect(ctx, 0); err != nil {
			return err
		}
		if len(c.left) > 0 {
			return job.ErrNoResult
		}
		return nil
	})
}

// work is what an attempt does.
func (c *crossvalJob) work(box job.Mailbox) job.Work {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.box = box
	elements := make([]string, 0, len(c.left))
	for _, n := range slices.Sorted(maps.Keys(c.left)) {
		elements = append(elements, crossvalElement{n, c.left[n]}.String())
	}
	return &job.Each[string]{Elements: elements, New: func() job.Fn[string] {
		fn := *c.fn
		fn.Task = fn.Task.of(box)
		return &fn
	}}
}

// collect saves the parts that are in the mailbox, and leaves so many.
func (c *crossvalJob) collect(ctx context.Context, least int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var done [][]byte
	for n := range c.left {
		if len(c.left) == least {
			break
		}
		if data, err := c.box.Get(ctx, checkpointFile(n)); err == nil {
			done = append(done, data)
			delete(c.left, n)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return c.save(done)
}

// crossvalElement is a part with its number, which names its result.
type crossvalElement struct {
	Number int           `json:"number"`
	Part   crossval.Part `json:"part"`
}

// String returns the element as JSON.
func (e crossvalElement) String() string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // numbers and strings have a JSON form
	}
	return string(b)
}

func checkpointFile(number int) string { return fmt.Sprintf("checkpoint-%d", number) }

// crossvalFn does parts of a cross-validation.
type crossvalFn struct {
	Task   Task          `json:"task"`
	Args   CrossvalArgs  `json:"args"`
	Seed   uint64        `json:"seed"`
	Shards []shard.Shard `json:"shards"`
}

// open opens the whole stream, which the caller closes.
func (f *crossvalFn) open(ctx context.Context) (*resolwe.Model, *shard.Open, crossval.Options, error) {
	opt, err := f.Args.options(f.Seed, f.Task.run())
	if err != nil {
		return nil, nil, opt, err
	}
	m, err := f.Task.load()
	if err != nil {
		return nil, nil, opt, err
	}
	s, err := shard.OpenAll(ctx, m, f.Shards, resolwe.StreamOptions{Names: true, SkipDamaged: f.Task.SkipDamaged})
	return m, s, opt, err
}

// ProcessElement leaves a checkpoint of a part in the mailbox.
func (f *crossvalFn) ProcessElement(ctx context.Context, element string) (string, error) {
	var e crossvalElement
	if err := json.Unmarshal([]byte(element), &e); err != nil {
		return element, f.Task.Box.Fail(ctx, fmt.Errorf("element of the pipeline: %w", err))
	}
	return element, f.Task.once(ctx, checkpointFile(e.Number), func() (err error) {
		m, s, opt, err := f.open(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		if err := disturb(shard.Shard{Number: e.Number}); err != nil {
			return err
		}
		data, err := crossval.RunPart(ctx, m, s.Stream, opt, e.Part)
		if err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, checkpointFile(e.Number), data)
	})
}
