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

// manyRelations is from how many relations on the candidates that are suggested are short ones.
const manyRelations = 16

type initCmd struct {
	Dir     string   `arg:"" help:"Folder of the tables: CSV, TSV or Parquet, plain, .gz, .zst or .bz2." name:"dir"`
	Center  string   `help:"TABLE.COLUMN: around the values of this column subgraphs are formed." required:"" placeholder:"T.COLUMN"`
	Target  string   `help:"TABLE(COLUMN, COLUMN), two columns of a table: the center's, and what is predicted of it; or what is predicted, and a column that says yes or no of it." required:"" placeholder:"T(COLUMN, COLUMN)"`
	Horizon string   `help:"How long it takes until a label is known, for targets that say yes or no of what comes after their date: earlier labels are stated only then. By default the least time between two rows of one thing." placeholder:"30d"`
	Trust   []string `help:"A table, or a column as TABLE.COLUMN, that is included although it may know what came after the target." placeholder:"T.COLUMN"`
	Output  string   `help:"Folder for task.recipe and task.mln, made where it is missing." short:"o" default:"." placeholder:"FOLDER"`
	Force   bool     `help:"Replace files that are there."`
}

// Help says what the command does.
func (*initCmd) Help() string {
	return `Reads a folder of raw tables and writes a recipe and a task file that run as they are. It finds out how the files are written,
what their columns hold, which are keys and what refers to them, and comments on what it found in the recipe. Keys and columns near
the center or the target become relations; rows that would reveal the truth are hidden; negatives are sampled. Where the
target's rows have a time, only rows from before it are included, each with its days and its rank by time, and the stream is in the
order of time. Columns that may know the future (totals, states, later dates) are hidden and named; --trust includes one. What it gets
wrong is a line to correct in the recipe: docs/recipes.md has the language.

Example:

	resolwe init DIR --center buys.who --target "buys(who, what)" -o task
	resolwe build task/task.recipe --model task/task.mln --data DIR -o task.rsg`
}

// Run drafts.
func (c *initCmd) Run(ctx context.Context, e *environment) error {
	paths := [2]string{filepath.Join(c.Output, "task.recipe"), filepath.Join(c.Output, "task.mln")}
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil && !c.Force {
			return usageError(path + " is there already: --force replaces it, -o names another folder")
		}
	}
	if info, err := os.Stat(c.Dir); err != nil {
		return pathError(c.Dir, err)
	} else if !info.IsDir() {
		return usageError(c.Dir + " is no folder: name the one that the tables are in")
	}
	progress := e.parts("read", "rows")
	read := func(file string) func(int64) { return func(rows int64) { progress(file, rows, -1) } }
	drafted, err := tableinit.Infer(ctx, c.Dir, tableinit.Options{Center: c.Center, Target: c.Target, Horizon: c.Horizon, Trust: c.Trust, Read: read})
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
		if drafted.Relations > manyRelations {
			options = " --length 2"
		}
		if drafted.Timed { // train on the past
			options += " --split .8"
		}
		_, err := fmt.Fprintf(w, "\nresolwe build %s --model %s --data %s -o %s\nresolwe crossval %s --stream %s --discover%s\n",
			recipe, task, quotedPath(c.Dir), quotedPath(stream), task, quotedPath(kong.JoinEscaped([]string{stream}, ',')), options)
		return err
	})
}

// write writes both files, or none.
func (c *initCmd) write(e *environment, paths [2]string, drafted *tableinit.Draft) error {
	var outs [2]output
	for _, t := range drafted.Tables {
		if err := e.Reads(filepath.Join(c.Dir, t.File)); err != nil {
			return err
		}
	}
	for i, path := range paths {
		out, err := e.create(path)
		if err != nil {
			return err
		}
		outs[i] = out
	}
	for i, content := range [][]byte{drafted.Recipe, drafted.Task} {
		err := outs[i].write(func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil && i > 0 {
			return errors.Join(err, os.Remove(paths[0]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
