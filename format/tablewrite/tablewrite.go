package tablewrite

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"time"

	"resolwe/internal/isotime"
)

// Format is how a table is written: the ending of the names of its files. The zero value is none.
type Format string

// The formats.
const (
	CSV     Format = ".csv"
	Parquet Format = ".parquet"
	JSON    Format = ".json"
)

// FormatOf returns the format that the name of a file stands for, "" for none.
func FormatOf(path string) Format {
	if f := Format(filepath.Ext(path)); f == CSV || f == Parquet || f == JSON {
		return f
	}
	return ""
}

// Kind is what the cells of a column are.
type Kind uint8

// The kinds. The zero value is none.
const (
	Text Kind = iota + 1
	Real
	Whole
	Truth
	Day
	Moment
)

// Column is a column of a table.
type Column struct {
	Name  string // distinct from the others'
	Kind  Kind
	Title string // the name in CSV, "" for Name
}

// Cell is a cell of a row. The zero value is null.
type Cell struct {
	kind  Kind
	text  string
	real  float64
	whole int64
}

// TextCell returns a cell of text.
func TextCell(s string) Cell { return Cell{kind: Text, text: s} }

// RealCell returns a cell of a number, null for NaN.
func RealCell(v float64) Cell {
	if math.IsNaN(v) {
		return Cell{}
	}
	return Cell{kind: Real, real: v}
}

// WholeCell returns a cell of a whole number.
func WholeCell(n int64) Cell { return Cell{kind: Whole, whole: n} }

// TruthCell returns a cell of a truth value.
func TruthCell(t bool) Cell {
	if t {
		return Cell{kind: Truth, whole: 1}
	}
	return Cell{kind: Truth}
}

// DayCell returns a cell of a date, from its days since 1970-01-01.
func DayCell(days int32) Cell { return Cell{kind: Day, whole: int64(days)} }

// MomentCell returns a cell of a moment, cut to microseconds, from the year -290307 to 294246.
func MomentCell(t time.Time) Cell { return Cell{kind: Moment, whole: t.UnixMicro()} }

// iso returns a date or a moment as ISO 8601 writes it.
func (c Cell) iso() string {
	if c.kind == Day {
		return time.Unix(c.whole*isotime.SecondsOfDay, 0).UTC().Format(time.DateOnly)
	}
	return time.UnixMicro(c.whole).UTC().Format(time.RFC3339Nano)
}

// Writer writes the rows of a table.
type Writer struct {
	columns []Column
	out     sink
}

// sink is a format.
type sink interface {
	row(cells []Cell) error
	close() error
}

// NewWriter begins a table. It panics where the format is none.
func NewWriter(w io.Writer, format Format, columns []Column) (*Writer, error) {
	t := &Writer{columns: columns}
	var err error
	switch format {
	case CSV:
		t.out, err = newCSV(w, columns)
	case Parquet:
		t.out = newParquet(w, columns)
	case JSON:
		t.out = newJSON(w, columns)
	default:
		panic(fmt.Sprintf("format/tablewrite: no format %q", format))
	}
	return t, err
}

// Row writes a row, with a cell for each column, of its kind or null. It panics where a cell is of
// another kind.
func (t *Writer) Row(cells []Cell) error {
	for i, c := range t.columns {
		if k := cells[i].kind; k != 0 && k != c.Kind {
			panic(fmt.Sprintf("format/tablewrite: a cell of kind %d in column %s", k, c.Name))
		}
	}
	return t.out.row(cells)
}

// Close ends the table, which is complete only then. It does not close the file.
func (t *Writer) Close() error { return t.out.close() }
