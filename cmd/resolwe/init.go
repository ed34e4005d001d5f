package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"resolwe/format/tableinit"
	"resolwe/internal/printable"
	"resolwe/internal/render"
)

type initCmd struct {
	Dir       string   `arg:"" help:"Folder of the tables: CSV, TSV, JSON lines or Parquet, plain, .gz, .zst or .bz2." name:"dir"`
	Center    string   `help:"TABLE.COLUMN: form a subgraph around each value of this column. Without it and --target, init lists what may be predicted." placeholder:"T.COLUMN"`
	Target    string   `help:"TABLE(COLUMN, COLUMN), two columns of a table: the center and what is predicted of it; or what is predicted and a column that says yes or no about it." placeholder:"T(COLUMN, COLUMN)"`
	Horizon   string   `help:"How many days ahead a label looks, for yes-or-no targets with dates: an earlier label is stated that many days after its date, 0d with its row. By default no earlier label is stated." placeholder:"30d"`
	Zone      string   `help:"Zone of dates, and of times that state no offset, as in Europe/Berlin. A day is a day there. UTC by default." placeholder:"ZONE"`
	Time      []string `help:"TABLE=COLUMN: the time of a table's rows is in this column alone. By default a row is known from the latest time on that is set when it is written." placeholder:"T=COLUMN"`
	As        []string `help:"TABLE.COLUMN=KIND: what the column holds: id, category, number, date or text (which is left out), or TABLE.COLUMN, the key to which it refers." placeholder:"T.C=KIND"`
	Yes       string   `help:"The text of the target's second column that means yes, if it says neither yes nor no: all others mean no." placeholder:"TEXT"`
	Trust     []string `help:"Include a table, or a column as TABLE.COLUMN, even though it may contain what came after the target." placeholder:"T.COLUMN"`
	Keep      []string `help:"Keep numbers or dates of a column that seem to stand for no value, such as -1, 999 or 9999-12-31." name:"keep-sentinel" placeholder:"T.COLUMN"`
	Layout    []string `help:"TABLE=OPTIONS: how a table's files are written, as the options in a recipe say: t='delimiter \";\" skip 2 noheader null \"x\"'. By default their beginnings tell." sep:"none" placeholder:"T=OPTIONS"`
	Relations int      `help:"How many relations to draft at most, the most useful ones; by default 100, and as many as fit into 200 lines." placeholder:"N"`
	Output    string   `help:"Folder for task.recipe and task.mln, and task.findings if there is more to say than a recipe should; created if missing." short:"o" default:"." placeholder:"FOLDER"`
	Force     bool     `help:"Replace existing files."`
}

func (*initCmd) Help() string {
	return `Reads a folder of raw tables and writes a recipe and a task file that are ready to run; without a center and a target, it lists what may
be predicted. It finds out how the files are written, what
their columns contain, which columns are keys and what refers to them, and explains its findings in comments in the recipe. Keys and
columns near the center or the target become relations; rows that would reveal the truth are hidden; negatives are sampled. If the
target's rows have a time, only earlier rows are included, each with its age in days and its rank by time, and the stream is ordered
by time. Columns that may know the future (totals, states, later dates) are hidden and named; --trust includes one.

Correct any mistakes in the recipe; docs/recipes.md describes the language.

Example:

	resolwe init DIR --center buys.who --target "buys(who, what)" -o task
	resolwe build task/task.recipe --model task/task.mln --data DIR -o task.rsg`
}

