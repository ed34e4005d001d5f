package resolwe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"resolwe/format/mln"
	"resolwe/format/shards"
	"resolwe/format/subgraph"
	"resolwe/pool"
)

// ShardOptions say how WriteShards works. The zero value is good, but for Shards.
type ShardOptions struct {
	Shards int                                      // at least 1, at most one for each subgraph
	Writer subgraph.WriterOptions                   // of the shards
	Run    func(what, unit string, total int64) Run // called as each step begins, for its workers and progress; may be nil
}

// WriteShards writes the subgraphs that fill puts into a stream as shards of about equal work and their manifest, in a
// folder, whose Commit it calls. It takes as much space again on the folder's disk meanwhile. The bytes do not depend on
// the number of workers. Where there are fewer subgraphs than shards the error is a *shards.TooManyError.
func WriteShards(
	ctx context.Context, schema *mln.Schema, folder *shards.Folder, opt ShardOptions, fill func(*subgraph.Writer) error,
) (*shards.Manifest, error) {
	begin := opt.Run
	if begin == nil {
		begin = func(string, string, int64) Run { return Run{} }
	}
	if opt.Shards < 1 || opt.Shards > shards.MaxShards {
		return nil, &OptionError{"shards", fmt.Sprintf("1 to %d", shards.MaxShards)}
	}
	path := folder.Path("stream.rsg")
	if err := writeStream(path, schema, fill); err != nil {
		return nil, err
	}
	f, err := subgraph.OpenFile(path, subgraph.ReaderOptions{Names: true, Shared: true})
	if err != nil {
		return nil, err
	}
	m, err := cutStream(ctx, f, folder, &opt, begin)
	if err := errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		return nil, err
	}
	return m, folder.Commit(m)
}

// writeStream writes a stream that is only there to be read again.
func writeStream(path string, schema *mln.Schema, fill func(*subgraph.Writer) error) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w, err := subgraph.NewWriter(file, schema, subgraph.WriterOptions{})
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		return err
	}
	return w.Close()
}

// cutStream writes the shards of a stream into a folder.
func cutStream(
	ctx context.Context, f *subgraph.File, folder *shards.Folder, opt *ShardOptions, begin func(string, string, int64) Run,
) (*shards.Manifest, error) {
	work := make([]int64, f.Len())
	for i := range work {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		s, err := f.At(i)
		if err != nil {
			return nil, err
		}
		work[i] = shards.Work(s)
	}
	sizes, err := shards.Cut(work, opt.Shards)
	if err != nil {
		return nil, err
	}
	m := &shards.Manifest{Format: shards.Format, Subgraphs: f.Len()}
	run := begin("write", "shards", int64(len(sizes)))
	type part struct{ shard, first int }
	next := part{}
	source := func(ctx context.Context) (part, error) {
		p := next
		if p.shard == len(sizes) {
			return part{}, io.EOF
		}
		next = part{p.shard + 1, p.first + sizes[p.shard]}
		return p, context.Cause(ctx)
	}
	write := func(_ context.Context, _ struct{}, p part) (shards.Shard, error) {
		return folder.WriteShard(p.shard, len(sizes), f, p.first, sizes[p.shard], opt.Writer)
	}
	err = pool.Map(ctx, run.Workers, source, func() struct{} { return struct{}{} }, write, func(s shards.Shard) error {
		run.progress(1)
		m.Shards = append(m.Shards, s)
		return nil
	})
	return m, err
}

// shardsOf returns the files of the shards that a manifest lists, in its order. Unless damage is to be skipped, their sizes
// have to be those that it gives.
func shardsOf(path string, skipDamaged bool) ([]string, error) {
	m, err := shards.ReadFile(path)
	if errors.As(err, new(*os.PathError)) {
		return nil, &PathError{Path: path, Err: cause(err)}
	}
	if err != nil {
		return nil, err
	}
	files := make([]string, len(m.Shards))
	for i := range m.Shards {
		s := &m.Shards[i]
		files[i] = s.Path(path)
		info, err := os.Stat(files[i])
		if err != nil {
			return nil, &PathError{Path: files[i], Err: cause(err)}
		}
		if !skipDamaged {
			if err := s.CheckSize(info.Size()); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return files, nil
}
