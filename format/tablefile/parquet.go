package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"resolwe/format/mln"
	"resolwe/internal/isotime"
)

const (
	batchSize   = 1024
	julianEpoch = 2440588 // of 1970-01-01
)

var (
	errShort  = errors.New("a column ends early")
	errLength = errors.New("a length or offset is invalid")
	errRows   = errors.New("the number of rows is not that of the footer")
)

// parquetFile is a Parquet file as a source. Its cells are written as in a text, so that what a column means does not
// depend on the format. A null is an empty cell.
type parquetFile struct {
	spec   *spec
	file   *os.File
	parsed *parquet.File
	fields []*parquet.Column // on the top level

	row    int // of the last row, from 1
	group  int // the next row group
	left   int64
	leaves []*leaf  // the wanted ones
	cells  [][]byte // by field
}

// leaf is a wanted column.
type leaf struct {
	field  int
	column *parquet.Column
	write  func(dst []byte, v parquet.Value) []byte
	chunk  parquet.ColumnChunkValueReader // of the row group
	values []parquet.Value                // a batch, not yet read
	batch  []parquet.Value
	text   []byte
}

func openParquet(f *os.File, spec *spec) (source, error) {
	p := &parquetFile{spec: spec, file: f}
	if err := p.guard(p.open); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// guard runs a function on a file that may be anything. The package that reads Parquet panics on some damage.
func (p *parquetFile) guard(read func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = p.damage(errLength)
		default:
			err = p.damage(fmt.Errorf("%v", r))
		}
	}()
	return read()
}

func (p *parquetFile) damage(err error) error {
	return readingError(p.at(0), err)
}

func (p *parquetFile) open() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	if err := checkFooter(p.file, info.Size()); err != nil {
		return p.damage(err)
	}
	p.parsed, err = parquet.OpenFile(p.file, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return p.damage(err)
	}
	if !rowsAgree(p.parsed.Metadata()) {
		return p.damage(errRows)
	}
	p.fields = p.parsed.Root().Columns()
	p.cells = make([][]byte, len(p.fields))
	return nil
}

// Columns returns the names of the fields.
func (p *parquetFile) Columns() ([]string, int) {
	names := make([]string, len(p.fields))
	for i, f := range p.fields {
		names[i] = f.Name()
	}
	return names, len(names)
}

// Readable reports whether a field can be written as text.
func (p *parquetFile) Readable(column int) bool { return writerOf(p.fields[column]) != nil }

func (p *parquetFile) want(columns []int) error {
	return p.guard(func() error { return p.choose(columns) })
}

// choose is want on a file that is sound.
func (p *parquetFile) choose(columns []int) error {
	seen := make([]bool, len(p.fields))
	for _, i := range columns {
		if seen[i] {
			continue
		}
		seen[i] = true
		column := p.fields[i]
		write := writerOf(column)
		if write == nil {
			return p.spec.fault("%s: column %q is neither of numbers nor of strings, dates or timestamps", p.file.Name(), clip(column.Name()))
		}
		p.leaves = append(p.leaves, &leaf{field: i, column: column, write: write, batch: make([]parquet.Value, batchSize)})
	}
	return nil
}

// Next returns a row.
func (p *parquetFile) Next() ([][]byte, error) {
	for p.left == 0 {
		if err := p.guard(p.nextGroup); err != nil {
			return nil, err
		}
	}
	p.left--
	p.row++
	for _, l := range p.leaves {
		if len(l.values) == 0 {
			if err := p.guard(func() error { return p.refill(l) }); err != nil {
				return nil, err
			}
		}
		v := l.values[0]
		l.values = l.values[1:]
		l.text = l.text[:0]
		if !v.IsNull() {
			l.text = l.write(l.text, v)
		}
		if !utf8.Valid(l.text) {
			return nil, fault(p.at(l.field), "the text is not UTF-8 here; write the file again")
		}
		if bytes.IndexByte(l.text, 0) >= 0 {
			return nil, fault(p.at(l.field), "the text has a NUL byte here; write the file without it")
		}
		p.cells[l.field] = l.text
	}
	return p.cells, nil
}

