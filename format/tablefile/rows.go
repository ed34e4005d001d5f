package tablefile

import (
	"resolwe/format/table"
)

// Rows reads a file as it is, row by row. The caller closes.
type Rows struct {
	src      source
	names    []string
	readable []bool
}

// OpenRows opens a file. Of the spec only Delimiter, Encoding and NoHeader count. Errors are those of [Reader.Load].
func (r *Reader) OpenRows(path string, of *table.Spec) (*Rows, error) {
	src, err := (*spec)(of).open(r, path)
	if err != nil {
		return nil, err
	}
	names, width := src.columns()
	rows := &Rows{src: src, names: names, readable: make([]bool, width)}
	var wanted []int
	p, isParquet := src.(*parquetFile)
	for i := range rows.readable {
		if rows.readable[i] = !isParquet || writerOf(p.fields[i]) != nil; rows.readable[i] {
			wanted = append(wanted, i)
		}
	}
	if err := src.want(wanted); err != nil {
		_ = src.Close() // it is the first error that counts
		return nil, err
	}
	return rows, nil
}

// Names returns the names of the columns, nil where they have none.
func (r *Rows) Names() []string { return r.names }

// Width returns the number of columns.
func (r *Rows) Width() int { return len(r.readable) }

// Readable reports whether a column holds numbers, strings, dates or timestamps; the cells of others are empty.
func (r *Rows) Readable(column int) bool { return r.readable[column] }

// Next returns the cells of the next row, valid until the next call, and io.EOF behind the last row.
func (r *Rows) Next() ([][]byte, error) { return r.src.next() }

// Close closes the file.
func (r *Rows) Close() error { return r.src.Close() }
