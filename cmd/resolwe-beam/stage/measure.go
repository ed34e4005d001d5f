package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io/fs"
	"slices"

	"resolwe"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// Measure finds out what is not known of shards before a stage: by a job for remote ones without a manifest, else here. It numbers the
// shards. If two have a subgraph of the same name, which no worker would see, the error is a *resolwe.DuplicateError; remote shards of a
// manifest, which were packed together, are not read for that.
func Measure(ctx context.Context, r *job.Runner, t Task, list []shard.Shard) ([]shard.Shard, error) {
	out, found := slices.Clone(list), make([]measures, len(list))
	j := shardJob{stage: "measure", worker: &measuring{}}
	for i, s := range list {
		switch {
		case s.Length < 0:
			s.Number = i
			j.list = append(j.list, s)
		case !shard.IsRemote(s.Path):
			var err error
			if found[i], err = measureHere(ctx, &t, s); err != nil {
				return nil, &shard.Error{Shard: s, Err: err}
			}
		}
	}
	j.take = func(i int, result []byte) error {
		return gob.NewDecoder(bytes.NewReader(result)).Decode(&found[j.list[i].Number])
	}
	if err := j.run(ctx, r, t); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, m := range found {
		if out[i].Length < 0 {
			out[i].Length = m.Length
		}
		if m.Sum != "" {
			out[i].Sum = m.Sum
		}
		for _, name := range m.Names {
			if seen[name] {
				return nil, &resolwe.DuplicateError{Path: out[i].Path, Name: name}
			}
			seen[name] = true
		}
	}
	if len(j.list) > 0 {
		out = shard.Number(out)
	}
	return out, nil
}

// measures are what Measure finds out about a shard.
type measures struct {
	Length int
	Sum    string
	Names  []string // of its subgraphs
}

// measure reads the index of a shard.
func measure(ctx context.Context, s *resolwe.Stream) (m measures, err error) {
	if m.Length = s.Len(); m.Length < 0 {
		return m, errLength
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		m.Names = append(m.Names, e.Name)
	}
	sum, err := s.Records(ctx)
	m.Sum = sum.String()
	return m, err
}

// measureHere measures a shard in this process. One that only the workers have is not measured.
func measureHere(ctx context.Context, t *Task, s shard.Shard) (m measures, err error) {
	s.First, s.Begin, s.End = 0, 0, s.Length
	open, err := s.Open(ctx, t.model, resolwe.StreamOptions{SkipDamaged: t.SkipDamaged})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return m, nil
	case err != nil:
		return m, err
	}
	defer func() { err = errors.Join(err, open.Close()) }()
	if open.Len() < 0 { // its index is damaged, and damage is to be skipped
		return m, nil
	}
	return measure(ctx, open.Stream)
}

// measuring measures a shard.
type measuring struct{}

func (*measuring) work(ctx context.Context, _ *Task, _ shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	m, err := measure(ctx, stream)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(&m)
	return b.Bytes(), err
}

var errLength = &resolwe.OptionError{Option: "--stream", Reason: "not an .rsg file with an index"}
