package stage

import (
	"context"

	"resolwe"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/distributed"
)

func encodeNumbers(c distributed.NumberCounts) ([]byte, error) { return c.MarshalBinary() }

func decodeNumbers(data []byte) (c distributed.NumberCounts, err error) {
	err = c.UnmarshalBinary(data)
	return c, err
}

// numbers counts the numbers of shards, and returns their boundaries.
func numbers(ctx context.Context, r *job.Runner, t Task, args SelectArgs, list []shard.Shard) (resolwe.NumberBoundaries, error) {
	work := func(box job.Mailbox) job.Work {
		return &job.Each[distributed.NumberCounts]{
			Elements: elements(list), Sum: &addNumbersFn{}, Save: &saveNumbersFn{box},
			New: func() job.Fn[distributed.NumberCounts] { return &countNumbersFn{Task: t.of(box), Args: args} },
		}
	}
	var counts distributed.NumberCounts
	err := r.Run(ctx, work, func(box job.Mailbox) error {
		data, err := box.Get(ctx, numbersFile)
		if err != nil {
			return err
		}
		return counts.UnmarshalBinary(data)
	})
	return counts.Boundaries(), err
}

// countNumbersFn counts the numbers of shards.
type countNumbersFn struct {
	Task Task       `json:"task"`
	Args SelectArgs `json:"args"`
}

// ProcessElement counts those of a shard.
func (f *countNumbersFn) ProcessElement(ctx context.Context, element string) (distributed.NumberCounts, error) {
	var out distributed.NumberCounts
	c, err := counters.get(f, func() (*counter, error) { return newCounter(f.Task, f.Args) })
	if err != nil {
		return out, f.Task.Box.Fail(ctx, err)
	}
	f.Task.model = c.model
	err = f.Task.on(ctx, element, false, nil, func(_ shard.Shard, stream *resolwe.Stream) error {
		counts, err := c.selector.CountNumbers(ctx, stream)
		if err != nil {
			return err
		}
		out = *counts
		return nil
	})
	return out, err
}

// addNumbersFn adds the numbers of shards.
type addNumbersFn struct{}

// MergeAccumulators adds two.
func (*addNumbersFn) MergeAccumulators(a, b distributed.NumberCounts) (distributed.NumberCounts, error) {
	var sum distributed.NumberCounts
	if err := sum.Add(&a); err != nil {
		return sum, err
	}
	err := sum.Add(&b)
	return sum, err
}

const numbersFile = "numbers"

// saveNumbersFn hands over the numbers of all shards.
type saveNumbersFn struct {
	Box job.Mailbox `json:"box"`
}

// ProcessElement writes them.
func (f *saveNumbersFn) ProcessElement(ctx context.Context, c distributed.NumberCounts) error {
	data, err := c.MarshalBinary()
	if err != nil {
		return err
	}
	return f.Box.Put(ctx, numbersFile, data)
}
