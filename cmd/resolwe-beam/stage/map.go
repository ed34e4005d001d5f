package stage

import (
	"context"
	"encoding/json"
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
	register.DoFn2x2[context.Context, string, string, error](&mapFn{})
}

// MapArgs are the parameters of the search for the most probable states.
type MapArgs struct {
	flags.Map
	JSON bool `help:"Print JSON." name:"json"`
}

// MapResult is what is left of shards but for the files.
type MapResult struct {
	Skipped uint64             `json:"skipped"` // damaged subgraphs
	Broken  report.BrokenError `json:"broken"`
}

// Map finds the most probable states on shards, and writes a file of them for each to a folder. It returns the paths of the
// files.
func Map(
	ctx context.Context, r *job.Runner, t Task, args MapArgs, seed uint64, list []shard.Shard, folder string,
) (paths []string, result MapResult, err error) {
	if _, err := args.Options(seed); err != nil {
		return nil, result, err
	}
	fn := &mapFn{Task: t, Args: args, Seed: seed, Files: files{
		Box: job.Mailbox{Folder: folder}, Name: "states", JSON: args.JSON, Shards: len(list),
	}}
	build := func(scope beam.Scope, box job.Mailbox, to files) {
		attempt := *fn
		attempt.Task.Box, attempt.Files = box, to
		forEach(scope.Scope("map"), &attempt, elements(scope, list))
	}
	paths, err = fn.Files.run(ctx, r, list, build, func(done []byte) error {
		var one MapResult
		err := json.Unmarshal(done, &one)
		result.Skipped += one.Skipped
		result.Broken.Merge(&one.Broken)
		return err
	}, func() { result = MapResult{} })
	return paths, result, err
}

// mapFn finds the states of a shard.
type mapFn struct {
	Task  Task    `json:"task"`
	Args  MapArgs `json:"args"`
	Seed  uint64  `json:"seed"`
	Files files   `json:"files"`
}

// ProcessElement writes the states of a shard: all of them, or no file.
func (f *mapFn) ProcessElement(ctx context.Context, element string) (string, error) {
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
		var result MapResult
		find := func(emit func(*resolwe.MapState) error) error {
			return resolwe.Map(ctx, m, stream, opt, func(r *resolwe.MapState) error {
				exactAtoms.Inc(ctx, int64(r.Len()-r.Searched))
				result.Broken.Add(r)
				return emit(r)
			})
		}
		if err := f.Files.write(ctx, s, func(w io.Writer) error { return report.MapStates(w, f.Args.JSON, find) }); err != nil {
			return err
		}
		result.Skipped = uint64(stream.Skipped())
		done, err := json.Marshal(&result)
		if err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, doneFile(s), done)
	})
}
