package tablewrite

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// cellsOfGroup is about how many cells a row group has: they are in memory at once.
const cellsOfGroup = 1 << 21

// parquetWriter writes Parquet.
type parquetWriter struct {
	out     *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	cells   [][]parquet.Value // by column, of the rows that are not yet written
	rows    int               // of them
	group   int               // of the row group
}

// batchRows is how many rows are handed over at once.
const batchRows = 1024

func newParquet(w io.Writer, columns []Column) *parquetWriter {
	types := [...]reflect.Type{Text: reflect.TypeFor[string](), Real: reflect.TypeFor[float64](), Whole: reflect.TypeFor[int64](), Truth: reflect.TypeFor[bool]()}
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		tag := c.Name + ",optional"
		if c.Kind != Truth {
			tag += ",dict"
		}
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: types[c.Kind], Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", tag))}
	}
	schema := parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
	p := &parquetWriter{out: parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Snappy)), cells: make([][]parquet.Value, len(columns))}
	p.columns = p.out.ColumnWriters()
	for _, c := range columns {
		if c.Title != "" {
			p.out.SetKeyValueMetadata(c.Name, strings.ToValidUTF8(c.Title, "\uFFFD"))
		}
	}
	return p
}

func (p *parquetWriter) row(cells []Cell) error {
	for i, c := range cells {
		p.cells[i] = append(p.cells[i], c.value().Level(0, min(int(c.kind), 1), i)) // at level 1 there is a value
	}
	if p.rows++; p.rows < batchRows {
		return nil
	}
	return p.batch()
}

func (c Cell) value() parquet.Value {
	switch c.kind {
	case Text:
		return parquet.ByteArrayValue([]byte(strings.ToValidUTF8(c.text, "\uFFFD")))
	case Real:
		return parquet.DoubleValue(c.real)
	case Whole:
		return parquet.Int64Value(c.whole)
	case Truth:
		return parquet.BooleanValue(c.whole == 1)
	}
	return parquet.NullValue()
}

// batch writes the rows that wait.
func (p *parquetWriter) batch() error {
	for i, values := range p.cells {
		if _, err := p.columns[i].WriteRowValues(values); err != nil {
			return err
		}
		p.cells[i] = values[:0]
	}
	p.group += p.rows
	p.rows = 0
	if p.group*len(p.columns) < cellsOfGroup {
		return nil
	}
	p.group = 0 // the row group ends
	for _, c := range p.columns {
		if err := c.Close(); err != nil {
			return err
		}
	}
	return p.out.Flush()
}

func (p *parquetWriter) close() error {
	if err := p.batch(); err != nil {
		return err
	}
	return p.out.Close()
}
