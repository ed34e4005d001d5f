package stage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// files are the results of a stage, a file for each shard in a folder.
type files struct {
	Folder string `json:"folder"`
	Name   string `json:"name"` // that theirs begin with
	JSON   bool   `json:"json"`
	Shards int    `json:"shards"`
}

// path returns the path of the file of a shard.
func (f *files) path(s shard.Shard) string {
	ext := "tsv"
	if f.JSON {
		ext = "json"
	}
	return fmt.Sprintf("%s/%s-%05d-of-%05d.%s", strings.TrimSuffix(f.Folder, "/"), f.Name, s.Number, f.Shards, ext)
}

// write writes the file of a shard, whole or not at all.
func (f *files) write(ctx context.Context, s shard.Shard, write func(io.Writer) error) error {
	return job.Write(ctx, f.path(s), func(to io.Writer) error {
		w := bufio.NewWriterSize(to, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// run runs a pipeline that writes the files of shards, and returns their paths. take is called with what each shard left in its
// doneFile, after begin.
func (f *files) run(
	ctx context.Context, r *job.Runner, list []shard.Shard, build func(beam.Scope, job.Mailbox), take func(done []byte) error, begin func(),
) (paths []string, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	for _, s := range list {
		paths = append(paths, f.path(s))
	}
	err = r.Run(ctx, build, func(box job.Mailbox) error {
		begin()
		for _, s := range list {
			done, err := box.Get(ctx, doneFile(s))
			if err != nil {
				return err
			}
			if err := take(done); err != nil {
				return err
			}
		}
		return nil
	})
	return paths, err
}

// doneFile names what a worker leaves in the mailbox when the file of a shard is there.
func doneFile(s shard.Shard) string { return fmt.Sprintf("done-%d", s.Number) }
