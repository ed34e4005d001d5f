package stage

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// files are the results of a stage, a file for each shard in a folder. Workers write them under names of the attempt, and
// the program renames them once all are there, so that a job that fails leaves none.
type files struct {
	Work   job.Mailbox `json:"work"` // of the task
	Box    job.Mailbox `json:"box"`  // in the folder
	Name   string      `json:"name"`
	JSON   bool        `json:"json"`
	Shards int         `json:"shards"`
}

// name returns the name of the file of a shard.
func (f *files) name(s shard.Shard) string {
	ext := "tsv"
	if f.JSON {
		ext = "json"
	}
	return fmt.Sprintf("%s-%05d-of-%05d.%s", f.Name, s.Number, f.Shards, ext)
}

// write writes the file of a shard, whole or not at all.
func (f *files) write(ctx context.Context, s shard.Shard, write func(io.Writer) error) error {
	return f.Box.Write(ctx, f.name(s), func(to io.Writer) error {
		w := bufio.NewWriterSize(to, 1<<16)
		err := write(w)
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			err = f.Work.Wanted(ctx)
		}
		return err
	})
}

// run runs a job that writes the files of shards, and returns their paths. work is called with the files of an attempt,
// take with what each shard left in its doneFile, after begin.
func (f *files) run(
	ctx context.Context, r *job.Runner, list []shard.Shard, work func(job.Mailbox, files) job.Work, take func(done []byte) error, begin func(),
) (paths []string, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	attempt := *f
	begun := func(box job.Mailbox) job.Work {
		attempt.Work, attempt.Box.ID = box, box.ID
		return work(box, attempt)
	}
	err = r.Run(ctx, begun, func(box job.Mailbox) error {
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
		for _, s := range list {
			path, err := attempt.Box.Publish(ctx, attempt.name(s))
			if err != nil {
				return err
			}
			paths = append(paths, path)
		}
		return nil
	}, f.Box.Folder)
	return paths, err
}

// doneFile names what a worker leaves in the mailbox when the file of a shard is there.
func doneFile(s shard.Shard) string { return fmt.Sprintf("done-%d", s.Number) }
