package stage

import (
	"context"
	"errors"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/distributed"
	"resolwe/format/mln"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[distributed.SelectionCounts](), encodeCounts, decodeCounts)
	beam.RegisterCoder(reflect.TypeFor[distributed.NumberCounts](), encodeNumbers, decodeNumbers)
	register.DoFn2x2[context.Context, string, distributed.SelectionCounts, error](&countFn{})
	register.DoFn2x1[context.Context, distributed.SelectionCounts, error](&saveCountsFn{})
	register.Combiner1[distributed.SelectionCounts](&addCountsFn{})
	register.DoFn2x2[context.Context, string, distributed.NumberCounts, error](&countNumbersFn{})
	register.DoFn2x1[context.Context, distributed.NumberCounts, error](&saveNumbersFn{})
	register.Combiner1[distributed.NumberCounts](&addNumbersFn{})
}

func encodeCounts(c distributed.SelectionCounts) ([]byte, error) { return c.MarshalBinary() }

func decodeCounts(data []byte) (c distributed.SelectionCounts, err error) {
	err = c.UnmarshalBinary(data)
	return c, err
}

// SelectArgs are the parameters of selection.
type SelectArgs struct {
	flags.Select

	Seed    uint64                   `json:"seed"`
	Numbers resolwe.NumberBoundaries `json:"numbers"` // that the shards' numbers are compared with
}

// Select selects on shards, and returns what the function Select of package resolwe returns on the stream of them. The
// options' number of subgraphs has no effect: shards are those within it. Where candidates compare numbers these are counted by
// a job of their own. Formulas of several target literals are chosen here, on some subgraphs, whose shards are opened.
func Select(
	ctx context.Context, r *job.Runner, t Task, args flags.Select, seed uint64, list []shard.Shard,
) (sel *resolwe.Selection, skipped uint64, err error) {
	all := SelectArgs{Select: args, Seed: seed}
	c, err := newCounter(t, all)
	if err != nil {
		return nil, 0, err
	}
	if len(list) > 0 && len(c.selector.NewNumberCounts()) > 0 {
		if all.Numbers, err = numbers(ctx, r, t, all, list); err != nil {
			return nil, 0, err
		}
		c.selector = c.selector.WithNumbers(all.Numbers)
	}
	var counts distributed.SelectionCounts
	if len(list) > 0 {
		work := func(box job.Mailbox) job.Work {
			return &job.Each[distributed.SelectionCounts]{
				Elements: elements(list), Sum: &addCountsFn{}, Save: &saveCountsFn{box},
				New: func() job.Fn[distributed.SelectionCounts] { return &countFn{Task: t.of(box), Args: all} },
			}
		}
		err := r.Run(ctx, work, func(box job.Mailbox) error {
			data, err := box.Get(ctx, countsFile)
			if err != nil {
				return err
			}
			return counts.UnmarshalBinary(data)
		})
		if err != nil {
			return nil, 0, err
		}
	}
	o := &opener{ctx: ctx, task: t, model: c.model, list: list}
	defer func() { err = errors.Join(err, o.close()) }()
	sel, err = c.selector.Select(ctx, &counts, o.again)
	return sel, counts.Skipped, err
}

// counter is what counting takes.
type counter struct {
	model    *resolwe.Model
	selector *distributed.Selector
	names    []string // of the candidates
}

var counters latest[*counter]

func newCounter(t Task, args SelectArgs) (*counter, error) {
	m, err := t.load()
	if err != nil {
		return nil, err
	}
	opt, err := args.Options(args.Seed)
	if err != nil {
		return nil, err
	}
	opt.Run = t.run()
	selector, err := distributed.NewSelector(m, opt)
	if err != nil {
		return nil, err
	}
	selector = selector.WithNumbers(args.Numbers)
	out := &counter{model: m, selector: selector}
	for _, c := range selector.Candidates() {
		out.names = append(out.names, mln.FormatFormula(c.Formula))
	}
	return out, nil
}

// countFn counts candidates on shards.
type countFn struct {
	Task Task       `json:"task"`
	Args SelectArgs `json:"args"`
}

// ProcessElement counts on a shard.
func (f *countFn) ProcessElement(ctx context.Context, element string) (distributed.SelectionCounts, error) {
	var out distributed.SelectionCounts
	c, err := counters.get(f, func() (*counter, error) { return newCounter(f.Task, f.Args) })
	if err != nil {
		return out, f.Task.Box.Fail(ctx, err)
	}
	f.Task.model = c.model
	err = f.Task.on(ctx, element, false, nil, func(_ shard.Shard, stream *resolwe.Stream) error {
		counts, err := c.selector.Count(ctx, stream)
		if err != nil {
			return err
		}
		for i := range counts.Sums {
			t := &counts.Sums[i]
			beam.NewCounter(job.Namespace, "selected by "+c.names[i]).Inc(ctx, int64(t.Joint.Selected))
			beam.NewCounter(job.Namespace, "true of "+c.names[i]).Inc(ctx, int64(t.Joint.True))
		}
		out = *counts
		return nil
	})
	return out, err
}

// addCountsFn adds the counts of shards.
type addCountsFn struct{}

// MergeAccumulators adds two.
func (*addCountsFn) MergeAccumulators(a, b distributed.SelectionCounts) (distributed.SelectionCounts, error) {
	var sum distributed.SelectionCounts
	if err := sum.Add(&a); err != nil {
		return sum, err
	}
	err := sum.Add(&b)
	return sum, err
}

const countsFile = "counts"

// saveCountsFn hands over the counts of all shards.
type saveCountsFn struct {
	Box job.Mailbox `json:"box"`
}

// ProcessElement writes them.
func (f *saveCountsFn) ProcessElement(ctx context.Context, c distributed.SelectionCounts) error {
	data, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	return f.Box.Put(ctx, countsFile, data)
}
