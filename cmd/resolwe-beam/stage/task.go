package stage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"resolwe"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/format/lex"
	"resolwe/internal/machine"
)

// Task is what all stages tell the workers, as JSON: a model travels as the text of its files.
type Task struct {
	Model       string            `json:"model"` // path of the task file
	Files       map[string]string `json:"files"` // by path, with those that it includes
	Targets     []string          `json:"targets"`
	CNF         bool              `json:"cnf"`
	Workers     int               `json:"workers"` // goroutines on each machine, 0 for its cores
	SkipDamaged bool              `json:"skip_damaged"`
	Memory      uint64            `json:"memory"` // bytes of each process, 0 for what the machine allows
	Box         job.Mailbox       `json:"box"`

	// Constants are by type what a + before a variable stands for where no type line says that; nil where nothing asks.
	Constants map[string][]string `json:"constants,omitempty"`

	model *resolwe.Model
}

// NewTask reads the files of a model.
func NewTask(m *resolwe.Model, opt resolwe.ModelOptions, workers int, skipDamaged bool) (Task, error) {
	files := map[string]string{}
	for _, path := range m.Files() {
		text, err := lex.ReadFile(path)
		if err != nil {
			return Task{}, err
		}
		files[path] = string(text)
	}
	return Task{
		Model: m.Files()[0], Files: files, Targets: opt.Targets, CNF: opt.CNF, Workers: workers, SkipDamaged: skipDamaged,
	}, nil
}

// load parses the model, once for each DoFn.
func (t *Task) load() (*resolwe.Model, error) {
	if t.model != nil {
		return t.model, nil
	}
	opt := resolwe.ModelOptions{Targets: t.Targets, CNF: t.CNF}
	if t.Constants != nil {
		opt.Constants = func(m *resolwe.Model, types []int) ([][]string, error) {
			lists := make([][]string, len(types))
			for i, k := range types {
				lists[i] = t.Constants[m.Schema.Types[k]]
			}
			return lists, nil
		}
	}
	opt.ReadFile = func(path string) ([]byte, error) {
		text, ok := t.Files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
	m, err := resolwe.ReadModel(t.Model, opt)
	t.model = m
	return m, err
}

// of returns the task of an attempt.
func (t *Task) of(box job.Mailbox) Task {
	out := *t
	out.Box = box
	return out
}

// run is how a shard is worked on.
func (t *Task) run() resolwe.Run { return resolwe.Run{Workers: t.Workers} }

// The counters of all stages.
var (
	shards    = beam.NewCounter(job.Namespace, "shards")
	subgraphs = beam.NewCounter(job.Namespace, "subgraphs")
	skipped   = beam.NewCounter(job.Namespace, "skipped")
	shardTime = beam.NewDistribution(job.Namespace, "milliseconds a shard")
)

// on opens the shard of an element and calls work on it. A failure is left in the mailbox, with the name of the shard. Where
// work leaves its result there, last of all, result names it.
func (t *Task) on(
	ctx context.Context, element string, names bool, result func(shard.Shard) string, work func(shard.Shard, *resolwe.Stream) error,
) error {
	s, err := shard.Parse(element)
	if err != nil {
		return t.Box.Fail(ctx, err)
	}
	file := ""
	if result != nil {
		file = result(s)
	}
	return t.once(ctx, file, func() error {
		began := time.Now()
		if err := t.opened(ctx, s, names, work); err != nil {
			return &shard.Error{Shard: s, Err: err}
		}
		shards.Inc(ctx, 1)
		subgraphs.Inc(ctx, int64(s.Subgraphs()))
		shardTime.Update(ctx, time.Since(began).Milliseconds())
		return nil
	})
}

// once works unless the result is in the mailbox already: an engine that begins the job anew, as Flink does when it has lost
// a machine, finds what is done. A failure is left there.
func (t *Task) once(ctx context.Context, result string, work func() error) error {
	t.Box.BoundWorker(machine.Size(t.Memory))
	slots <- struct{}{}
	defer func() { <-slots }()
	if err := t.Box.Wanted(ctx); err != nil {
		return err
	}
	if result != "" {
		if _, err := t.Box.Get(ctx, result); err == nil {
			return nil
		}
	}
	if err := work(); err != nil {
		return t.Box.Fail(ctx, err)
	}
	return nil
}

func (t *Task) opened(
	ctx context.Context, s shard.Shard, names bool, work func(shard.Shard, *resolwe.Stream) error,
) (err error) {
	m, err := t.load()
	if err != nil {
		return fmt.Errorf("model: %w", err)
	}
	if err := disturb(s); err != nil {
		return err
	}
	open, err := s.Open(ctx, m, resolwe.StreamOptions{Names: names, SkipDamaged: t.SkipDamaged})
	if err != nil {
		return err
	}
	defer func() {
		skipped.Inc(ctx, int64(open.Skipped()))
		err = errors.Join(err, open.Close())
	}()
	return work(s, open.Stream)
}

// disturb is where tests make a worker fail.
var disturb = func(shard.Shard) error { return nil }

// each is work on shards, whose results are in the mailbox.
func each(list []shard.Shard, makeFn func() job.Fn[string]) job.Work {
	return &job.Each[string]{Elements: elements(list), New: makeFn}
}

// elements returns shards as elements.
func elements(list []shard.Shard) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.String()
	}
	return texts
}
