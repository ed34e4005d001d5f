package stage

import (
	"context"
	"errors"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/format/mln"
	"resolwe/internal/stage/selecting"

	"resolwe/cmd/resolwe-beam/distributed"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// Select selects on shards, and returns what the function Select of package resolwe returns on their stream. The options' number of
// subgraphs is ignored: the shards are already limited to it. If candidates compare numbers, an extra job counts these. Formulas with
// several target literals are chosen here, on some subgraphs, whose shards are opened.
func Select(
	ctx context.Context, r *job.Runner, t Task, args flags.Select, seed uint64, list []shard.Shard,
) (sel *resolwe.Selection, skipped uint64, err error) {
	w := counting{Args: args, Seed: seed}
	if err := w.prepare(&t); err != nil {
		return nil, 0, err
	}
	if len(w.selector.NewNumberCounts()) > 0 {
		var numbers, part distributed.NumberCounts
		w.Numbers = true
		j := shardJob{begin: func() { numbers = distributed.NumberCounts{} }, take: func(_ int, result []byte) error {
			err := part.UnmarshalBinary(result)
			numbers.Add(&part)
			return err
		}}
		if err := w.run(ctx, r, t, list, j); err != nil {
			return nil, 0, err
		}
		w.Numbers, w.Boundaries = false, numbers.Boundaries()
		w.selector = w.selector.WithNumbers(w.Boundaries)
	}
	var counts, part distributed.SelectionCounts
	begin := func() { counts = distributed.SelectionCounts{SelectionCounts: *w.selector.NewCounts()} }
	begin()
	j := shardJob{begin: begin, take: func(_ int, result []byte) error {
		if err := part.UnmarshalBinary(result); err != nil {
			return err
		}
		return counts.Add(&part)
	}}
	if err := w.run(ctx, r, t, list, j); err != nil {
		return nil, 0, err
	}
	o := &opener{ctx: ctx, task: t, model: t.model, list: list}
	defer func() { err = errors.Join(err, o.close()) }()
	sel, err = w.selector.Select(ctx, &counts.SelectionCounts, o.again)
	return sel, counts.Skipped, err
}

// counting counts candidates on a shard or, in an earlier job, the numbers that they compare.
type counting struct {
	Args       flags.Select               `json:"args"`
	Seed       uint64                     `json:"seed"`
	Numbers    bool                       `json:"numbers"`
	Boundaries selecting.NumberBoundaries `json:"boundaries"` // the boundaries for the shards' numbers

	selector *selecting.Selector // created once
}

// run runs a job that takes what is counted.
func (w *counting) run(ctx context.Context, r *job.Runner, t Task, list []shard.Shard, j shardJob) error {
	j.stage, j.worker, j.list, j.check = "count", w, list, true
	return j.run(ctx, r, t)
}

// prepare creates the selector.
func (w *counting) prepare(t *Task) error {
	if w.selector != nil {
		return nil
	}
	opt, err := w.Args.Options(w.Seed)
	if err != nil {
		return err
	}
	opt.Run = t.run()
	selector, err := selecting.NewSelector(t.model, opt)
	if err == nil {
		w.selector = selector.WithNumbers(w.Boundaries)
	}
	return err
}

func (w *counting) work(ctx context.Context, t *Task, _ shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	if err := w.prepare(t); err != nil {
		return nil, err
	}
	if w.Numbers {
		numbers, err := w.selector.CountNumbers(ctx, stream)
		if err != nil {
			return nil, err
		}
		return (&distributed.NumberCounts{NumberCounts: numbers}).MarshalBinary()
	}
	counts, err := w.selector.Count(ctx, stream)
	if err != nil {
		return nil, err
	}
	for i := range counts.Sums { // none by gain
		joint, name := &counts.Sums[i].Joint, mln.FormatFormula(w.selector.Candidates()[i].Formula)
		beam.NewCounter(job.Namespace, "selected by "+name).Inc(ctx, int64(joint.Selected))
		beam.NewCounter(job.Namespace, "true of "+name).Inc(ctx, int64(joint.True))
	}
	return (&distributed.SelectionCounts{SelectionCounts: *counts}).MarshalBinary()
}
