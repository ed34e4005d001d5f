package facttables

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/atomicfile"
)

// none is a position that is not given.
const none = math.MaxUint32

// Facts are the facts of a folder of tables. Names are in memory, facts in temporary files where they are many. It is for one goroutine.
type Facts struct {
	schema   *mln.Schema
	files    []file
	reader   tablefile.Reader
	names    table.Dict   // of subgraphs
	entities []table.Dict // by type
	heads    []head       // by subgraph
	records  atomicfile.Spool
	out      *bufio.Writer // to records
	pending  pending
	group    int64 // bytes of records that are in memory at once
}

// head describes a subgraph.
type head struct {
	center   string
	fold     int
	time     subgraph.Time
	position uint32
	bytes    int64 // of its records
}

// Read reads the tables of a folder about the predicates of a schema, which it keeps. The caller closes the result. Where ignoreUnknown is set, tables
// of other names are passed over. Errors are an *[Error], those of package tablefile, of the system, or of the context.
func Read(ctx context.Context, dir string, schema *mln.Schema, ignoreUnknown bool) (*Facts, error) {
	f := &Facts{schema: schema, entities: make([]table.Dict, len(schema.Types)), pending: pending{wanted: make([]wanted, len(schema.Types))}, group: 64 << 20}
	f.out = bufio.NewWriterSize(&f.records, 1<<20)
	found, err := files(dir)
	if err != nil {
		return nil, err
	}
	names := tables(schema)
	for _, part := range found {
		at := slices.Index(names, part.table)
		if at < 0 && ignoreUnknown {
			continue
		}
		if at < 0 {
			return nil, errors.Join(unknown(part, names), f.Close())
		}
		f.files = append(f.files, part)
		if err := f.table(ctx, part, at); err != nil {
			return nil, errors.Join(f.reader.Check(err), f.Close())
		}
	}
	return f, cmp.Or(f.reader.Check(nil), f.flush(), f.out.Flush())
}

// Files returns the files that were read.
func (f *Facts) Files() []string {
	paths := make([]string, len(f.files))
	for i, part := range f.files {
		paths[i] = part.path
	}
	return paths
}

// Close removes temporary files.
func (f *Facts) Close() error { return f.records.Close() }

// rows are those of a file.
type rows struct {
	tablefile.Rows
	names   []string
	at      [specials]int // the columns that are no arguments, -1 where there is none
	args    []int         // the other ones
	parquet bool          // in which a text may be empty and no null
	cells   [][]byte      // of the row at hand
	last    []byte        // the subgraph of the row before
	id      uint32        // of last
}

// open opens a file that is, of the tables, the one at a position.
func (f *Facts) open(ctx context.Context, part file, at int) (*rows, error) {
	in, err := f.reader.OpenRows(ctx, part.path, &table.Spec{Name: part.table, Glob: part.name})
	if err != nil {
		return nil, err
	}
	r := &rows{Rows: in, parquet: strings.HasSuffix(strings.ToLower(part.path), ".parquet")}
	r.names, _ = in.Columns()
	if err := r.resolve(f.schema, part, at); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// resolve finds the columns.
func (r *rows) resolve(schema *mln.Schema, part file, at int) error {
	known := append(make([]special, 0, 5), columnSubgraph, columnCenter, columnFold, columnTime)
	needed, arity, what := known[:1], 0, part.table
	switch n := len(schema.Predicates); {
	case at < n:
		known, arity = append(known, columnTruth), len(schema.Predicates[at].Args)
		what = fmt.Sprintf("%s takes %d arguments", part.table, arity)
	case at == n:
		known = append(known[:1], columnType, columnEntity, columnPosition)
		needed = known[:3]
	default:
		known = append(known, columnPosition)
	}
	fault := func(format string, args ...any) error {
		return &Error{Pos: mln.Position{File: part.path}, Message: fmt.Sprintf(format, args...)}
	}
	for i := range r.at {
		r.at[i] = -1
	}
	for i, name := range r.names {
		if typ := r.Unread(i); typ != "" {
			return fault("column %s is of type %s, which is not read; write it as numbers, strings, dates or timestamps", clip(name), typ)
		}
		column := slices.IndexFunc(known, func(s special) bool { return s.String() == name })
		switch {
		case column < 0:
			r.args = append(r.args, i)
		case r.at[known[column]] >= 0:
			return fault("two columns are named %s", clip(name))
		default:
			r.at[known[column]] = i
		}
	}
	for _, column := range needed {
		if r.at[column] < 0 {
			return fault("there is no column %q; the table has %q", column, r.names)
		}
	}
	if len(r.args) != arity {
		return fault("%s: with the columns %q, the table has %d more: %q", what, known, len(r.args), named(r.names, r.args))
	}
	return nil
}

func named(names []string, columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = names[c]
	}
	return out
}

// cell returns a cell of the row, and false where it is empty or the table has no such column.
func (r *rows) cell(column special) ([]byte, bool) {
	i := r.at[column]
	if i < 0 {
		return nil, false
	}
	return r.cells[i], !r.empty(i)
}

func (r *rows) empty(column int) bool {
	c := r.cells[column]
	return c == nil || len(c) == 0 && !r.parquet
}

// fault is an error in a cell of the row.
func (r *rows) fault(column int, format string, args ...any) error {
	return &Error{Pos: r.At(column), Column: r.names[column], Message: fmt.Sprintf(format, args...)}
}

const breath = 1 << 12 // rows between looks at the context

