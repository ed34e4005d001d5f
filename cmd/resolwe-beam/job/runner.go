package job

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"  // --runner dataflow
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // --runner universal
	"resolwe/cmd/internal/console"

	"resolwe/cmd/resolwe-beam/shard"
)

// Local is the name of the runner in this process: it has no job service and opens no port.
const Local = "local"

// universal is the runner that submits jobs to a job service.
const universal = "universal"

// environmentType is Beam's flag for where workers run: loopback makes this program the worker, external asks a pool.
const (
	environmentType = "environment_type"
	loopback        = "LOOPBACK"
	external        = "EXTERNAL"
)

// Runner says where pipelines run.
type Runner struct {
	Name     string // local, universal or dataflow
	Endpoint string // of the job service
	Work     string // folder that this program and the workers can reach; "" for a temporary one
	Retries  int    // how often to retry a failed job
	Log      *slog.Logger

	made    string // temporary folder
	tempDir string // the program's value of TMPDIR before
	pool    *Pool  // for LOOPBACK
	job     string // prefix of job names, "" for the default

	boxes atomic.Pointer[[]Mailbox] // of the current attempt
}

// tempDir is the environment variable that names the folder for temporary files.
const tempDir = "TMPDIR"

// Start prepares the runner. Beam's own flags must have been parsed. Call Close when done.
func (r *Runner) Start() error {
	if r.Endpoint != "" {
		if err := flag.Set("endpoint", r.Endpoint); err != nil {
			return err
		}
	}
	if err := setBinary(); err != nil {
		return err
	}
	initialize() // this sets loggers
	setLog(r.Log)
	working := strings.EqualFold(*jobopts.EnvironmentType, loopback) // this process is the worker
	if r.Work == "" && r.Name != Local && !working {
		return console.UsageError("--runner " + r.Name + " needs --work, a folder that the workers reach too")
	}
	made, err := os.MkdirTemp("", "resolwe-beam-")
	if err != nil {
		return err
	}
	r.made, r.tempDir, r.job = made, os.Getenv(tempDir), *jobopts.JobName
	if r.Work == "" {
		r.Work = made
	}
	if r.Work, err = shard.MakeFolder(r.Work); err != nil {
		return err
	}
	if err := os.Setenv(tempDir, made); err != nil { // the SDK leaves files there
		return err
	}
	if r.Name != universal {
		return nil
	}
	if working {
		if err := r.startPool(); err != nil {
			return err
		}
	}
	return r.stageNothing()
}

// startPool makes this process the worker, by a pool that accepts workers of equal ids.
func (r *Runner) startPool() error {
	var err error
	if r.pool, err = StartPool("localhost:0", math.MaxInt, nil, io.Discard); err != nil { // the job limits the number of workers
		return err
	}
	return errors.Join(flag.Set(environmentType, external), flag.Set("environment_config", r.pool.Address()))
}

// stageNothing makes Beam stage an empty file if workers are already there: otherwise each job would upload the program.
func (r *Runner) stageNothing() error {
	if !strings.EqualFold(*jobopts.EnvironmentType, external) {
		return nil
	}
	empty := filepath.Join(r.made, "nothing")
	return errors.Join(os.WriteFile(empty, nil, 0o600), flag.Set("worker_binary", empty))
}

// setBinary makes Beam stage the program itself for workers like this machine, unless another file is named: otherwise Beam would compile
// it again.
func setBinary() error {
	if *jobopts.WorkerBinary != "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	return flag.Set("worker_binary", path)
}

// initialize makes Beam resolve what has been registered, once.
var initialize = sync.OnceFunc(func() {
	beam.Init()
	hooks.SerializeHooksToOptions() // there are none, but without this workers complain
})

// Close removes temporary files.
func (r *Runner) Close() error {
	if r.made == "" {
		return nil
	}
	if r.pool != nil {
		r.pool.Close()
	}
	return errors.Join(flag.Set("job_name", r.job), os.Setenv(tempDir, r.tempDir), os.RemoveAll(r.made))
}

// Mailbox is the files through which one attempt at a job returns its results.
type Mailbox struct {
	Folder string
	ID     string // random for each attempt, so that attempts that a runner gave up do not interfere
}

// Run runs a job to its end. It calls work again after failures. collect takes the results from the mailbox once the job has succeeded. A
// failure that a worker has reported is a *FailedError. Mailboxes of the same id in other folders are emptied too.
func (r *Runner) Run(
	ctx context.Context, work func(Mailbox) *Work, collect func(Mailbox) error, folders ...string,
) error {
	for attempt := 0; ; attempt++ {
		err := r.attempt(ctx, work, collect, folders)
		if err == nil || ctx.Err() != nil || attempt >= r.Retries || isFinal(err) {
			return err
		}
		r.Log.Warn("the job failed and is run again: " + err.Error())
		if r.Name == Local {
			continue
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second << min(attempt, 5)): // killed workers have restarted by then
		}
	}
}

// attempt runs the job once. It empties its mailboxes at the end.
func (r *Runner) attempt(
	ctx context.Context, work func(Mailbox) *Work, collect func(Mailbox) error, folders []string,
) (err error) {
	box := Mailbox{Folder: r.Work, ID: rand.Text()}
	boxes := make([]Mailbox, len(folders), len(folders)+1)
	for i, folder := range folders {
		boxes[i] = Mailbox{Folder: folder, ID: box.ID}
	}
	boxes = append(boxes, box)
	r.boxes.Store(&boxes)
	defer r.clear()
	if err := box.put(ctx, wanted, nil); err != nil {
		return err
	}
	name := r.jobName(box)
	counted, err := r.do(ctx, work(box), name)
	switch {
	case ctx.Err() != nil:
		r.cancelJob(name)
		return context.Cause(ctx)
	case err != nil:
		return box.failure(ctx, err)
	}
	r.log(counted)
	return collect(box)
}

// do does the work, as a job of that name, and returns the counters.
func (r *Runner) do(ctx context.Context, work *Work, name string) ([]metrics.Results, error) {
	if r.Name == Local {
		return work.here(ctx)
	}
	if err := flag.Set("job_name", name); err != nil {
		return nil, err
	}
	p, root := beam.NewPipelineWithRoot()
	work.pipeline(root)
	result, err := beam.Run(ctx, r.Name, p)
	if err != nil || result == nil {
		return nil, err
	}
	return []metrics.Results{result.Metrics()}, nil
}

// clear empties the mailboxes of the current attempt.
func (r *Runner) clear() {
	boxes := r.boxes.Swap(nil)
	if boxes == nil {
		return
	}
	for _, b := range *boxes {
		if err := b.clear(context.Background()); err != nil {
			r.Log.Warn("files are left in " + b.Folder + ": " + err.Error())
		}
	}
}

// Abandon leaves the running job and removes temporary files. The program must end afterwards.
func (r *Runner) Abandon() error {
	creating.Lock()
	r.clear()
	return r.Close()
}

// isFinal reports whether a retry would repeat an error.
func isFinal(err error) bool {
	e := (*FailedError)(nil)
	return errors.As(err, &e) && e.Final
}
