package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/watch"
)

type watchCmd struct {
	modelArg
	streamArg
	Start    int       `help:"Subgraphs from which the first model is selected, of a task with candidates, at least 1." default:"500" placeholder:"N"`
	Block    int       `help:"Subgraphs that are predicted before their truth is looked at, at least 1." default:"50" placeholder:"N"`
	Horizons []float64 `help:"Subgraphs after which the experts forget; one more expert never does." default:"100,400,1600" placeholder:"N,N,.."`
	Alarm    float64   `help:"Mean number of subgraphs until a false alarm, at least; above 1." default:"1e5" placeholder:"N"`
	Margin   float64   `help:"Nats an atom by which another model must be better, 0 to .1." default:"0.002" placeholder:"X"`
	Delay    int       `help:"Subgraphs that pass before the truth of one is known." default:"0" placeholder:"N"`
	Adapt    string    `help:"What replaces the published model after an alarm: ${enum}." enum:"none,weights" default:"weights"`
	Sigma    float64   `help:"Standard deviation of the Gaussian prior of the weights, above 0." default:"2"`
	Publish  string    `help:"New or empty folder for the published models: 1.mln, 2.mln, .., and a link, current, to the latest." placeholder:"DIR"`
	Curve    string    `help:"Write the figures of each block as CSV." placeholder:"FILE.csv"`
	Events   string    `help:"Write what happens, alarms and takeovers, as lines of JSON." placeholder:"FILE.jsonl"`
	checkpointArgs
	CheckpointEvery interval `help:"How often: after a time (30s), or a number of blocks (500)." default:"1m" placeholder:"1m"`
	JSON            bool     `help:"Print lines of JSON." name:"json"`
}

// Help says what the command does.
func (*watchCmd) Help() string {
	return `Keeps a model current on a stream whose causes may change. It predicts a block of subgraphs, then looks at their truth, then
reads the next block. It prints a line for each block: the CLL of the mixture of experts (watch), of the published model, of the first
model (frozen), of a model that learns from everything so far (all), and of the base rate; and ln M, the statistic that raises alarms.
Each formula has one target literal. If the task has candidates, the first model is selected on the first --start subgraphs; if its
formulas have weights, it is the first model.

The experts forget after 100, 400 and 1,600 subgraphs, or never; the mixture follows those that predict well. An alarm says that another
model predicts better than the published one by more than --margin. While none does, the mean number of subgraphs until an alarm is at
least --alarm, whatever the distribution. With --adapt weights a challenger is made 100, 200, 400, .. subgraphs after an alarm, with the
averaged weights of the experts; it takes over once there is evidence that it is better. docs/watch.md has an example.

A run that was interrupted resumes from --checkpoint with --resume, and writes the same curve, events and models.

Examples:

	resolwe watch task.mln --stream s.rsg --curve curve.csv --events events.jsonl
	producer | resolwe watch model.mln --stream - --publish models`
}

