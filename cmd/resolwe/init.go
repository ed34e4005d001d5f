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
)

type initCmd struct {
	Dir     string   `arg:"" help:"Folder of the tables: CSV, TSV, JSON lines or Parquet, plain, .gz, .zst or .bz2." name:"dir"`
	Center  string   `help:"TABLE.COLUMN: form a subgraph around each value of this column." required:"" placeholder:"T.COLUMN"`
	Target  string   `help:"TABLE(COLUMN, COLUMN), two columns of a table: the center and what is predicted of it; or what is predicted and a column that says yes or no about it." required:"" placeholder:"T(COLUMN, COLUMN)"`
	Horizon string   `help:"How many days ahead a label looks, for yes-or-no targets with dates: an earlier label is stated that many days after its date, 0d with its row. By default no earlier label is stated." placeholder:"30d"`
	Zone    string   `help:"Zone of dates, and of times that state no offset, as in Europe/Berlin. A day is a day there. UTC by default." placeholder:"ZONE"`
	Time    []string `help:"TABLE=COLUMN: the time of a table's rows is in this column alone. By default a row is known from the latest time on that is set when it is written." placeholder:"T=COLUMN"`
	Trust   []string `help:"Include a table, or a column as TABLE.COLUMN, even though it may contain what came after the target." placeholder:"T.COLUMN"`
	Keep    []string `help:"Keep numbers or dates of a column that seem to stand for no value, such as -1, 999 or 9999-12-31." name:"keep-sentinel" placeholder:"T.COLUMN"`
	Layout  []string `help:"TABLE=OPTIONS: how a table's files are written, as the options in a recipe say: t='delimiter \";\" skip 2 noheader null \"x\"'. By default their beginnings tell." sep:"none" placeholder:"T=OPTIONS"`
	Output  string   `help:"Folder for task.recipe and task.mln; created if missing." short:"o" default:"." placeholder:"FOLDER"`
	Force   bool     `help:"Replace existing files."`
}

func (*initCmd) Help() string {
	return `Reads a folder of raw tables and writes a recipe and a task file that are ready to run. It finds out how the files are written, what
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
	paths := [2]string{filepath.Join(c.Output, "task.recipe"), filepath.Join(c.Output, "task.mln")}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !c.Force {
			return usageError(path + " already exists: --force replaces it, -o names another folder")
		}
	}
	if info, err := os.Stat(c.Dir); err != nil {
		return pathError(c.Dir, err)
	} else if !info.IsDir() {
		return usageError(c.Dir + " is not a folder: name the folder of the tables")
	}
	progress := e.parts("read", "rows")
	read := func(file string) func(int64) { return func(rows int64) { progress(file, rows, -1) } }
	drafted, err := tableinit.Infer(ctx, c.Dir, tableinit.Options{Center: c.Center, Target: c.Target, Horizon: c.Horizon, Zone: c.Zone, Time: c.Time, Trust: c.Trust, KeepSentinel: c.Keep, Layout: c.Layout, Read: read})
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

// write writes both files, or neither.
func (c *initCmd) write(e *environment, paths [2]string, drafted *tableinit.Draft) error {
	for _, t := range drafted.Tables {
		if err := e.Reads(filepath.Join(c.Dir, t.File)); err != nil {
			return err
		}
	}
	recipe, err := e.create(paths[0])
	if err != nil {
		return err
	}
	task, err := e.create(paths[1])
	if err != nil {
		return err
	}
	if err := recipe.write(func(w io.Writer) error { _, err := w.Write(drafted.Recipe); return err }); err != nil {
		return err
	}
	if err := task.write(func(w io.Writer) error { _, err := w.Write(drafted.Task); return err }); err != nil {
		return errors.Join(err, os.Remove(paths[0]))
	}
	return nil
}
