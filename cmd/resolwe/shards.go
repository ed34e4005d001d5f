package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/shards"
	"resolwe/internal/printable"
	"resolwe/internal/stage/building"
)

// shardedArgs are an output stream that may be written as shards.
type shardedArgs struct {
	streamArgs
	Shards *int `help:"Write N files of about equal work, and manifest.json, to the folder given by -o, which must be new or empty." placeholder:"N"`
}

// stream writes a stream, or its shards, from the subgraphs that fill writes.
func (a *shardedArgs) stream(
	ctx context.Context, e *environment, m *resolwe.Model, how rsg.WriterOptions, fill func(*rsg.Writer) error,
) error {
	if a.Shards == nil {
		return a.streamArgs.stream(e, m, how, fill)
	}
	if n := *a.Shards; n < 1 || n > shards.MaxShards {
		return &resolwe.OptionError{Option: "--shards", Reason: fmt.Sprintf("1 to %d", shards.MaxShards)}
	}
	if a.Output == "-" {
		return usageError("--shards needs a folder: -o DIR")
	}
	f, err := shards.CreateFolder(a.Output)
	if err != nil {
		return pathError(a.Output, err)
	}
	defer f.Abort()
	e.opened(f.Discard)
	opt := building.ShardOptions{Shards: *a.Shards, Writer: how, Run: e.runOver}
	_, err = building.WriteShards(ctx, m.Schema, f, opt, fill)
	return err
}

// manifestAt returns the manifest at a path, which may be the manifest itself or its folder, or else "".
func manifestAt(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return filepath.Join(path, shards.ManifestName)
	case filepath.Ext(path) == ".json":
		return path
	}
	return ""
}

// shards checks every byte of the shards of a manifest.
func (c *verifyCmd) shards(ctx context.Context, e *environment, path string) error {
	m, err := shards.ReadFile(path)
	if os.IsNotExist(err) {
		return pathError(path, err)
	}
	if err != nil {
		return err
	}
	run := e.runOver("verify", "shards", int64(len(m.Shards)))
	bytes := int64(0)
	for i := range m.Shards {
		s := &m.Shards[i]
		err := e.reading(ctx, s.Path(path), func(r *bufio.Reader) error {
			err := s.Verify(r, s.Path(path))
			if errors.As(err, new(*shards.Error)) {
				return fmt.Errorf("%s: %w", filepath.Dir(s.Path(path)), err)
			}
			return err
		})
		if err != nil {
			return err
		}
		bytes += s.Bytes
		run.Progress(1)
	}
	return e.text(fmt.Sprintf("%s: sound; %s, %d bytes, %s\n", path, printable.Count(m.Subgraphs, "subgraph"), bytes, printable.Count(len(m.Shards), "shard")))
}
