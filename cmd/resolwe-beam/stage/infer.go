package stage

import (
	"context"
	"io"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&inferFn{})
}

// The counters of inference.
var (
	exactAtoms   = beam.NewCounter(job.Namespace, "atoms computed exactly")
	sampledAtoms = beam.NewCounter(job.Namespace, "atoms sampled")
)

// InferArgs are the parameters of inference.
type InferArgs struct {
	flags.Infer
	JSON bool `help:"Print JSON." name:"json"`
}

// Infer infers on shards, and writes a file of marginals for each to a folder. It returns the paths of the files, and how
// many damaged subgraphs were left out.
func Infer(
	ctx context.Context, r *job.Runner, t Task, args InferArgs, seed uint64, list []shard.Shard, folder string,
) (paths []string, skipped uint64, err error) {
	if _, err := args.Options(seed); err != nil {
		return nil, 0, err
	}
	fn := &inferFn{Task: t, Args: args, Seed: seed, Files: files{
		Box: job.Mailbox{Folder: folder}, Name: "marginals", JSON: args.JSON, Shards: len(list),
	}}
	build := func(scope beam.Scope, box job.Mailbox, to files) {
		attempt := *fn
		attempt.Task.Box, attempt.Files = box, to
		forEach(scope.Scope("infer"), &attempt, elements(scope, list))
	}
	paths, err = fn.Files.run(ctx, r, list, build, func(done []byte) error {
		n, err := strconv.ParseUint(string(done), 10, 64)
		skipped += n
		return err
	}, func() { skipped = 0 })
	return paths, skipped, err
}

// inferFn infers on a shard.
type inferFn struct {
	Task  Task      `json:"task"`
	Args  InferArgs `json:"args"`
	Seed  uint64    `json:"seed"`
	Files files     `json:"files"`
}

// ProcessElement writes the marginals of a shard: all of them, or no file.
func (f *inferFn) ProcessElement(ctx context.Context, element string) (string, error) {
	return element, f.Task.on(ctx, element, true, doneFile, func(s shard.Shard, stream *resolwe.Stream) error {
		m, err := f.Task.load()
		if err != nil {
			return err
		}
		opt, err := f.Args.Options(f.Seed)
		if err != nil {
			return err
		}
		opt.Run = f.Task.run()
		infer := func(emit func(*resolwe.Marginals) error) error {
			return resolwe.Infer(ctx, m, stream, opt, func(r *resolwe.Marginals) error {
				exactAtoms.Inc(ctx, int64(r.Diagnostics.Exact))
				sampledAtoms.Inc(ctx, int64(r.Diagnostics.Sampled))
				return emit(r)
			})
		}
		err = f.Files.write(ctx, s, func(w io.Writer) error { return f.write(w, infer) })
		if err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, doneFile(s), strconv.AppendInt(nil, int64(stream.Skipped()), 10))
	})
}

// write writes marginals in the form that is wanted.
func (f *inferFn) write(w io.Writer, infer func(func(*resolwe.Marginals) error) error) error {
	if !f.Args.JSON {
		return infer(func(r *resolwe.Marginals) error { return report.MarginalsText(w, r) })
	}
	return report.List(w, func(add func(any) error) error {
		return infer(func(r *resolwe.Marginals) error { return add(report.NewMarginals(r)) })
	})
}
