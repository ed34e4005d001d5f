package stage

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/distributed"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&learnFn{})
}

// LearnArgs are the parameters of learning.
type LearnArgs struct {
	flags.Learn
	Mix  string `help:"What a shard does in each pass: it gives its exact gradient for one Newton step on all of them (newton), until the optimum is reached, for models that do not tie many query atoms to one another; or it learns by itself, and the weights are mixed (cd), --passes times, auto being 10; auto is newton where that can be, else steps on sampled gradients of all shards from the optimum of the pseudo-likelihood, until the weights settle, --passes of them at most, auto being 40." enum:"auto,cd,newton" default:"auto"`
	Skip int    `help:"Leave out the first so many subgraphs, those that selection used." default:"0"`
}

// mixer returns a mixer of shards.
func (a *LearnArgs) mixer(m *resolwe.Model, seed uint64, run resolwe.Run, parts []int) (*distributed.Mixer, error) {
	opt, err := a.Options(seed)
	if err != nil {
		return nil, err
	}
	opt.Skip, opt.Run = a.Skip, run
	method := map[string]distributed.MixMethod{
		"auto": distributed.MixAuto, "cd": distributed.MixCD, "newton": distributed.MixNewton,
	}[a.Mix]
	return distributed.NewMixer(m, opt, method, parts)
}

// Learner learns on shards, one job for each pass.
type Learner struct {
	*distributed.Mixer

	Skipped int // damaged subgraphs that the last pass left out

	runner *job.Runner
	task   learnTask
	list   []shard.Shard
}

// learnTask is what workers have to know beside the state of the mixer.
type learnTask struct {
	Task  Task      `json:"task"`
	Args  LearnArgs `json:"args"`
	Seed  uint64    `json:"seed"`
	Parts []int     `json:"parts"` // subgraphs of the shards
}

// NewLearner begins to learn on shards, cut into ranges of at most element subgraphs where that is not 0. What is skipped
// is left out.
func NewLearner(r *job.Runner, t Task, args LearnArgs, seed uint64, list []shard.Shard, element int) (*Learner, error) {
	if args.Skip < 0 {
		return nil, &resolwe.OptionError{Option: "--skip", Reason: "at least 0"}
	}
	list = shard.Divided(shard.Within(list, args.Skip, math.MaxInt), element)
	l := &Learner{runner: r, task: learnTask{Task: t, Args: args, Seed: seed}, list: list}
	for _, s := range list {
		l.task.Parts = append(l.task.Parts, s.Subgraphs())
	}
	m, err := t.load()
	if err != nil {
		return nil, err
	}
	l.Mixer, err = args.mixer(m, seed, t.run(), l.task.Parts)
	return l, err
}

// Pass has all shards learn for one pass, and mixes what they have learned.
func (l *Learner) Pass(ctx context.Context) error {
	parts := make([]*distributed.MixPart, len(l.list))
	err := l.run(ctx, false, func(i int, data []byte) error {
		parts[i] = &distributed.MixPart{}
		return parts[i].UnmarshalBinary(data)
	})
	if err != nil {
		return err
	}
	l.Skipped = 0
	for _, p := range parts {
		l.Skipped += p.Skipped()
	}
	return l.Mix(parts)
}

// Objective returns the penalised conditional log-likelihood, and whether it is small enough a task to compute it.
func (l *Learner) Objective(ctx context.Context) (sum float64, exact bool, err error) {
	if done := l.Learned(); done.Exact { // a by-product
		return done.Objective, true, nil
	}
	sum, exact = l.LogPrior(), true
	err = l.run(ctx, true, func(_ int, data []byte) error {
		var value float64
		var ok bool
		if _, err := fmt.Sscan(string(data), &value, &ok); err != nil {
			return err
		}
		sum += value
		exact = exact && ok
		return nil
	})
	return sum, exact, err
}

// run has all shards work from the present state, and hands what each says to take, in their order.
func (l *Learner) run(ctx context.Context, objective bool, take func(i int, data []byte) error) error {
	state, err := l.MarshalBinary()
	if err != nil {
		return err
	}
	work := func(box job.Mailbox) job.Work {
		task := l.task
		task.Task = task.Task.of(box)
		return each(l.list, func() job.Fn[string] { return &learnFn{Learn: task, State: state, Objective: objective} })
	}
	return l.runner.Run(ctx, work, func(box job.Mailbox) error {
		for i, s := range l.list {
			data, err := box.Get(ctx, partFile(s))
			if err != nil {
				return err
			}
			if err := take(i, data); err != nil {
				return err
			}
		}
		return nil
	})
}

func partFile(s shard.Shard) string { return fmt.Sprintf("part-%d", s.Number) }

// learnFn learns on a shard, or scores what has been learned on it.
type learnFn struct {
	Learn     learnTask `json:"learn"`
	State     []byte    `json:"state"`
	Objective bool      `json:"objective"`

	mixer *distributed.Mixer
}

// restore prepares the mixer, once for each DoFn.
func (f *learnFn) restore() error {
	if f.mixer != nil {
		return nil
	}
	t := &f.Learn
	m, err := t.Task.load()
	if err != nil {
		return err
	}
	x, err := t.Args.mixer(m, t.Seed, t.Task.run(), t.Parts)
	if err != nil {
		return err
	}
	if err := x.Restore(f.State); err != nil {
		return err
	}
	f.mixer = x
	return nil
}

// ProcessElement works on a shard, and leaves what came of it in the mailbox.
func (f *learnFn) ProcessElement(ctx context.Context, element string) (string, error) {
	t := &f.Learn.Task
	return element, t.on(ctx, element, true, partFile, func(s shard.Shard, stream *resolwe.Stream) error {
		if err := f.restore(); err != nil {
			return err
		}
		data, err := f.work(ctx, s, stream)
		if err != nil {
			return err
		}
		return t.Box.Put(ctx, partFile(s), data)
	})
}

func (f *learnFn) work(ctx context.Context, s shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	if f.Objective {
		value, ok, err := f.mixer.LogLikelihood(ctx, stream, s.Number)
		return fmt.Append(nil, value, " ", ok), err
	}
	p, err := f.mixer.Learn(ctx, stream, s.Number)
	if err != nil {
		return nil, err
	}
	return p.MarshalBinary()
}
