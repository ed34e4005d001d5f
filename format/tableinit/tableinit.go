// Package tableinit drafts a recipe and a task file for a folder of undescribed tables. It determines what their columns hold, which are
// keys and which refer to them, and explains its findings in the recipe's comments. A wrong guess is one line for the user to correct.
package tableinit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/format/tableschema"
	"resolwe/internal/isotime"
	"resolwe/internal/printable"
)

// Options say what to draft. Center and Target are required.
type Options struct {
	Center string // TABLE.COLUMN: each of its values is the center of a subgraph
	Target string // TABLE(COLUMN, COLUMN): the pairs to predict, with the center's values in one column
	// Horizon is the time until a label is known, in days as in 30d; "" means that nothing says so: no earlier label is stated.
	Horizon string
	// Zone names that of dates, and of times that state no offset, as in Europe/Berlin; "" is UTC.
	Zone string
	// Time lists TABLE=COLUMN: the times of a table's rows are in this column alone.
	Time []string
	// As lists TABLE.COLUMN=KIND, what columns hold: an id, category, number, date or text (which is left out), or TABLE.COLUMN, the key to which
	// one refers. By default names, cells and keys decide.
	As []string
	// Yes is the text of the target's second column that means yes, for one that does not say yes or no.
	Yes string
	// Trust lists tables, or columns as TABLE.COLUMN, to include although they may know what came after the target.
	Trust []string
	// Relations is the largest number of relations; 0 means 100, and a recipe of at most 200 lines.
	Relations int
	// Layout lists TABLE=OPTIONS: how files are written, as the options of a table in a recipe say, in place of what their beginnings show.
	Layout []string
	// KeepSentinel lists TABLE.COLUMN: numbers or dates of these columns that seem to stand for no value, such as -1, are values.
	KeepSentinel []string
	// Read, unless nil, is called when the reading of a file begins; the function it returns receives the number of rows read so far now
	// and then.
	Read func(file string) (rows func(int64))
}

// Draft is a matching pair of recipe and task file.
type Draft struct {
	Recipe []byte
	Task   []byte
	// Findings say what was found of each table, and which relations were left out. They are empty if the recipe's comments have them.
	Findings []byte
	Notes    []string // what was omitted and other remarks, each a sentence
	Tables   []Table
	Timed    bool // the subgraphs are in order of time
	Checks   int  // lines of words in the task that are marked, as they may read badly
}

// Table is a table of the folder.
type Table struct {
	Name   string
	File   string // its name in the folder
	Rows   int
	Unused string // why the recipe does not read it, "" if it does
}

// UsageError says why a request cannot be met, and what to write.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// IsUsage reports true.
func (*UsageError) IsUsage() bool { return true }

