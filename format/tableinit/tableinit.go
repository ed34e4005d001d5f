// Package tableinit drafts a recipe and a task file for a folder of tables that nobody has described: it reads them as they are,
// finds out what their columns hold, which of them are keys and what refers to these, and says so in the recipe's comments. What
// it gets wrong is a line that a person corrects.
package tableinit

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// Options say what to draft. Center and Target are needed.
type Options struct {
	Center string // TABLE.COLUMN: a subgraph is formed around each of its values
	Target string // TABLE(COLUMN, COLUMN): which pairs are predicted, the center's values in one column
	// Horizon is how many days, as 30d, it takes until a label is known; "" for the least time between two rows of one thing.
	Horizon string
	// Trust are tables, or columns as TABLE.COLUMN, that are included although they may know what came after the target.
	Trust []string
	// Read is called as the reading of a file begins; what it returns is told now and then how many rows have been read. It may
	// be nil.
	Read func(file string) (rows func(int64))
}

// Draft is a recipe and a task file that fit each other.
type Draft struct {
	Recipe []byte
	Task   []byte
	Notes  []string // what of the folder was left out, and other things to know, each a sentence
	Tables []Table
	// Relations is how many predicates the task has. With many of them long candidates are dear.
	Relations int
	Timed     bool // the subgraphs are in the order of time
}

// Table is a table of the folder.
type Table struct {
	Name   string
	File   string // in the folder
	Rows   int
	Unused string // why the recipe does not read it, "" where it does
}

// UsageError says what of the request cannot be, and what to write.
type UsageError struct{ Message string }

// Error is the message.
func (e *UsageError) Error() string { return e.Message }

// IsUsage reports true.
func (*UsageError) IsUsage() bool { return true }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Infer drafts a recipe and a task for the tables of a folder. They are the same bytes in every run. Errors are a *UsageError that
// says what to write, those of package tablefile where a table that is asked for cannot be read or any has changed, or of the context.
func Infer(ctx context.Context, dir string, opt Options) (*Draft, error) {
	d := &draft{names: registry{}, typeNames: registry{}, asked: map[*column]bool{}}
	out, err := d.infer(ctx, dir, opt)
	if err := d.reader.Check(err); err != nil {
		return nil, err
	}
	return out, nil
}

// infer is Infer, whatever becomes of the files meanwhile.
func (d *draft) infer(ctx context.Context, dir string, opt Options) (*Draft, error) {
	if err := d.read(ctx, dir, opt.Read); err != nil {
		return nil, err
	}
	r, err := d.parse(opt.Center, opt.Target)
	if err != nil {
		return nil, err
	}
	for _, c := range []*column{r.center, r.pair[0], r.pair[1]} {
		d.asked[c] = true
	}
	d.request = r
	if err := d.trusting(opt.Trust); err != nil {
		return nil, err
	}
	d.judge()
	if err := d.aim(ctx, opt.Horizon); err != nil {
		return nil, err
	}
	w := &writer{draft: d, defined: map[string]string{}, hiding: map[*tabular]string{}}
	out := &Draft{Recipe: []byte(w.recipe(opt)), Task: []byte(w.task(opt)), Notes: d.notes, Relations: len(w.predicates), Timed: d.timed}
	for _, t := range d.tables {
		out.Tables = append(out.Tables, Table{t.name, t.file, t.rows, w.unusedWhy(t)})
	}
	return out, nil
}

// draft is what is known of a folder.
type draft struct {
	request
	reader        tablefile.Reader
	tables        []*tabular
	others        []string // files that are no tables, and why
	types         []*entityType
	asked         map[*column]bool
	trusted       map[*column]bool // included although they may know the future
	trustedTables map[*tabular]bool
	names         registry // of relations
	typeNames     registry // of sorts of things, and of kinds of numbers
	aimed
	notes []string
}

func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// read reads all tables of a folder.
func (d *draft) read(ctx context.Context, dir string, progress func(string) func(int64)) (err error) {
	if d.tables, d.others, err = folder(dir, &d.reader); err != nil {
		return err
	}
	if len(d.tables) == 0 {
		return usage("%s holds no table: no name of a file ends with .csv, .tsv, .dat, .txt, .tab, .psv or .parquet, plain or with .gz, .zst or .bz2", dir)
	}
	for _, t := range d.tables {
		if err := t.sniff(); err != nil {
			t.problem = fmt.Errorf("%s: %w", t.file, err)
		}
	}
	d.joinParts(dir)
	for _, t := range d.tables {
		rows := func(int64) {}
		if progress != nil {
			rows = progress(t.file)
		}
		if t.problem == nil {
			t.problem = t.take(ctx, rows)
		}
		if t.problem != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.problem != nil {
			t.columns, t.rows = nil, 0
			why := firstLine(t.problem)
			for _, path := range t.paths {
				why = strings.ReplaceAll(why, path, filepath.Base(path))
			}
			d.note("%s was left out: %s", t.file, strings.TrimPrefix(why, t.file+": "))
		}
	}
	return nil
}

// take reads a table. A text that is not what its beginning looks like is read once more as Latin-1.
func (t *tabular) take(ctx context.Context, rows func(int64)) error {
	err := t.scan(ctx, rows)
	if c, ok := errors.AsType[*tablefile.DamageError](err); ok && t.spec.Encoding == "" && strings.Contains(c.Message, "not UTF-8") {
		t.spec.Encoding = table.EncodingLatin1
		return t.scan(ctx, rows)
	}
	return err
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
