package tablefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unsafe"

	"resolwe/format/table"
	"resolwe/internal/machine"
)

const (
	checkEvery  = 1 << 16 // rows between reports of progress
	breathEvery = 1 << 6  // rows of a Parquet file, which may be of 16 MiB, between looks at the context
)

// source is the rows of one file.
type source interface {
	Rows
	// want says which columns are looked at, from 0. It comes before the first row.
	want(columns []int) error
}

// Load reads a table from the files that the spec names, relative to dir. Entities that are new go into the universe: no
// two tables of one universe may be loaded at a time. Where rows is not nil it is told now and then how many rows have
// been read. An error is a *[UsageError], a *[DamageError], as where a file that the reader opened has changed, or one of reading a file or
// of the context; the universe may then have entities that it would not have otherwise.
func (r *Reader) Load(ctx context.Context, u *table.Universe, of *table.Spec, dir string, rows func(int64)) (*table.Table, error) {
	spec := (*spec)(of)
	files, err := spec.find(dir)
	if err != nil {
		return nil, err
	}
	l := &loader{reader: r, spec: spec, table: &table.Table{Columns: make([]table.Column, len(spec.Columns))}, rows: rows}
	for i := range spec.Columns {
		l.readers = append(l.readers, newColumnReader(u, &spec.Columns[i], spec.Types[i], &l.table.Columns[i]))
		l.readers[i].row = &l.row
	}
	for i := range spec.Where {
		l.where = append(l.where, newCondition(&spec.Where[i]))
	}
	for _, f := range files {
		if err := l.load(ctx, f); err != nil {
			return nil, r.Check(err)
		}
	}
	for _, c := range l.readers {
		c.column.Local, c.column.Shifted = c.times.Local, c.times.Shifted
	}
	if err := l.report(ctx); err != nil {
		return nil, err
	}
	return l.table, r.Check(nil)
}

type loader struct {
	reader  *Reader
	spec    *spec
	table   *table.Table
	readers []*columnReader // by column
	where   []*condition
	rows    func(int64)
	row     int64 // number of the row at hand, from 1, over all files
}

// load appends the rows of a file.
func (l *loader) load(ctx context.Context, f match) error {
	src, err := l.spec.open(ctx, l.reader, f.path)
	if err != nil {
		return err
	}
	defer src.Close() // what was read is not less true where closing fails
	if err := l.resolve(f, src); err != nil {
		return err
	}
	return l.read(ctx, src)
}

// resolve finds the columns of a file that the table is made of.
func (l *loader) resolve(f match, src source) error {
	names, width := src.Columns()
	if width == 0 && l.spec.NoHeader {
		return nil // an empty file has no columns to find
	}
	var wanted []int
	for _, c := range l.where {
		if err := c.resolve(l.spec, f.path, names, width); err != nil {
			return err
		}
		wanted = append(wanted, c.columns...)
	}
	for i, r := range l.readers {
		c := &l.spec.Columns[i]
		if err := r.resolve(l.spec, f.path, names, width); err != nil {
			return err
		}
		wanted = append(wanted, r.columns...)
		if c.Prefix == "" {
			continue
		}
		prefix, ok := f.wildcards[c.Prefix]
		if !ok {
			return l.spec.fault("there is no {%s} in %q", c.Prefix, l.spec.Glob)
		}
		r.name = append(append(r.name[:0], prefix...), ':')
		r.prefix, r.last = len(r.name), nil
	}
	return src.want(wanted)
}

// read appends all rows that meet the conditions.
func (l *loader) read(ctx context.Context, src source) error {
	for seen := 0; ; seen++ {
		if seen%checkEvery == 0 {
			if err := cmp.Or(l.report(ctx), l.reserve(seen)); err != nil {
				return err
			}
		}
		if seen%breathEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		cells, err := src.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l.row++
		if ok, err := l.meets(src, cells); err != nil {
			return err
		} else if !ok {
			continue
		}
		for _, r := range l.readers {
			if bad, ok := r.add(cells); !ok {
				return r.wrong(src, cells, bad)
			}
		}
		l.table.Rows++
	}
}

// reserve makes room for the rows up to the next report, where there were some and memory allows.
func (l *loader) reserve(seen int) (err error) {
	for i := range l.table.Columns {
		if c := &l.table.Columns[i]; seen > 0 {
			err = cmp.Or(err, grow(&c.IDs), grow(&c.Nums), grow(&c.Floats))
		}
	}
	if err != nil {
		return fmt.Errorf("table %s: %w", l.spec.Name, err)
	}
	return nil
}

func grow[T any](cells *[]T) error {
	n := len(*cells)
	if n == 0 || cap(*cells)-n >= checkEvery {
		return nil
	}
	more := max(n/4, checkEvery)
	if err := machine.Afford(uint64(n+more)*uint64(unsafe.Sizeof((*cells)[0])), "fewer rows or columns"); err != nil {
		return err
	}
	*cells = slices.Grow(*cells, more)
	return nil
}

// nulls is a source in which cells of some texts are empty. The one below keeps its own, which tell places.
type nulls struct {
	source
	texts []string
	cells [][]byte
}

func (n *nulls) Next() ([][]byte, error) {
	cells, err := n.source.Next()
	n.cells = append(n.cells[:0], cells...)
	for i, c := range n.cells {
		if slices.Contains(n.texts, string(c)) {
			n.cells[i] = nil
		}
	}
	return n.cells, err
}

// meets tests the conditions on a row.
func (l *loader) meets(src source, cells [][]byte) (bool, error) {
	for _, c := range l.where {
		if ok, err := c.holds(src, cells); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (l *loader) report(ctx context.Context) error {
	if l.rows != nil {
		l.rows(int64(l.table.Rows))
	}
	return ctx.Err()
}