// each calls do for each row.
func (r *rows) each(ctx context.Context, do func() error) (err error) {
	for n := 0; ; n++ {
		if n%breath == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.cells, err = r.Next(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do()
		}
		if err != nil {
			return err
		}
	}
}

// table reads a file that is, of the tables, the one at a position.
func (f *Facts) table(ctx context.Context, part file, at int) error {
	r, err := f.open(ctx, part, at)
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	n := len(f.schema.Predicates)
	return r.each(ctx, func() error {
		id, err := f.subgraph(r)
		switch {
		case err != nil:
			return err
		case at < n:
			return f.fact(r, at, id)
		case at == n:
			return f.entity(r, id)
		}
		return nil
	})
}

// subgraph returns the subgraph of a row, with what the row says of it.
func (f *Facts) subgraph(r *rows) (uint32, error) {
	name, ok := r.cell(columnSubgraph)
	if !ok {
		return 0, r.fault(r.at[columnSubgraph], "the cell is empty; each row names its subgraph")
	}
	id := f.named(r, name)
	h := &f.heads[id]
	if c, ok := r.cell(columnCenter); ok && h.center != string(c) {
		if h.center != "" {
			return 0, r.disagree(columnCenter, name, h.center)
		}
		h.center = string(c)
	}
	if c, ok := r.cell(columnFold); ok {
		fold, err := r.whole(columnFold, c, math.MaxInt32)
		if err != nil {
			return 0, err
		}
		if h.fold >= 0 && h.fold != int(fold) {
			return 0, r.disagree(columnFold, name, strconv.Itoa(h.fold))
		}
		h.fold = int(fold)
	}
	if c, ok := r.cell(columnTime); ok {
		t, ok := moment(string(c))
		if !ok {
			return 0, r.fault(r.at[columnTime], "%s is no date, as 2010-01-31, or date and time, as 2010-01-31T19:30:12Z", clip(string(c)))
		}
		if h.time.Known && h.time != t {
			return 0, r.disagree(columnTime, name, h.time.String())
		}
		h.time = t
	}
	if c, ok := r.cell(columnPosition); ok && r.at[columnEntity] < 0 {
		position, err := r.whole(columnPosition, c, none-1)
		if err != nil {
			return 0, err
		}
		if h.position != none && h.position != position {
			return 0, r.disagree(columnPosition, name, strconv.FormatUint(uint64(h.position), 10))
		}
		h.position = position
	}
	return id, nil
}

// named returns the id of a subgraph, which is often that of the row before.
func (f *Facts) named(r *rows, name []byte) uint32 {
	if r.last == nil || !bytes.Equal(r.last, name) {
		r.last, r.id = append(r.last[:0], name...), f.names.Intern(name)
	}
	if int(r.id) == len(f.heads) {
		f.heads = append(f.heads, head{fold: -1, position: none})
	}
	return r.id
}

// moment reads a time, which may have a blank before its hours and no zone.
func moment(text string) (subgraph.Time, bool) {
	t, ok := subgraph.ParseTime(text)
	if !ok {
		t, ok = subgraph.ParseTime(strings.Replace(text, " ", "T", 1) + "Z")
	}
	return t, ok
}

func (r *rows) disagree(column special, name []byte, before string) error {
	i := r.at[column]
	return r.fault(i, "subgraph %s has %s here, and %s before", clip(string(name)), clip(string(r.cells[i])), clip(before))
}

func (r *rows) whole(column special, cell []byte, most uint32) (uint32, error) {
	v, ok := tablefile.ReadNumber("")(cell)
	if !ok || v < 0 || v > float64(most) || v != math.Trunc(v) {
		return 0, r.fault(r.at[column], "%s is no whole number from 0 to %d", clip(string(cell)), most)
	}
	return uint32(v), nil
}

// fact adds a fact.
func (f *Facts) fact(r *rows, pred int, sub uint32) error {
	decl := &f.schema.Predicates[pred]
	truth := subgraph.True
	if i := r.at[columnTruth]; i >= 0 {
		switch v, err := strconv.ParseBool(string(r.cells[i])); {
		case len(r.cells[i]) == 0 || string(r.cells[i]) == "?":
			truth = subgraph.Unknown
		case err != nil:
			return r.fault(i, "%s is neither true nor false, nor empty where the truth is to be predicted", clip(string(r.cells[i])))
		case !v:
			truth = subgraph.False
		}
		if truth == subgraph.Unknown && !decl.Role.IsTarget() {
			return r.fault(i, "the cell is empty, but %s is an evidence predicate: only atoms of target predicates can be unknown", decl.Name)
		}
	}
	start := f.begin(sub, pred, truth)
	for k, typ := range decl.Args {
		if err := f.name(r, r.args[k], typ); err != nil {
			return err
		}
	}
	return f.end(sub, start)
}

// entity adds an entity that no fact needs to mention.
func (f *Facts) entity(r *rows, sub uint32) error {
	name, _ := r.cell(columnType)
	typ := f.schema.Type(string(name))
	if typ < 0 {
		hint := lex.DidYouMean(string(name), f.schema.Types)
		return r.fault(r.at[columnType], "the model has no type %s%s", clip(string(name)), hint)
	}
	start := f.begin(sub, len(f.schema.Predicates)+typ, 0)
	if err := f.name(r, r.at[columnEntity], typ); err != nil {
		return err
	}
	position := uint32(none)
	if c, ok := r.cell(columnPosition); ok {
		var err error
		if position, err = r.whole(columnPosition, c, none-1); err != nil {
			return err
		}
	}
	f.pending.records = binary.LittleEndian.AppendUint32(f.pending.records, position)
	return f.end(sub, start)
}
