package paperscale

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"resolwe/internal/atomicfile"
)

// flushAt is how many bytes of rows are gathered before they are written.
const flushAt = 1 << 16

// rows are rows of a table as text. A row is some fields, then end.
type rows struct {
	text     []byte
	count    int64
	calendar []string // by day number, as it is written
}

// id appends the field PREFIXn, counted from 1.
func (r *rows) id(prefix byte, n int32) {
	r.text = append(r.text, prefix)
	r.text = strconv.AppendInt(r.text, int64(n)+1, 10)
	r.text = append(r.text, '\t')
}

// id2 appends the field PREFIXa_b, both counted from 1.
func (r *rows) id2(prefix byte, a, b int32) {
	r.id(prefix, a)
	r.text[len(r.text)-1] = '_'
	r.text = strconv.AppendInt(r.text, int64(b)+1, 10)
	r.text = append(r.text, '\t')
}

func (r *rows) field(s string) {
	r.text = append(r.text, s...)
	r.text = append(r.text, '\t')
}

func (r *rows) day(d int32) { r.field(r.calendar[d]) }

func (r *rows) end() {
	r.text[len(r.text)-1] = '\n'
	r.count++
}

// table is a file to which rows are written.
type table struct {
	rows
	file *atomicfile.File
	err  error // the first; nothing is written after it
}

// end ends a row and now and then writes what there is.
func (t *table) end() {
	t.rows.end()
	if len(t.text) >= flushAt {
		t.flush()
	}
}

func (t *table) flush() {
	t.write(t.text)
	t.text = t.text[:0]
}

func (t *table) write(text []byte) {
	if t.err == nil {
		_, t.err = t.file.Write(text)
	}
}

// append adds rows that were made elsewhere.
func (t *table) append(r rows) {
	t.flush()
	t.write(r.text)
	t.count += r.count
}

// tables are the files of a task. They appear once all are complete.
type tables struct {
	dir      string
	calendar []string
	open     []*table
}

// newTables makes the folder where it is missing. The calendar spans the given days.
func newTables(dir string, first, last time.Time) (*tables, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	t := &tables{dir: dir}
	for d := first; !d.After(last); d = d.AddDate(0, 0, 1) {
		t.calendar = append(t.calendar, d.Format(time.DateOnly))
	}
	return t, nil
}

func (t *tables) days() int32 { return int32(len(t.calendar)) }

// create starts NAME.tsv with its header.
func (t *tables) create(name string, columns ...string) (*table, error) {
	file, err := atomicfile.Create(filepath.Join(t.dir, name+".tsv"))
	if err != nil {
		return nil, err
	}
	out := &table{rows: rows{calendar: t.calendar}, file: file}
	t.open = append(t.open, out)
	for _, c := range columns {
		out.field(c)
	}
	out.end()
	out.count = 0
	return out, nil
}

// commit puts all files in place.
func (t *tables) commit() error {
	for _, out := range t.open {
		if out.flush(); out.err != nil {
			return out.err
		}
	}
	for _, out := range t.open {
		if err := out.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// abort gives up what is not committed.
func (t *tables) abort() {
	for _, out := range t.open {
		out.file.Abort()
	}
}
