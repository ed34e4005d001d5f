package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"regexp"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/stage/inferring"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// The counters of predictions.
var (
	exactAtoms   = beam.NewCounter(job.Namespace, "atoms computed exactly")
	sampledAtoms = beam.NewCounter(job.Namespace, "atoms sampled")
)

// WriteArgs are the parameters of a stage that writes a file for each shard, of marginals or of most probable states. The other pointer is
// nil.
type WriteArgs struct {
	Infer *flags.Infer `json:"infer,omitempty"`
	Map   *flags.Map   `json:"map,omitempty"`
	JSON  bool         `json:"json"`
}

// Written is what a stage reports of the shards besides their files.
type Written struct {
	Skipped int                // damaged subgraphs
	Quality resolwe.Quality    // of marginals
	Broken  report.BrokenError // of states
}

func (w *Written) merge(o *Written) {
	w.Skipped += o.Skipped
	w.Quality.Merge(&o.Quality)
	w.Broken.Merge(&o.Broken)
}

// Write predicts on shards, writes one file for each to a folder, and returns the paths. Workers write under temporary names of the
// attempt; files are renamed once all exist, so that a failed job leaves none. Files of the same kind that an earlier run left, which had
// another number of shards, are removed then.
func Write(
	ctx context.Context, r *job.Runner, t Task, args WriteArgs, seed uint64, list []shard.Shard, folder string,
) (paths []string, all Written, err error) {
	w := &writing{Args: args, Seed: seed, Folder: folder, Shards: len(list)}
	if _, err := w.results(ctx, &t, nil, &all); err != nil {
		return nil, all, err
	}
	j := shardJob{stage: "write", worker: w, names: true, list: list}
	j.begin = func() { paths, all = nil, Written{} }
	j.take = func(_ int, result []byte) error {
		var one Written
		err := gob.NewDecoder(bytes.NewReader(result)).Decode(&one)
		all.merge(&one)
		return err
	}
	j.end = func(box job.Mailbox) error {
		box.Folder = folder
		for _, s := range list {
			path, err := box.Publish(ctx, w.file(s))
			if err != nil {
				return err
			}
			paths = append(paths, path)
		}
		return box.Retire(ctx, w.pattern(), paths)
	}
	err = j.run(ctx, r, t, folder)
	return paths, all, err
}

// writing predicts on a shard.
type writing struct {
	Args   WriteArgs `json:"args"`
	Seed   uint64    `json:"seed"`
	Folder string    `json:"folder"`
	Shards int       `json:"shards"`
}

// kind returns the beginning and the extension of the names of files.
func (w *writing) kind() (name, ext string) {
	name, ext = "marginals", "tsv"
	if w.Args.Map != nil {
		name = "states"
	}
	if w.Args.JSON {
		ext = "json"
	}
	return name, ext
}

// file returns the name of the file of a shard.
func (w *writing) file(s shard.Shard) string {
	name, ext := w.kind()
	return fmt.Sprintf("%s-%05d-of-%05d.%s", name, s.Number, w.Shards, ext)
}

// pattern matches the names of such files, whatever the number of shards.
func (w *writing) pattern() *regexp.Regexp {
	name, ext := w.kind()
	return regexp.MustCompile(`^` + name + `-\d{5,}-of-\d{5,}\.` + ext + `$`)
}

// work writes the file of a shard, complete or not at all.
func (w *writing) work(ctx context.Context, t *Task, s shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	var done Written
	results, err := w.results(ctx, t, stream, &done)
	if err != nil {
		return nil, err
	}
	box := job.Mailbox{Folder: w.Folder, ID: t.Box.ID}
	err = box.Write(ctx, w.file(s), func(to io.Writer) error {
		b := bufio.NewWriterSize(to, 1<<16)
		if err := results(b); err != nil {
			return err
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return t.Box.Wanted(ctx)
	})
	if err != nil {
		return nil, err
	}
	done.Skipped = stream.Skipped()
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(&done)
	return b.Bytes(), err
}

// results checks the options, and returns a function that writes the results on a stream and records the rest in done.
func (w *writing) results(ctx context.Context, t *Task, s *resolwe.Stream, done *Written) (func(io.Writer) error, error) {
	if w.Args.Map != nil {
		opt, err := w.Args.Map.Options(w.Seed)
		opt.Run = t.run()
		find := func(emit func(*resolwe.MapState) error) error {
			return inferring.Map(ctx, t.model, s, opt, func(r *resolwe.MapState) error {
				exactAtoms.Inc(ctx, int64(r.Len()-r.Searched))
				done.Broken.Add(r)
				return emit(r)
			})
		}
		return func(to io.Writer) error { return report.MapStates(to, w.Args.JSON, find) }, err
	}
	opt, err := w.Args.Infer.Options(w.Seed)
	opt.Run = t.run()
	done.Quality.Watch(&opt)
	infer := func(emit func(*resolwe.Marginals) error) error {
		return inferring.Infer(ctx, t.model, s, opt, func(r *resolwe.Marginals) error {
			exactAtoms.Inc(ctx, int64(r.Diagnostics.Exact))
			sampledAtoms.Inc(ctx, int64(r.Diagnostics.Sampled))
			done.Quality.Add(r)
			return emit(r)
		})
	}
	return func(to io.Writer) error { return report.Marginals(to, w.Args.JSON, report.Choice{}, infer) }, err
}