func (c *initCmd) Run(ctx context.Context, e *environment) error {
	switch {
	case c.Relations < 0:
		return usageError("--relations: a number of at least 1")
	case c.Center == "" && c.Target == "":
		return c.propose(ctx, e)
	case c.Center == "" || c.Target == "":
		return usageError("a task has a --center and a --target: init DIR alone lists what may be predicted")
	}
	paths := [3]string{filepath.Join(c.Output, "task.recipe"), filepath.Join(c.Output, "task.mln"), filepath.Join(c.Output, "task.findings")}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !c.Force {
			return usageError(path + " already exists: --force replaces it, -o names another folder")
		}
	}
	opt, err := c.options(e)
	if err != nil {
		return err
	}
	drafted, err := tableinit.Infer(ctx, c.Dir, *opt)
	if err != nil {
		return err
	}
	e.endProgress()
	if err := e.makeFolder(c.Output); err != nil {
		return err
	}
	if err := c.write(e, paths, drafted); err != nil {
		return err
	}
	for _, n := range drafted.Notes {
		e.log.Warn(n)
	}
	return e.results(func(w io.Writer) error {
		for _, t := range drafted.Tables {
			used := ""
			if t.Unused != "" {
				used = "  (not used: " + t.Unused + ")"
			}
			fmt.Fprintf(w, "%10d rows  %s%s\n", t.Rows, t.Name, used)
		}
		if drafted.Checks > 0 {
			fmt.Fprintf(w, "%s marked CHECK in %s: how things are called in texts\n", render.Count(drafted.Checks, "line", "lines"), quotedPath(paths[1]))
		}
		recipe, task, stream := quotedPath(paths[0]), quotedPath(paths[1]), filepath.Join(c.Output, "task.rsg")
		options := ""
		if drafted.Timed { // train on the past
			options = " --split .8"
		}
		_, err := fmt.Fprintf(w, "\nresolwe build %s --model %s --data %s -o %s\nresolwe crossval %s --stream %s --discover%s\n",
			recipe, task, quotedPath(c.Dir), quotedPath(stream), task, quotedPath(kong.JoinEscaped([]string{stream}, ',')), options)
		return err
	})
}

// options returns those of the draft. It checks the folder.
func (c *initCmd) options(e *environment) (*tableinit.Options, error) {
	if info, err := os.Stat(c.Dir); err != nil {
		return nil, pathError(c.Dir, err)
	} else if !info.IsDir() {
		return nil, usageError(c.Dir + " is not a folder: name the folder of the tables")
	}
	progress := e.parts("read", "rows")
	return &tableinit.Options{
		Center: c.Center, Target: c.Target, Horizon: c.Horizon, Zone: c.Zone, Time: c.Time, As: c.As, Yes: c.Yes, Trust: c.Trust, KeepSentinel: c.Keep, Layout: c.Layout, Relations: c.Relations,
		Read: func(file string) func(int64) { return func(rows int64) { progress(file, rows, -1) } },
	}, nil
}

// mostProposed is how many tasks init lists.
const mostProposed = 20

// propose lists what may be predicted.
func (c *initCmd) propose(ctx context.Context, e *environment) error {
	opt, err := c.options(e)
	if err != nil {
		return err
	}
	proposals, err := tableinit.Propose(ctx, c.Dir, opt)
	if err != nil {
		return err
	}
	e.endProgress()
	if len(proposals) == 0 {
		return usageError("nothing in " + c.Dir + " has two values, or pairs things of other tables: name what to predict by --center and --target")
	}
	return e.results(func(w io.Writer) error {
		for i, p := range proposals[:min(len(proposals), mostProposed)] {
			rate := ""
			if p.True < p.Rows {
				rate = fmt.Sprintf(", %.1f%% yes", 100*float64(p.True)/float64(p.Rows))
			}
			yes := ""
			if p.Yes != "" {
				yes = " --yes " + quotedPath(p.Yes)
			}
			if _, err := fmt.Fprintf(w, "%2d. %s: %s%s\n    resolwe init %s --center %s --target %s%s -o task\n", i+1, p.What, printable.Count(p.Rows, "row"), rate,
				quotedPath(c.Dir), quotedPath(p.Center), quotedPath(p.Target), yes); err != nil {
				return err
			}
		}
		if more := len(proposals) - mostProposed; more > 0 {
			_, err = fmt.Fprintf(w, "    and %d more\n", more)
		}
		return err
	})
}

// write writes all files, or none. Of an earlier draft, findings go.
func (c *initCmd) write(e *environment, paths [3]string, drafted *tableinit.Draft) error {
	for _, t := range drafted.Tables {
		if err := e.Reads(filepath.Join(c.Dir, t.File)); err != nil {
			return err
		}
	}
	contents := [][]byte{drafted.Recipe, drafted.Task, drafted.Findings}
	if len(drafted.Findings) == 0 {
		contents = contents[:2]
		if err := os.Remove(paths[2]); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	outputs := make([]output, len(contents))
	for i := range contents {
		var err error
		if outputs[i], err = e.create(paths[i]); err != nil {
			return err
		}
	}
	for i, content := range contents {
		if err := outputs[i].write(func(w io.Writer) error { _, err := w.Write(content); return err }); err != nil {
			for _, path := range paths[:i] {
				err = errors.Join(err, os.Remove(path))
			}
			return err
		}
	}
	return nil
}
