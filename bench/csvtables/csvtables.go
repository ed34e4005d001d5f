// Package csvtables writes generated tables as files in one folder, which appear together.
package csvtables

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"resolwe/internal/atomicfile"
)

// Options say how much a generator writes. It uses those that it names.
type Options struct {
	Scale float64 // of its usual size
	Rows  int     // of all tables
	Seed  uint64
	// Progress, unless nil, is called on the caller's goroutine with how far a table, or the whole, is done.
	Progress func(what string, done, total int64)
}

// Tables are the files of a folder: comma-separated, or tab-separated if the suffix begins with .tsv, and compressed if it ends in
// .gz.
type Tables struct {
	dir, suffix string
	open        []*Table
	err         error
}

// Table is a file being written.
type Table struct {
	Rows int // so far
	name string
	csv  *csv.Writer
	to   io.Writer // the file, or a compressor for it
	file *atomicfile.File
	err  error
}

// New begins tables in a folder, which it creates if missing. A table's file is its name with the suffix.
func New(dir, suffix string) (*Tables, error) {
	return &Tables{dir: dir, suffix: suffix}, os.MkdirAll(dir, 0o750)
}

// Create begins a table with its header. [Tables.Err] returns any error.
func (t *Tables) Create(name string, columns ...string) *Table {
	out := &Table{name: name, Rows: -1, to: io.Discard} // the header does not count
	var err error
	if out.file, err = atomicfile.Create(filepath.Join(t.dir, name+t.suffix)); err != nil {
		t.err = errors.Join(t.err, err)
	} else {
		t.open, out.to = append(t.open, out), out.file
	}
	if strings.HasSuffix(t.suffix, ".gz") {
		out.to = gzip.NewWriter(out.to)
	}
	out.csv = csv.NewWriter(out.to)
	if strings.HasPrefix(t.suffix, ".tsv") {
		out.csv.Comma = '\t'
	}
	out.Add(columns...)
	return out
}

// Add writes a row. [Tables.Err] returns any error.
func (t *Table) Add(cells ...string) {
	_ = t.csv.Write(cells)
	t.Rows++
}

// Append writes rows that are already text.
func (t *Table) Append(text []byte, rows int) {
	t.csv.Flush()
	if t.err == nil {
		_, t.err = t.to.Write(text)
	}
	t.Rows += rows
}

// Err returns the first error.
func (t *Tables) Err() error {
	err := t.err
	for _, out := range t.open {
		err = errors.Join(err, out.err, out.csv.Error())
	}
	return err
}

// Commit moves all files to their final names.
func (t *Tables) Commit() error {
	for _, out := range t.open {
		out.csv.Flush()
		if z, ok := out.to.(*gzip.Writer); ok && out.err == nil {
			out.err = z.Close()
		}
	}
	if err := t.Err(); err != nil {
		return err
	}
	for _, out := range t.open {
		if err := out.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes files that were not committed.
func (t *Tables) Abort() {
	for _, out := range t.open {
		out.file.Abort()
	}
}

// Report lists the tables with their numbers of rows, in a column of the given width.
func (t *Tables) Report(width int) string {
	var b strings.Builder
	for _, out := range t.open {
		fmt.Fprintf(&b, "%*d  %s\n", width, out.Rows, out.name)
	}
	return b.String()
}
