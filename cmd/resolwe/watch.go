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
	"strings"
	"time"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/internal/report"
	"resolwe/internal/atomicfile"
	"resolwe/watch"
)

type watchCmd struct {
	modelArg
	streamArg
	flags.Watch `group:"Adapting:"`
	Delay       delay  `help:"Delay until the truth of a subgraph is known: a number of subgraphs, or a time such as 30d or 12h, by the subgraphs' times, in whose order they must come." default:"0" placeholder:"N|TIME"`
	Publish     string `help:"New or empty folder for the published models: 1.mln, 2.mln, .., and a link, current, to the latest." placeholder:"DIR"`
	Curve       string `help:"Write the figures of each block as CSV." placeholder:"FILE.csv"`
	Events      string `help:"Write alarms and takeovers as lines of JSON." placeholder:"FILE.jsonl"`
	checkpointArgs
	CheckpointEvery interval `help:"How often to save: after a time (30s), or a number of blocks (500)." default:"1m" placeholder:"1m" rare:""`
	JSON            bool     `help:"Print lines of JSON." name:"json"`
}

func (*watchCmd) Help() string {
	return `Keeps a model current on a stream whose causes may change. It predicts a block of subgraphs, looks at their truth, and reads
the next block. It prints a line for each block: the CLL of the mixture of experts (watch), of the published model, of the first
model (frozen), of a model that learns from everything so far (all), of the base rate, and of the rate by an atom's last known label;
and ln M, the statistic that raises alarms. Each formula must have exactly one target literal. If the task has candidates, the first
model is selected on the first --start subgraphs; if its formulas have weights, it is itself the first model.

The experts forget after 100, 400 and 1,600 subgraphs, or never; the mixture follows those that predict well. An alarm means that another model predicts better than the published one by more than --margin. While none does, the mean number of subgraphs until an alarm is at
least --alarm, whatever the distribution. With --adapt weights, a challenger with the averaged weights of the experts is made 100, 200, 400, .. subgraphs after an alarm;
it takes over once there is evidence that it is better. With --adapt structure the formulas of the
challenger are selected among the task's candidates, on a sample of the subgraphs since the change. docs/watch.md has an example.

Truth that is unknown when a subgraph passes can come in a later record of the same name: it is compared with what was predicted then, and has a line of its own.

An interrupted run resumes from --checkpoint with --resume, and writes the same curve, events and models.

Examples:

	resolwe watch task.mln --stream s.rsg --curve curve.csv --events events.jsonl
	producer | resolwe watch model.mln --stream - --publish models`
}

func (c *watchCmd) Run(ctx context.Context, e *environment) (err error) {
	m, opt, s, err := task(ctx, e, &c.modelArg, &c.streamArg, true, c.Options)
	if err != nil {
		return err
	}
	opt.Delay, opt.Wait = c.Delay.steps, c.Delay.time
	if opt.Checkpoints, err = c.options(e); err != nil {
		return c.Named(err)
	}
	opt.Checkpoints.Due = c.CheckpointEvery.due()
	resumed := opt.Checkpoints.Resume != nil
	var outputs [2]*atomicfile.Appended
	for i, path := range []string{c.Curve, c.Events} {
		if outputs[i], err = e.append(path, resumed, [][]string{{".csv"}, {".jsonl", ".json"}}[i]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, outputs[i].Close()) }()
	}
	curve, events := outputs[0], outputs[1]
	opt.Mark = func() ([]int64, error) { return marks(outputs[:]) }
	opt.Rewind = func(at []int64) error { return rewind(outputs[:], at) }
	if opt.Publish, err = e.models(c.Publish, resumed); err != nil {
		return err
	}
	header := !resumed
	opt.Line = func(l *watch.Line) error {
		err := errors.Join(report.WatchLine(e.stdout, l, c.JSON, header), report.WatchCurve(curve, l))
		header = false
		return err
	}
	opt.Event = func(v *watch.Event) error {
		e.log.Info(report.WatchEvent(v))
		return json.NewEncoder(events).Encode(v)
	}
	opt.Weights = c.Curve != ""
	opt.Run = e.run("watch", s.Len())
	summary, err := watch.Watch(ctx, m, s, opt)
	if err != nil {
		return c.Named(err)
	}
	e.endProgress()
	if summary.Atoms == 0 {
		e.log.Warn(noTruth)
	}
	if n := summary.Later.Ignored; n > 0 {
		e.log.Warn("later records stated no truth that was awaited", "number", n)
	}
	if n := summary.Later.GivenUp; n > 0 && summary.Later.Records > 0 {
		e.log.Warn("too much truth was awaited: that of the first atoms was given up", "atoms", n)
	}
	return report.WatchSummary(e.stdout, summary, c.JSON)
}

// delay is a number of subgraphs, or a time.
type delay struct{ span }

// UnmarshalText reads a delay.
func (d *delay) UnmarshalText(text []byte) error {
	var err error
	if d.steps, err = strconv.Atoi(string(text)); err == nil && d.steps >= 0 {
		return nil
	}
	d.steps = 0
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if d.time = time.Duration(n) * 24 * time.Hour; err == nil && n > 0 {
			return nil
		}
	} else if d.time, err = time.ParseDuration(string(text)); err == nil && d.time >= time.Second {
		return nil
	}
	return fmt.Errorf("want a number of subgraphs, or a time like 30d or 12h, of at least a second; got %q", text)
}

// append opens an output that grows with the run, keeping its bytes if a run is resumed. Without a path it is nil.
func (e *environment) append(path string, goesOn bool, extensions []string) (*atomicfile.Appended, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // which discards what is written
	}
	if err := e.Writes(path, extensions...); err != nil {
		return nil, err
	}
	a, err := atomicfile.OpenAppended(path, goesOn)
	if err != nil {
		return nil, pathError(path, err)
	}
	return a, nil
}

// marks makes outputs durable, and returns how long they are.
func marks(outputs []*atomicfile.Appended) (at []int64, err error) {
	at = make([]int64, len(outputs))
	for i, o := range outputs {
		if at[i], err = o.Sync(); err != nil {
			return nil, err
		}
	}
	return at, nil
}

// rewind removes what outputs have written since marks.
func rewind(outputs []*atomicfile.Appended, at []int64) error {
	if len(at) != len(outputs) {
		return &resolwe.CheckpointError{Reason: "damaged", Damaged: true}
	}
	for i, o := range outputs {
		if err := o.Rewind(at[i]); errors.Is(err, atomicfile.ErrShorter) {
			return usageError(err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

// models returns a function that writes models to a folder: N.mln, which appear complete and stay, and the link current to the
// latest.
func (e *environment) models(dir string, goesOn bool) (func(int, *resolwe.Model) error, error) {
	if dir == "" {
		return nil, nil //nolint:nilnil // none is wanted
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // as other folders
		return nil, pathError(dir, err)
	}
	release, err := atomicfile.Hold(dir)
	if err != nil {
		return nil, pathError(dir, err)
	}
	e.atEnd(release)
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
