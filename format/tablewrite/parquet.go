package tablewrite

import (
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// A row group is in memory at once: it has about cellsOfGroup cells at most, and about bytesOfGroup of texts.
const (
	cellsOfGroup = 1 << 21
	bytesOfGroup = 16 << 20
)

// parquetWriter writes Parquet.
type parquetWriter struct {
	out     *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	cells   [][]parquet.Value // by column, of the rows that are not yet written
	rows    int               // of them
	text    int               // bytes of their texts
	group   int               // rows of the row group
	texts   int               // bytes of its texts
}

// A batch is handed over at once: batchRows rows, or fewer with batchBytes of texts.
const (
	batchRows  = 1024
	batchBytes = 1 << 20
)

// ordered is a group whose fields have an order of their own.
type ordered struct {
	parquet.Group
	columns []Column
}

// Fields returns the fields in their order.
func (o ordered) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(o.columns))
	for i, c := range o.columns {
		fields[i] = byName[c.Name]
	}
	return fields
}

func newParquet(w io.Writer, columns []Column) *parquetWriter {
	types := [...]parquet.Node{
		Text: parquet.String(), Real: parquet.Leaf(parquet.DoubleType), Whole: parquet.Int(64), Truth: parquet.Leaf(parquet.BooleanType),
		Day: parquet.Date(), Moment: parquet.Timestamp(parquet.Microsecond),
	}
	root := ordered{parquet.Group{}, columns}
	for _, c := range columns {
		node := types[c.Kind]
		if c.Kind != Truth {
			node = parquet.Encoded(node, &parquet.RLEDictionary)
		}
		root.Group[c.Name] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("", root)
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
		p.text += len(c.text)
	}
	if p.rows++; p.rows < batchRows && p.text < batchBytes {
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
	case Day:
		return parquet.Int32Value(int32(c.whole))
	case Moment:
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
	p.group, p.texts = p.group+p.rows, p.texts+p.text
	p.rows, p.text = 0, 0
	if p.group*len(p.columns) < cellsOfGroup && p.texts < bytesOfGroup {
		return nil
	}
	p.group, p.texts = 0, 0 // the row group ends
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
