// Package parquet reads the columns of Parquet files as texts. Files may be damaged or made to do harm: no memory is taken for what a file
// only claims to hold, and what it may make of its bytes is bounded.
package parquet

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"resolwe/internal/machine"
)

// RefusedError is a file that is sound, as far as it was read, but holds what this package does not read.
type RefusedError struct {
	Column string // "" for the file as a whole
	What   string
}

// Error says what is not read.
func (e *RefusedError) Error() string {
	if e.Column == "" {
		return e.What
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.What)
}

// TextError is a text that is not UTF-8.
type TextError struct{}

// Error says so.
func (TextError) Error() string { return "the text is not UTF-8 here; write the file again" }

// A file may stand for so much more than its size.
const (
	freeWork    = 1 << 30 // bytes
	workPerByte = 1 << 10
	workOfCell  = 16      // at least
	longCell    = 4 << 10 // from which on it counts by its length, each time
)

// File is a Parquet file. It is for one goroutine.
type File struct {
	in        io.ReaderAt
	size, end int64 // without the footer
	footer    []byte
	groups    []group
	columns   []column
	chunks    int // of a row group

	leaves []*leaf
	cells  [][]byte
	group  int   // the next one
	left   int64 // rows of the one at hand
	row    int64

	held, limit int64 // bytes of memory
	work, free  int64
	packed      []byte // of a page
	zstd        *zstd.Decoder
}

// column is a field on the top level.
type column struct {
	name            string
	leaf            int
	physical, width int
	optional        bool
	isBytes, isText bool // written as it is; said to be text
	format          format
	why             string // the type that is not read
}

// Open reads the footer of a file. Errors of this package are a *[RefusedError], a [*machine.MemoryError], those of in; all others tell that the file is
// damaged.
func Open(in io.ReaderAt, size int64) (*File, error) {
	f := &File{in: in, size: size, free: freeWork, limit: int64(machine.Memory()) / 3}
	if f.limit == 0 {
		f.limit = math.MaxInt64
	}
	if err := f.readFooter(); err != nil {
		return nil, err
	}
	f.cells = make([][]byte, len(f.columns))
	return f, nil
}

// Names returns the names of the columns.
func (f *File) Names() []string {
	names := make([]string, len(f.columns))
	for i := range f.columns {
		names[i] = f.columns[i].name
	}
	return names
}

// Unread returns the type of a column that is not read, "" for columns that are.
func (f *File) Unread(column int) string { return f.columns[column].why }

// Want says that a column is read, once for each, before the first row.
func (f *File) Want(column int) error {
	if err := f.hold(leafBytes); err != nil {
		return err
	}
	f.leaves = append(f.leaves, &leaf{file: f, column: &f.columns[column], at: column, in: bufio.NewReaderSize(nil, sectionBuffer)})
	return nil
}

// Row returns the number of the last row, from 1.
func (f *File) Row() int { return int(f.row) }

// Next returns the cells of the next row, those of the wanted columns, nil for null; io.EOF behind the last row. They are valid until the next call.
func (f *File) Next() ([][]byte, error) {
	for f.left == 0 {
		if err := f.nextGroup(); err != nil {
			return nil, err
		}
	}
	f.left--
	f.row++
	work := int64(workOfCell * (1 + len(f.leaves)))
	for _, l := range f.leaves {
		cell, err := l.cell()
		if err != nil {
			return nil, damage(err)
		}
		if len(cell) > longCell {
			work += int64(len(cell))
		}
		f.cells[l.at] = cell
	}
	return f.cells, f.spend(work)
}

func (f *File) nextGroup() (err error) {
	if f.group == 0 {
		slices.SortFunc(f.leaves, func(a, b *leaf) int { return cmp.Compare(a.column.leaf, b.column.leaf) })
	}
	for _, l := range f.leaves {
		if err := l.finish(); err != nil {
			return damage(err)
		}
	}
	if f.group == len(f.groups) {
		return io.EOF
	}
	g := f.groups[f.group]
	f.group++
	f.left = g.rows
	chunks, begun := 0, 0
	t := f.footerAt(g.at)
	readGroup(t, func(c *chunk) {
		if begun < len(f.leaves) && f.leaves[begun].column.leaf == chunks && err == nil {
			err = f.leaves[begun].begin(c, g.rows)
			begun++
		}
		chunks++
	})
	switch {
	case err == nil && t.err != nil:
		return t.err
	case err == nil && chunks != f.chunks:
		return errFooter
	}
	return err
}

// damage makes an early end no end.
func damage(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// flaw returns what makes bytes no text.
func (c *column) flaw(v []byte) error {
	switch isUTF8 := utf8.Valid(v); {
	case isUTF8 && bytes.IndexByte(v, 0) < 0:
		return nil
	case isUTF8:
		return &RefusedError{c.name, "a text has a NUL byte; write the file without it"}
	case c.isText:
		return TextError{}
	}
	return &RefusedError{c.name, "a value is binary, not text; leave the column out, or write it as text"}
}

// hold notes memory that is taken.
func (f *File) hold(n int64) error {
	if f.held += n; f.held > f.limit {
		return machine.Exceeded("fewer columns or smaller pages")
	}
	return nil
}

// room makes a slice's capacity suffice for n more bytes.
func (f *File) room(b []byte, n int) ([]byte, error) {
	if n <= cap(b)-len(b) {
		return b, nil
	}
	if err := f.hold(int64(len(b) + n)); err != nil {
		return nil, err
	}
	f.held -= int64(cap(b)) // once copied
	return append(make([]byte, 0, len(b)+n), b...), nil
}

// spend notes work.
func (f *File) spend(n int64) error {
	if f.work += n; f.work > f.free+workPerByte*f.size {
		return &RefusedError{What: "the file unpacks to more than 1 GiB and 1,024 times its size, which real tables never do; write it as CSV"}
	}
	return nil
}

// Close frees memory. It does not close the file.
func (f *File) Close() {
	if f.zstd != nil {
		f.zstd.Close()
	}
}
