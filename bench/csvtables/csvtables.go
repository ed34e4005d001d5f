// Package csvtables writes generated tables as CSV files of one folder, which appear together.
package csvtables

import (
	"compress/gzip"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"

	"resolwe/internal/atomicfile"
)

// Tables are the files of a folder.
type Tables struct {
	dir  string
	gzip bool
	open []*Table
}

// Table is a CSV file that is being written.
type Table struct {
	csv  *csv.Writer
	gzip *gzip.Writer // nil where the file is plain
	file *atomicfile.File
	rows int
}

// New begins tables in a folder, which is made where it is missing: NAME.csv, or NAME.csv.gz.
func New(dir string, gzipped bool) (*Tables, error) {
	return &Tables{dir: dir, gzip: gzipped}, os.MkdirAll(dir, 0o750)
}

// Create begins a table with its header.
func (t *Tables) Create(name string, columns ...string) (*Table, error) {
	path := filepath.Join(t.dir, name+".csv")
	if t.gzip {
		path += ".gz"
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	out := &Table{file: file, rows: -1} // the header is none
	var w io.Writer = file
	if t.gzip {
		out.gzip = gzip.NewWriter(file)
		w = out.gzip
	}
	out.csv = csv.NewWriter(w)
	t.open = append(t.open, out)
	out.Add(columns...)
	return out, nil
}

// Add writes a row. Errors come with [Tables.Commit].
func (t *Table) Add(cells ...string) {
	_ = t.csv.Write(cells)
	t.rows++
}

// Rows returns how many rows were written.
func (t *Table) Rows() int { return t.rows }

// Commit puts all files in place.
func (t *Tables) Commit() error {
	for _, out := range t.open {
		if out.csv.Flush(); out.csv.Error() != nil {
			return out.csv.Error()
		}
		if out.gzip != nil {
			if err := out.gzip.Close(); err != nil {
				return err
			}
		}
	}
	for _, out := range t.open {
		if err := out.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what is not in place.
func (t *Tables) Abort() {
	for _, out := range t.open {
		out.file.Abort()
	}
}
