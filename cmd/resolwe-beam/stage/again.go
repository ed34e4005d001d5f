package stage

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"resolwe"

	"resolwe/cmd/resolwe-beam/shard"
)

// opener opens shards on this machine.
type opener struct {
	ctx   context.Context //nolint:containedctx // of the one call that it lives in
	task  Task
	model *resolwe.Model
	list  []shard.Shard
	open  []*shard.Open
}

// again opens the shards that hold the subgraphs at some positions, in the stream's order: a resolwe.Again.
func (o *opener) again(positions []int) ([]*resolwe.Stream, error) {
	sorted := slices.Sorted(slices.Values(positions))
	var out []*resolwe.Stream
	for _, s := range joined(o.list) {
		if i, _ := slices.BinarySearch(sorted, s.Begin); i == len(sorted) || sorted[i] >= s.End {
			continue
		}
		open, err := s.Open(o.ctx, o.model, resolwe.StreamOptions{SkipDamaged: o.task.SkipDamaged})
		if err != nil {
			return nil, &shard.Error{Shard: s, Err: err}
		}
		o.open = append(o.open, open)
		out = append(out, open.Pick(sorted))
	}
	return out, nil
}

// close closes everything opened.
func (o *opener) close() error {
	var err error
	for _, open := range o.open {
		err = errors.Join(err, open.Close())
	}
	return err
}

// joined returns shards in the stream's order, merging consecutive ones of a file.
func joined(list []shard.Shard) []shard.Shard {
	var out []shard.Shard
	for _, s := range slices.SortedFunc(slices.Values(list), func(a, b shard.Shard) int { return cmp.Compare(a.Begin, b.Begin) }) {
		if n := len(out); n > 0 && out[n-1].Path == s.Path && out[n-1].First == s.First && out[n-1].End == s.Begin {
			out[n-1].End = s.End
			continue
		}
		out = append(out, s)
	}
	return out
}
