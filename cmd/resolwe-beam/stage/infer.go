package stage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	if len(list) == 0 {
		return nil, 0, nil
	}
	fn := &inferFn{Task: t, Args: args, Seed: seed, Folder: folder, Shards: len(list)}
	for _, s := range list {
		paths = append(paths, fn.path(s))
	}
	build := func(scope beam.Scope, box job.Mailbox) {
		attempt := *fn
		attempt.Task.Box = box
		forEach(scope.Scope("infer"), &attempt, elements(scope, list))
	}
	err = r.Run(ctx, build, func(box job.Mailbox) error {
		skipped = 0
		for _, s := range list {
			data, err := box.Get(ctx, doneFile(s))
			if err != nil {
				return err
			}
			n, err := strconv.ParseUint(string(data), 10, 64)
			if err != nil {
				return err
			}
			skipped += n
		}
		return nil
	})
	return paths, skipped, err
}

func doneFile(s shard.Shard) string { return fmt.Sprintf("done-%d", s.Number) }

// inferFn infers on a shard.
type inferFn struct {
	Task   Task      `json:"task"`
	Args   InferArgs `json:"args"`
	Seed   uint64    `json:"seed"`
	Folder string    `json:"folder"`
	Shards int       `json:"shards"`
}

// path returns the path of the marginals of a shard.
func (f *inferFn) path(s shard.Shard) string {
	ext := "tsv"
	if f.Args.JSON {
		ext = "json"
	}
	name := fmt.Sprintf("marginals-%05d-of-%05d.%s", s.Number, f.Shards, ext)
	return strings.TrimSuffix(f.Folder, "/") + "/" + name
}

// ProcessElement writes the marginals of a shard: all of them, or no file.
func (f *inferFn) ProcessElement(ctx context.Context, element string) (string, error) {
	return element, f.Task.on(ctx, element, true, func(s shard.Shard, stream *resolwe.Stream) error {
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
		err = job.Write(ctx, f.path(s), func(w io.Writer) error { return f.write(w, infer) })
		if err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, doneFile(s), strconv.AppendInt(nil, int64(stream.Skipped()), 10))
	})
}

// write writes marginals in the form that is wanted.
func (f *inferFn) write(to io.Writer, infer func(func(*resolwe.Marginals) error) error) error {
	w := bufio.NewWriterSize(to, 1<<16)
	var err error
	if f.Args.JSON {
		err = report.List(w, func(add func(any) error) error {
			return infer(func(r *resolwe.Marginals) error { return add(report.NewMarginals(r)) })
		})
	} else {
		err = infer(func(r *resolwe.Marginals) error { return report.MarginalsText(w, r) })
	}
	if err != nil {
		return err
	}
	return w.Flush()
}
