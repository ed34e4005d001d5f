package shards

import (
	"context"
	"io"

	"resolwe/format/rsg"
)

// writeShard writes n subgraphs of a stream from position first on as a stream of their own, and describes it but for its
// name. Names and relations that they share with subgraphs before them are written once more. f has to give names.
func writeShard(ctx context.Context, w io.Writer, f *rsg.File, first, n int, opt rsg.WriterOptions) (Shard, error) {
	s := Shard{First: first, Subgraphs: n}
	sum := newSum()
	out, err := rsg.NewWriter(io.MultiWriter(w, sum), f.Schema(), opt)
	if err != nil {
		return Shard{}, err
	}
	var buf rsg.Buffer
	for i := first; i < first+n; i++ {
		if ctx.Err() != nil {
			return Shard{}, context.Cause(ctx)
		}
		sub, err := f.AtInto(&buf, i)
		if err != nil {
			return Shard{}, err
		}
		s.Work += Work(sub)
		if err := out.Write(sub); err != nil {
			return Shard{}, err
		}
	}
	if err := out.Close(); err != nil {
		return Shard{}, err
	}
	s.Bytes, s.SHA256 = sum.bytes, sum.hex()
	return s, nil
}