func usage(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Infer drafts a recipe and a task for a folder of tables. They are the same bytes in every run. It returns a *UsageError, the context's
// error, one of package tablefile if a requested table cannot be read or any has changed, or one of package tableschema if the folder's
// schema.json does not describe it.
func Infer(ctx context.Context, dir string, opt Options) (*Draft, error) {
	d := &draft{names: registry{}, typeNames: registry{}}
	out, err := d.infer(ctx, dir, opt)
	if err := d.reader.Check(err); err != nil {
		return nil, err
	}
	return out, nil
}

// infer is Infer without checking whether files have changed.
func (d *draft) infer(ctx context.Context, dir string, opt Options) (*Draft, error) {
	if err := d.open(ctx, dir, &opt); err != nil {
		return nil, err
	}
	r, err := d.parse(opt.Center, opt.Target)
	if err != nil {
		return nil, err
	}
	for _, c := range []*column{r.center, r.pair[0], r.pair[1]} {
		c.asked = true
	}
	r.yes = opt.Yes
	d.request = r
	if err := d.trusting(opt.Trust); err != nil {
		return nil, err
	}
	if err := d.overrule(opt.As); err != nil {
		return nil, err
	}
	for _, name := range opt.KeepSentinel {
		c, err := d.findColumn(name, "--keep-sentinel")
		if err != nil {
			return nil, err
		}
		c.keeps = true
	}
	d.judge()
	if err := d.aim(opt.Horizon, opt.Time); err != nil {
		return nil, err
	}
	w := &writer{draft: d, defined: map[string]string{}}
	text := func(s string) []byte { return []byte(printable.Escape(s)) } // comments have names from the files; all else is printable
	recipe, findings := w.recipe(&opt)
	out := &Draft{Recipe: text(recipe), Findings: text(findings), Task: text(w.task(&opt)), Notes: d.notes, Timed: d.timed}
	out.Checks = bytes.Count(out.Task, []byte(check))
	for _, t := range d.tables {
		out.Tables = append(out.Tables, Table{t.name, t.file, t.rows, w.unusedWhy(t)})
	}
	return out, nil
}

// open reads the tables.
func (d *draft) open(ctx context.Context, dir string, opt *Options) error {
	if zone, ok := isotime.FindZone(opt.Zone); ok {
		d.zone = zone
	} else if opt.Zone != "" {
		return usage("--zone: there is no zone %q: write its name as in Europe/Berlin", opt.Zone)
	}
	d.pass = func(t *tabular, row func(cells [][]byte)) {
		if d.err == nil {
			d.err = t.each(ctx, row)
		}
	}
	if err := d.read(ctx, dir, *opt); err != nil {
		return err
	}
	return d.declare()
}

// draft is what is known about a folder.
type draft struct {
	request
	reader    tablefile.Reader
	schema    *tableschema.Schema // of the folder, nil for none
	zone      *time.Location      // of dates, and of times that state no offset; nil for UTC
	tables    []*tabular
	others    []string // files that are not tables, and why
	types     []*entityType
	names     registry // of relations
	typeNames registry // of types of things and kinds of numbers
	aimed
	notes []string
	pass  func(t *tabular, row func(cells [][]byte)) // reads a table again, unless that has failed before
	err   error                                      // of pass
}

// columns lists the columns of all tables.
func (d *draft) columns() (out []*column) {
	for _, t := range d.tables {
		out = append(out, t.columns...)
	}
	return out
}

func (d *draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// read reads all tables of a folder.
func (d *draft) read(ctx context.Context, dir string, opt Options) (err error) {
	if err := d.readSchema(dir); err != nil {
		return err
	}
	if d.tables, d.others, err = folder(dir, &d.reader, d.schema != nil); err != nil {
		return err
	}
	if len(d.tables) == 0 {
		return usage("%s holds no table: no name of a file ends with %s or .parquet, plain or with .gz, .zst or .bz2", dir, listed)
	}
	if err := d.layouts(opt.Layout); err != nil {
		return err
	}
	for _, t := range d.tables {
		if err := t.sniff(ctx); err != nil {
			t.problem = fmt.Errorf("%s: %w", t.file, err)
		}
	}
	d.joinParts(dir)
	if err := d.matchSchema(); err != nil {
		return err
	}
	for _, t := range d.tables {
		rows := func(int64) {}
		if opt.Read != nil {
			rows = opt.Read(t.file)
		}
		if t.zone = d.zone; t.problem == nil {
			t.problem = t.take(ctx, rows)
		}
		if t.problem != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.problem != nil {
			t.columns, t.rows = nil, 0
			why, _, _ := strings.Cut(t.problem.Error(), "\n")
			for _, path := range t.paths {
				why = strings.ReplaceAll(why, path, filepath.Base(path))
			}
			d.note("%s was left out: %s", t.file, strings.TrimPrefix(why, t.file+": "))
		}
		d.noteWide(t)
	}
	return nil
}

// take reads a table. If a text turns out not to have the encoding of its beginning, it is read again as Latin-1.
func (t *tabular) take(ctx context.Context, rows func(int64)) error {
	err := t.scan(ctx, rows)
	if c, ok := errors.AsType[*tablefile.DamageError](err); ok && t.spec.Encoding == "" && strings.Contains(c.Message, "not UTF-8") {
		t.spec.Encoding = table.EncodingLatin1
		return t.scan(ctx, rows)
	}
	return err
}
