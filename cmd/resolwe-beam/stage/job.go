package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"resolwe"
	"resolwe/internal/machine"
	"resolwe/internal/stage/run"

	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

func init() { register.DoFn2x2[context.Context, string, string, error](&shardFn{}) }

// worker is what a stage does with a shard. It is sent to machines as JSON.
type worker interface {
	// work processes a shard and returns the result for the program. It is called on one shard after another.
	work(ctx context.Context, t *Task, s shard.Shard, stream *resolwe.Stream) ([]byte, error)
}

// workers makes the workers of the stages.
var workers = map[string]func() worker{
	"count":    func() worker { return &counting{} },
	"crossval": func() worker { return &crossvalidating{} },
	"evaluate": func() worker { return &evaluating{} },
	"learn":    func() worker { return &learning{} },
	"measure":  func() worker { return &measuring{} },
	"write":    func() worker { return &writing{} },
}

// shardJob runs workers on shards.
type shardJob struct {
	stage  string // key in workers
	worker worker
	names  bool // whether to read names of entities
	check  bool // whether to compare truth with hard formulas
	list   []shard.Shard
	begin  func()                           // called before the results of an attempt are taken, unless nil
	take   func(i int, result []byte) error // receives the result of the i-th shard, in order
	end    func(job.Mailbox) error          // called after that, unless nil
}

// work is what an attempt does.
func (j *shardJob) work(t Task, box job.Mailbox) *job.Work {
	t.Box = box
	w := &job.Work{New: func() job.Fn {
		data, err := json.Marshal(j.worker)
		if err != nil {
			panic(err) // options can be encoded as JSON
		}
		return &shardFn{Task: t, Stage: j.stage, Worker: data, Names: j.names, Check: j.check}
	}}
	for _, s := range j.list {
		w.Elements = append(w.Elements, s.String())
	}
	return w
}

// run runs the job. It also empties the mailboxes in the other folders.
func (j *shardJob) run(ctx context.Context, r *job.Runner, t Task, folders ...string) error {
	if len(j.list) == 0 {
		return nil
	}
	return r.Run(ctx, func(box job.Mailbox) *job.Work { return j.work(t, box) }, func(box job.Mailbox) error {
		if j.begin != nil {
			j.begin()
		}
		for i, s := range j.list {
			result, err := resultOf(ctx, box, s)
			if err != nil {
				return err
			}
			if result.Violations > 0 {
				t.violated[s.String()] = result
			}
			if err := j.take(i, result.Data); err != nil {
				return err
			}
		}
		if j.end == nil {
			return nil
		}
		return j.end(box)
	}, folders...)
}

// shardResult is what the program gets of a shard.
type shardResult struct {
	Data       []byte         // of the stage
	First      *run.Violation // among the subgraphs whose data violate a hard formula
	Violations int
}

// resultOf reads the result of a shard.
func resultOf(ctx context.Context, box job.Mailbox, s shard.Shard) (result shardResult, err error) {
	data, err := box.Get(ctx, resultFile(s.Number))
	if err != nil {
		return result, err
	}
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&result)
	return result, err
}

func resultFile(number int) string { return fmt.Sprintf("result-%d", number) }

// shardFn processes shards.
type shardFn struct {
	Task   Task            `json:"task"`
	Stage  string          `json:"stage"`
	Worker json.RawMessage `json:"worker"`
	Names  bool            `json:"names"`
	Check  bool            `json:"check"`

	worker worker
}

// The counters of all stages.
var (
	shards    = beam.NewCounter(job.Namespace, "shards")
	subgraphs = beam.NewCounter(job.Namespace, "subgraphs")
	skipped   = beam.NewCounter(job.Namespace, "skipped")
	shardTime = beam.NewDistribution(job.Namespace, "milliseconds a shard")
)

// slots limit the elements in progress, of which some runners give a process more.
var slots = make(chan struct{}, job.AtOnce)

// ProcessElement puts the result of a shard in the mailbox, unless it is there already: an engine that restarts the job, as Flink does
// after losing a machine, finds what has been done. A failure is put there too, with the name of the shard.
func (f *shardFn) ProcessElement(ctx context.Context, element string) (string, error) {
	box := f.Task.Box
	s, err := shard.Parse(element)
	if err != nil {
		return element, box.Fail(ctx, err)
	}
	box.BoundWorker(machine.Size(f.Task.Memory))
	slots <- struct{}{}
	defer func() { <-slots }()
	if err := box.Wanted(ctx); err != nil {
		return element, err
	}
	if _, err := box.Get(ctx, resultFile(s.Number)); err == nil {
		return element, nil
	}
	began := time.Now()
	var data bytes.Buffer
	result, err := f.on(ctx, s)
	if err == nil {
		err = gob.NewEncoder(&data).Encode(result)
	}
	if err == nil {
		err = box.Put(ctx, resultFile(s.Number), data.Bytes())
	}
	if err != nil {
		if s.Path != "" { // a part of a cross-validation has no path
			err = &shard.Error{Shard: s, Err: err}
		}
		return element, box.Fail(ctx, err)
	}
	shards.Inc(ctx, 1)
	subgraphs.Inc(ctx, int64(s.Subgraphs()))
	shardTime.Update(ctx, time.Since(began).Milliseconds())
	return element, nil
}

// on opens a shard, unless it has no path, and works on it.
func (f *shardFn) on(ctx context.Context, s shard.Shard) (result shardResult, err error) {
	if f.worker == nil {
		f.worker = workers[f.Stage]()
		if err := json.Unmarshal(f.Worker, f.worker); err != nil {
			return result, err
		}
	}
	if err := f.Task.load(); err != nil {
		return result, fmt.Errorf("model: %w", err)
	}
	if err := disturb(s); err != nil {
		return result, err
	}
	if s.Path == "" {
		result.Data, err = f.worker.work(ctx, &f.Task, s, nil)
		return result, err
	}
	open, err := s.Open(ctx, f.Task.model, resolwe.StreamOptions{Names: f.Names, SkipDamaged: f.Task.SkipDamaged})
	if err != nil {
		return result, err
	}
	defer func() {
		skipped.Inc(ctx, int64(open.Skipped()))
		err = errors.Join(err, open.Close())
	}()
	if f.Check {
		open.CheckHard(f.Task.model)
	}
	result.Data, err = f.worker.work(ctx, &f.Task, s, open.Stream)
	result.First, result.Violations = open.Violations()
	return result, err
}

// disturb lets tests make a worker fail.
var disturb = func(shard.Shard) error { return nil }
