package stage

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/distributed"
	"resolwe/format/mln"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// Select selects on shards, and returns what the function Select of package resolwe returns on the stream of them. The
// options' number of subgraphs has no effect: shards are those within it. Where candidates compare numbers these are counted by
// a job of their own. Formulas of several target literals are chosen here, on some subgraphs, whose shards are opened.
func Select(
	ctx context.Context, r *job.Runner, t Task, args flags.Select, seed uint64, list []shard.Shard,
) (sel *resolwe.Selection, skipped uint64, err error) {
	w := counting{Args: args, Seed: seed}
	if err := t.load(); err != nil {
		return nil, 0, err
	}
	c, err := w.newCounter(&t)
	if err != nil {
		return nil, 0, err
	}
	if len(c.selector.NewNumberCounts()) > 0 {
		var numbers, part distributed.NumberCounts
		w.Numbers = true
		if err := w.sum(ctx, r, t, list, &part, func() error { return numbers.Add(&part) }); err != nil {
			return nil, 0, err
		}
		w.Numbers, w.Boundaries = false, numbers.Boundaries()
		c.selector = c.selector.WithNumbers(w.Boundaries)
	}
	var counts, part distributed.SelectionCounts
	if err := w.sum(ctx, r, t, list, &part, func() error { return counts.Add(&part) }); err != nil {
		return nil, 0, err
	}
	o := &opener{ctx: ctx, task: t, model: t.model, list: list}
	defer func() { err = errors.Join(err, o.close()) }()
	sel, err = c.selector.Select(ctx, &counts, o.again)
	return sel, counts.Skipped, err
}

// counting counts candidates on a shard, or before that the numbers that they compare.
type counting struct {
	Args       flags.Select             `json:"args"`
	Seed       uint64                   `json:"seed"`
	Numbers    bool                     `json:"numbers"`
	Boundaries resolwe.NumberBoundaries `json:"boundaries"` // that the shards' numbers are compared with
}

// sum runs a job, and adds what came of each shard, which is read into part.
func (w *counting) sum(
	ctx context.Context, r *job.Runner, t Task, list []shard.Shard, part encoding.BinaryUnmarshaler, add func() error,
) error {
	j := shardJob{stage: "count", worker: w, list: list, take: func(_ int, result []byte) error {
		if err := part.UnmarshalBinary(result); err != nil {
			return err
		}
		return add()
	}}
	return j.run(ctx, r, t)
}

// counter is what counting takes.
type counter struct {
	selector *distributed.Selector
	names    []string // of the candidates
}

// counters are shared with their memory by the DoFns of a process.
var counters latest[*counter]

// counter returns the counter for a task's model.
func (w *counting) counter(t *Task) (*counter, error) {
	key, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	return counters.get(fmt.Sprintf("%p %s", t.model, key), func() (*counter, error) { return w.newCounter(t) })
}

func (w *counting) newCounter(t *Task) (*counter, error) {
	opt, err := w.Args.Options(w.Seed)
	if err != nil {
		return nil, err
	}
	opt.Run = t.run()
	selector, err := distributed.NewSelector(t.model, opt)
	if err != nil {
		return nil, err
	}
	out := &counter{selector: selector.WithNumbers(w.Boundaries)}
	for _, c := range out.selector.Candidates() {
		out.names = append(out.names, mln.FormatFormula(c.Formula))
	}
	return out, nil
}

func (w *counting) work(ctx context.Context, t *Task, _ shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	c, err := w.counter(t)
	if err != nil {
		return nil, err
	}
	if w.Numbers {
		numbers, err := c.selector.CountNumbers(ctx, stream)
		if err != nil {
			return nil, err
		}
		return numbers.MarshalBinary()
	}
	counts, err := c.selector.Count(ctx, stream)
	if err != nil {
		return nil, err
	}
	for i := range counts.Sums {
		t := &counts.Sums[i]
		beam.NewCounter(job.Namespace, "selected by "+c.names[i]).Inc(ctx, int64(t.Joint.Selected))
		beam.NewCounter(job.Namespace, "true of "+c.names[i]).Inc(ctx, int64(t.Joint.True))
	}
	return counts.MarshalBinary()
}
