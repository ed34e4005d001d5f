package stage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"resolwe"
	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/distributed"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// LearnArgs are the parameters of learning.
type LearnArgs struct {
	flags.Learn
	Mix  string `help:"What a shard does in each pass: it gives its exact gradient for one Newton step on all of them (newton), until the optimum is reached, for models that do not tie many query atoms to one another; or it learns by itself, and the weights are mixed (cd), --passes times, auto being 10; auto is newton where that can be, else steps on sampled gradients of all shards from the optimum of the pseudo-likelihood, until the weights settle, --passes of them at most, auto being 40. --batch, and --passes where gradients are exact, need cd." enum:"auto,cd,newton" default:"auto"`
	Skip int    `help:"Leave out this many first subgraphs: those that selection used." default:"0"`
}

// Learner learns on shards, with one job for each pass.
type Learner struct {
	*distributed.Mixer

	Skipped int // damaged subgraphs left out by the last pass

	runner *job.Runner
	task   Task
	worker learning
	list   []shard.Shard
}

// NewLearner starts learning on shards, cut into ranges of at most element subgraphs unless that is 0. Skipped subgraphs are left out.
func NewLearner(r *job.Runner, t Task, args LearnArgs, seed uint64, list []shard.Shard, element int) (*Learner, error) {
	if args.Skip < 0 {
		return nil, &resolwe.OptionError{Option: "--skip", Reason: "at least 0"}
	}
	sums := sha256.New()
	for _, s := range list {
		fmt.Fprintln(sums, s.Sum)
	}
	list = shard.Divided(shard.Within(list, args.Skip, math.MaxInt), element)
	l := &Learner{runner: r, task: t, worker: learning{Args: args, Seed: seed, Records: hex.EncodeToString(sums.Sum(nil)[:16])}, list: list}
	for _, s := range list {
		l.worker.Parts = append(l.worker.Parts, s.Subgraphs())
	}
	var err error
	l.Mixer, err = l.worker.newMixer(&t)
	return l, err
}

// Pass makes all shards learn for one pass, and mixes what they have learned.
func (l *Learner) Pass(ctx context.Context) error {
	parts := make([]*distributed.MixPart, len(l.list))
	err := l.run(ctx, false, nil, func(i int, data []byte) error {
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

// Objective returns the penalised conditional log-likelihood, and whether the task is small enough to compute it.
func (l *Learner) Objective(ctx context.Context) (sum float64, exact bool, err error) {
	if done := l.Learned(); done.Exact { // already known
		return done.Objective, true, nil
	}
	begin := func() { sum, exact = l.LogPrior(), true }
	begin()
	err = l.run(ctx, true, begin, func(_ int, data []byte) error {
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

// run makes all shards work from the present state, and hands their results to take, in order, after begin.
func (l *Learner) run(ctx context.Context, objective bool, begin func(), take func(i int, data []byte) error) error {
	w := l.worker
	w.Objective = objective
	var err error
	if w.State, err = l.MarshalBinary(); err != nil {
		return err
	}
	j := shardJob{stage: "learn", worker: &w, names: true, check: true, list: l.list, begin: begin, take: take}
	return j.run(ctx, l.runner, l.task)
}

// learning learns on a shard from the state of a mixer, or scores the learned weights on it.
type learning struct {
	Args      LearnArgs `json:"args"`
	Seed      uint64    `json:"seed"`
	Parts     []int     `json:"parts"`   // subgraphs of the shards
	Records   string    `json:"records"` // represents the contents of the stream
	State     []byte    `json:"state"`
	Objective bool      `json:"objective"`

	mixer *distributed.Mixer
}

// newMixer returns a mixer of the shards.
func (w *learning) newMixer(t *Task) (*distributed.Mixer, error) {
	a := &w.Args
	opt, err := a.Options(w.Seed)
	if err != nil {
		return nil, err
	}
	opt.Skip, opt.Run = a.Skip, t.run()
	method := map[string]distributed.MixMethod{
		"auto": distributed.MixAuto, "cd": distributed.MixCD, "newton": distributed.MixNewton,
	}[a.Mix]
	x, err := distributed.NewMixer(t.model, opt, method, w.Parts)
	if err == nil {
		x.Records = w.Records
	}
	return x, err
}

func (w *learning) work(ctx context.Context, t *Task, s shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	if w.mixer == nil {
		x, err := w.newMixer(t)
		if err != nil {
			return nil, err
		}
		if err := x.Restore(w.State); err != nil {
			return nil, err
		}
		w.mixer = x
	}
	if w.Objective {
		value, ok, err := w.mixer.LogLikelihood(ctx, stream, s.Number)
		return fmt.Append(nil, value, " ", ok), err
	}
	p, err := w.mixer.Learn(ctx, stream, s.Number)
	if err != nil {
		return nil, err
	}
	return p.MarshalBinary()
}
