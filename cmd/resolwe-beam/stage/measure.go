package stage

import (
	"context"
	"fmt"
	"slices"

	"resolwe"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// Measure finds unknown lengths of shards by a job, and numbers the shards.
func Measure(ctx context.Context, r *job.Runner, t Task, list []shard.Shard) ([]shard.Shard, error) {
	out := slices.Clone(list)
	j := shardJob{stage: "measure", worker: &measuring{}}
	for i, s := range list {
		if s.Length < 0 {
			s.Number = i
			j.list = append(j.list, s)
		}
	}
	if len(j.list) == 0 {
		return list, nil
	}
	j.take = func(i int, result []byte) error {
		_, err := fmt.Sscan(string(result), &out[j.list[i].Number].Length)
		return err
	}
	if err := j.run(ctx, r, t); err != nil {
		return nil, err
	}
	return shard.Number(out), nil
}

// measuring finds the length of a shard.
type measuring struct{}

func (*measuring) work(_ context.Context, _ *Task, _ shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	n := stream.Len()
	if n < 0 {
		return nil, errLength
	}
	return fmt.Append(nil, n), nil
}

var errLength = &resolwe.OptionError{Option: "--stream", Reason: "not an .rsg file with an index"}
