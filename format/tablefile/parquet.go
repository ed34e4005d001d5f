package tablefile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"resolwe/format/mln"
	"resolwe/format/parquet"
	"resolwe/format/table"
	"resolwe/internal/machine"
)

// parquetFile is a Parquet file as a source. Its cells are written as in a text, so that what a column means does not
// depend on the format. A null is an empty cell.
type parquetFile struct {
	spec   *spec
	file   *os.File
	parsed *parquet.File
	names  []string
}

func openParquet(f *os.File, spec *spec) (source, error) {
	p := &parquetFile{spec: spec, file: f}
	info, err := f.Stat()
	if err == nil {
		if p.parsed, err = parquet.Open(f, info.Size()); err != nil {
			err = p.error(err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.names = p.parsed.Names()
	return p, nil
}

// error says whose fault an error is: the file's, or that of who wants what is not read.
func (p *parquetFile) error(err error) error {
	if _, ok := errors.AsType[*parquet.RefusedError](err); ok {
		where := p.file.Name()
		if row := p.At(0).Line; row > 0 {
			where += fmt.Sprintf(": row %d", row)
		}
		return p.spec.fault("%s: %v", where, err)
	}
	if _, ok := errors.AsType[*machine.MemoryError](err); ok {
		return fmt.Errorf("table %s: %s: %w", p.spec.Name, p.file.Name(), err)
	}
	if errors.As(err, new(parquet.TextError)) {
		return fault(p.At(0), "%v", err)
	}
	return readingError(p.At(0), err)
}

// Columns returns the names of the columns.
func (p *parquetFile) Columns() ([]string, int) { return p.names, len(p.names) }

// Unread returns the type of a column that is not read.
func (p *parquetFile) Unread(column int) string { return p.parsed.Unread(column) }

func (p *parquetFile) want(columns []int) error {
	seen := make([]bool, len(p.names))
	for _, i := range columns {
		if seen[i] {
			continue
		}
		seen[i] = true
		if t := p.Unread(i); t != "" {
			return p.spec.unread(p.file.Name(), p.names[i], t)
		}
		if err := p.parsed.Want(i); err != nil {
			return p.error(err)
		}
	}
	return nil
}

// Next returns a row.
func (p *parquetFile) Next() ([][]byte, error) {
	cells, err := p.parsed.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.error(err)
	}
	return cells, err
}

// Needed returns the zero value.
func (p *parquetFile) Needed() table.Layout { return table.Layout{} }

// At returns the number of the row.
func (p *parquetFile) At(int) mln.Position {
	if p.parsed == nil {
		return mln.Position{File: p.file.Name()}
	}
	return mln.Position{File: p.file.Name(), Line: p.parsed.Row()}
}

// Close closes the file.
func (p *parquetFile) Close() error {
	p.parsed.Close()
	return p.file.Close()
}
