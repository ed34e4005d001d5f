package stage

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&measureFn{})
}

// Measure finds the lengths of shards where they are not known, by a job, and numbers the shards.
func Measure(ctx context.Context, r *job.Runner, t Task, list []shard.Shard) ([]shard.Shard, error) {
	var open []shard.Shard
	for i, s := range list {
		if s.Length < 0 {
			s.Number = i
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return list, nil
	}
	work := func(box job.Mailbox) job.Work {
		return each(open, func() job.Fn[string] { return &measureFn{Task: t.of(box)} })
	}
	out := slices.Clone(list)
	err := r.Run(ctx, work, func(box job.Mailbox) error {
		for _, s := range open {
			data, err := box.Get(ctx, lengthFile(s))
			if err != nil {
				return err
			}
			if _, err := fmt.Sscan(string(data), &out[s.Number].Length); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shard.Number(out), nil
}

func lengthFile(s shard.Shard) string { return fmt.Sprintf("length-%d", s.Number) }

// measureFn finds the length of a shard.
type measureFn struct {
	Task Task `json:"task"`
}

// ProcessElement writes it.
func (f *measureFn) ProcessElement(ctx context.Context, element string) (string, error) {
	return element, f.Task.on(ctx, element, false, lengthFile, func(s shard.Shard, stream *resolwe.Stream) error {
		n := stream.Len()
		if n < 0 {
			return errLength
		}
		return f.Task.Box.Put(ctx, lengthFile(s), fmt.Append(nil, n))
	})
}

var errLength = &resolwe.OptionError{Option: "--stream", Reason: "not an .rsg file with an index"}