// rowsAgree reports whether a footer says one thing about how many rows there are.
func rowsAgree(m *format.FileMetaData) bool {
	rest := m.NumRows
	for i := range m.RowGroups {
		g := &m.RowGroups[i]
		if g.NumRows < 0 || g.NumRows > rest {
			return false
		}
		rest -= g.NumRows
		for _, c := range g.Columns {
			if c.MetaData.NumValues < g.NumRows { // of repeated columns there may be more
				return false
			}
		}
	}
	return rest == 0
}

func (p *parquetFile) nextGroup() error {
	if err := p.exhausted(); err != nil {
		return err
	}
	groups := p.parsed.RowGroups()
	if p.group == len(groups) {
		return io.EOF
	}
	p.closeChunks()
	g := groups[p.group]
	p.group++
	p.left = max(0, g.NumRows())
	chunks := g.ColumnChunks()
	for _, l := range p.leaves {
		l.chunk = parquet.NewColumnChunkValueReader(chunks[l.column.Index()])
		l.values = nil
	}
	return nil
}

// exhausted returns an error where the pages of a row group hold more than its rows.
func (p *parquetFile) exhausted() error {
	for _, l := range p.leaves {
		if l.chunk == nil {
			continue
		}
		n, err := 0, error(nil)
		for n == 0 && err == nil {
			n, err = l.chunk.ReadValues(l.batch)
		}
		if len(l.values) > 0 || n > 0 {
			return p.damage(errRows)
		}
		if !errors.Is(err, io.EOF) {
			return p.damage(err)
		}
	}
	return nil
}

func (p *parquetFile) refill(l *leaf) error {
	n, err := l.chunk.ReadValues(l.batch)
	if n > 0 {
		l.values = l.batch[:n]
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = errShort
	}
	return p.damage(err)
}

func (p *parquetFile) closeChunks() {
	for _, l := range p.leaves {
		if l.chunk != nil {
			_ = l.chunk.Close() // reading is over: what fails here matters to nobody
			l.chunk = nil
		}
	}
}

func (p *parquetFile) at(int) mln.Position {
	return mln.Position{File: p.file.Name(), Line: p.row}
}

// Close closes the file.
func (p *parquetFile) Close() error {
	p.closeChunks()
	return p.file.Close()
}

// writerOf returns what writes the values of a column as text, nil for columns that are no numbers, strings, dates or
// timestamps.
func writerOf(c *parquet.Column) func(dst []byte, v parquet.Value) []byte {
	if !c.Leaf() || c.Repeated() {
		return nil
	}
	var logical format.LogicalTypeValue
	if t := c.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	isFixed := c.Type().Kind() == parquet.FixedLenByteArray
	switch t := logical.(type) {
	case nil, *format.StringType, *format.EnumType:
		if !isFixed {
			return appendPlain
		}
	case *format.IntType:
		if !t.IsSigned {
			return func(dst []byte, v parquet.Value) []byte {
				if v.Kind() == parquet.Int32 {
					return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
				}
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}
		}
		if !isFixed {
			return appendPlain
		}
	case *format.DateType:
		return func(dst []byte, v parquet.Value) []byte {
			return time.Unix(int64(v.Int32())*isotime.SecondsOfDay, 0).UTC().AppendFormat(dst, time.DateOnly)
		}
	case *format.TimestampType:
		if t.Unit.Value == nil {
			return nil
		}
		perSecond := int64(time.Second / t.Unit.Value.Duration())
		return func(dst []byte, v parquet.Value) []byte {
			return appendTime(dst, isotime.FloorDiv(v.Int64(), perSecond))
		}
	}
	return nil
}

func appendPlain(dst []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(dst, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case parquet.Int96:
		t := v.Int96() // nanoseconds of a day, and the Julian day
		nanos := int64(t[1])<<32 | int64(t[0])
		return appendTime(dst, (int64(t[2])-julianEpoch)*isotime.SecondsOfDay+nanos/int64(time.Second))
	case parquet.Float:
		return strconv.AppendFloat(dst, float64(v.Float()), 'f', -1, 32)
	case parquet.Double:
		return strconv.AppendFloat(dst, v.Double(), 'f', -1, 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
	}
	return append(dst, v.ByteArray()...)
}

func appendTime(dst []byte, seconds int64) []byte {
	return time.Unix(seconds, 0).UTC().AppendFormat(dst, time.RFC3339)
}