// Run watches.
func (c *watchCmd) Run(ctx context.Context, e *environment) (err error) {
	m, err := c.read(e, constantsOf(ctx, e, c))
	if err != nil {
		return err
	}
	s, err := c.open(ctx, e, m, true)
	if err != nil {
		return err
	}
	e.atEnd(func() { c.close(e, s) })
	opt := watch.Options{
		Start: flags.Stated(c.Start), Block: flags.Stated(c.Block), Horizons: c.Horizons, Alarm: flags.Stated(c.Alarm),
		Margin: c.Margin, Delay: c.Delay, Sigma: flags.Stated(c.Sigma), Adapt: map[string]watch.Adapt{"none": watch.AdaptNone, "weights": watch.AdaptWeights}[c.Adapt],
	}
	if c.Margin < 0 {
		return &resolwe.OptionError{Option: "--margin", Reason: "0 to .1"}
	}
	if c.Margin == 0 {
		opt.Margin = -1
	}
	opt.Select.Gain.Seed = e.common.Seed
	if opt.Checkpoints, err = c.options(e); err != nil {
		return c.Named(err)
	}
	opt.Checkpoints.Due = c.CheckpointEvery.due()
	var curve, events appended
	for _, o := range []struct {
		to   *appended
		path string
	}{{&curve, c.Curve}, {&events, c.Events}} {
		if *o.to, err = e.append(o.path, opt.Checkpoints.Resume != nil); err != nil {
			return err
		}
	}
	outputs := []*appended{&curve, &events}
	opt.Mark = func() ([]int64, error) { return marks(outputs) }
	opt.Rewind = func(at []int64) error { return rewind(outputs, at) }
	if opt.Publish, err = e.models(c.Publish, opt.Checkpoints.Resume != nil); err != nil {
		return err
	}
	header := opt.Checkpoints.Resume == nil
	opt.Line = func(l *watch.Line) error {
		err := errors.Join(report.WatchLine(e.stdout, l, c.JSON, header), report.WatchCurve(&curve, l))
		header = false
		return err
	}
	opt.Event = func(v *watch.Event) error {
		e.log.Info(report.WatchEvent(v))
		return json.NewEncoder(&events).Encode(v)
	}
	opt.Run = e.run("watch", s.Len())
	summary, err := watch.Watch(ctx, m, s, opt)
	if err != nil {
		return c.Named(errors.Join(err, curve.Close(), events.Close()))
	}
	e.endProgress()
	return errors.Join(curve.Close(), events.Close(), report.WatchSummary(e.stdout, summary, c.JSON))
}

// appended is an output that grows with the run. Without a file it takes nothing.
type appended struct{ file *os.File }

// append opens an output, whose bytes stay where a run goes on.
func (e *environment) append(path string, goesOn bool) (appended, error) {
	if path == "" {
		return appended{}, nil
	}
	if err := e.Writes(path); err != nil {
		return appended{}, err
	}
	mode := os.O_RDWR | os.O_CREATE
	if !goesOn {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, mode, 0o644) //nolint:gosec // as other outputs
	if err != nil {
		return appended{}, pathError(path, err)
	}
	return appended{f}, nil
}

// Write appends bytes.
func (a *appended) Write(p []byte) (int, error) {
	if a.file == nil {
		return len(p), nil
	}
	return a.file.Write(p)
}

// Close closes the file.
func (a *appended) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

// marks makes outputs durable, and returns how long they are.
func marks(outputs []*appended) ([]int64, error) {
	at := make([]int64, len(outputs))
	for i, o := range outputs {
		if o.file == nil {
			continue
		}
		end, err := o.file.Seek(0, io.SeekCurrent)
		if at[i] = end; err == nil {
			err = o.file.Sync()
		}
		if err != nil {
			return nil, err
		}
	}
	return at, nil
}

// rewind takes back what outputs have written after marks.
func rewind(outputs []*appended, at []int64) error {
	if len(at) != len(outputs) {
		return &resolwe.CheckpointError{Reason: "damaged", Damaged: true}
	}
	for i, o := range outputs {
		if o.file == nil {
			continue
		}
		if info, err := o.file.Stat(); err != nil || info.Size() < at[i] {
			return usageError(o.file.Name() + " is shorter than it was at the checkpoint")
		}
		if err := o.file.Truncate(at[i]); err != nil {
			return err
		}
		if _, err := o.file.Seek(at[i], io.SeekStart); err != nil {
			return err
		}
	}
	return nil
}

// models returns what writes models to a folder: N.mln, which appear whole and stay, and the link current to the latest.
func (e *environment) models(dir string, goesOn bool) (func(int, *resolwe.Model) error, error) {
	if dir == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as other folders
		return nil, pathError(dir, err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 && !goesOn {
		return nil, pathError(dir, cmp.Or(err, errors.New("the folder is not empty")))
	}
	return func(n int, m *resolwe.Model) error {
		name := strconv.Itoa(n) + ".mln"
		out, err := e.create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := out.write(func(w io.Writer) error { return m.Write(w, nil) }); err != nil {
			return err
		}
		link := filepath.Join(dir, ".current")
		if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Symlink(name, link); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		return os.Rename(link, filepath.Join(dir, "current"))
	}, nil
}
