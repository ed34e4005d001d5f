package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&writeFn{})
}

// The counters of what is predicted.
var (
	exactAtoms   = beam.NewCounter(job.Namespace, "atoms computed exactly")
	sampledAtoms = beam.NewCounter(job.Namespace, "atoms sampled")
)

// WriteArgs are the parameters of a stage that writes a file for each shard: of marginals or of most probable states. The
// other pointer is nil.
type WriteArgs struct {
	Infer *flags.Infer `json:"infer,omitempty"`
	Map   *flags.Map   `json:"map,omitempty"`
	JSON  bool         `json:"json"`
}

// Written is what there is of shards beside their files.
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

// Write predicts on shards, and writes a file for each to a folder. It returns the paths of the files.
func Write(
	ctx context.Context, r *job.Runner, t Task, args WriteArgs, seed uint64, list []shard.Shard, folder string,
) (paths []string, all Written, err error) {
	fn := &writeFn{Task: t, Args: args, Seed: seed, Files: files{
		Box: job.Mailbox{Folder: folder}, Name: "marginals", JSON: args.JSON, Shards: len(list),
	}}
	if args.Map != nil {
		fn.Files.Name = "states"
	}
	if _, err := fn.results(ctx, nil, nil, &all); err != nil {
		return nil, all, err
	}
	work := func(box job.Mailbox, to files) job.Work {
		return each(list, func() job.Fn[string] { return &writeFn{Task: t.of(box), Args: args, Seed: seed, Files: to} })
	}
	paths, err = fn.Files.run(ctx, r, list, work, func(done []byte) error {
		var one Written
		err := gob.NewDecoder(bytes.NewReader(done)).Decode(&one)
		all.merge(&one)
		return err
	}, func() { all = Written{} })
	return paths, all, err
}

// writeFn predicts on a shard.
type writeFn struct {
	Task  Task      `json:"task"`
	Args  WriteArgs `json:"args"`
	Seed  uint64    `json:"seed"`
	Files files     `json:"files"`
}

// ProcessElement writes the file of a shard, whole or not at all.
func (f *writeFn) ProcessElement(ctx context.Context, element string) (string, error) {
	return element, f.Task.on(ctx, element, true, doneFile, func(s shard.Shard, stream *resolwe.Stream) error {
		m, err := f.Task.load()
		if err != nil {
			return err
		}
		var done Written
		results, err := f.results(ctx, m, stream, &done)
		if err != nil {
			return err
		}
		if err := f.Files.write(ctx, s, results); err != nil {
			return err
		}
		done.Skipped = stream.Skipped()
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(&done); err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, doneFile(s), b.Bytes())
	})
}

// results checks the options, and returns what writes the results on a stream and takes down what there is beside them.
func (f *writeFn) results(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, done *Written) (func(io.Writer) error, error) {
	if f.Args.Map != nil {
		opt, err := f.Args.Map.Options(f.Seed)
		opt.Run = f.Task.run()
		find := func(emit func(*resolwe.MapState) error) error {
			return resolwe.Map(ctx, m, s, opt, func(r *resolwe.MapState) error {
				exactAtoms.Inc(ctx, int64(r.Len()-r.Searched))
				done.Broken.Add(r)
				return emit(r)
			})
		}
		return func(w io.Writer) error { return report.MapStates(w, f.Args.JSON, find) }, err
	}
	opt, err := f.Args.Infer.Options(f.Seed)
	opt.Run = f.Task.run()
	done.Quality.Watch(&opt)
	infer := func(emit func(*resolwe.Marginals) error) error {
		return resolwe.Infer(ctx, m, s, opt, func(r *resolwe.Marginals) error {
			exactAtoms.Inc(ctx, int64(r.Diagnostics.Exact))
			sampledAtoms.Inc(ctx, int64(r.Diagnostics.Sampled))
			done.Quality.Add(r)
			return emit(r)
		})
	}
	return func(w io.Writer) error { return report.ListMarginals(w, f.Args.JSON, infer) }, err
}
