package tableinit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// endings are those of the names of tables, each with what is between its cells as a rule.
var endings = map[string]rune{".csv": ',', ".tsv": '\t', ".dat": '\t', ".txt": '\t', ".tab": '\t', ".psv": '|', ".parquet": 0}

// headSize is how much of a file says what its text is like, headRows how many of its rows.
const (
	headSize = 64 << 10
	headRows = 200
	// checkEvery is how many rows are read between looks at the context.
	checkEvery = 1 << 14
)

// tabular is a table of the folder.
type tabular struct {
	file    string // its name, of several that of all
	files   string // which these are; "" for one
	base    string // the file's name without endings and what differs between several
	name    string // the base, or else the file
	glob    string
	paths   []string
	reader  *tablefile.Reader
	header  []string // cells of the first row, or else names
	spec    table.Spec
	columns []*column
	rows    int
	problem error // why it cannot be read as a table

	key  *column // that names the rows, nil for none
	text *column // that stands for the key in other tables: the only other column, of texts; nil for none
	time *column // when a row came to be, nil for none
	long bool    // rows refer to these for long: when they came to be does not date those

	listed   []*column // that rules of the recipe name, in the order of columns
	relation string    // of its rows
	near     string    // of the keys of its rows that are included
	unused   string    // why no rule reads it, where that is known
}

// column is a column of a table, or a date in three of them.
type column struct {
	*profile
	table    *tabular
	header   string
	position int // in the file, from 1
	parts    []*column
	invalid  bool // of parts: some are no date
	words    []string
	named    bool // the last word says that it names things
	kind     kind
	function string
	form     string
	why      string
	nulls    map[string]int // texts of cells that are read as empty
	typ      *entityType
	refers   *column // the key that it refers to
	ofRow    bool    // of no column of the file: the number of the row
}

// title is how people name the column.
func (c *column) title() string {
	if c.header == "" {
		return "#" + itoa(c.position)
	}
	return c.header
}

// plain and its like for tables return a name for relations.
func (c *column) plain() string  { return plainName(c.header, "c"+itoa(c.position)) }
func (t *tabular) plain() string { return plainName(t.name, "table") }

// folder lists the files of a folder that may be tables, by name, and says of the others why not.
func folder(dir string, reader *tablefile.Reader) (tables []*tabular, others []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if strings.HasPrefix(e.Name(), ".") || err != nil || info.IsDir() {
			continue
		}
		base, ending := endingOf(e.Name())
		if _, ok := endings[ending]; !ok || !isPrintable(e.Name()) {
			others = append(others, clip(strings.ToValidUTF8(e.Name(), "?"))+": its name is not that of a table (.csv, .tsv, .dat, .txt, .tab, .psv, .parquet)")
			continue
		}
		t := &tabular{file: e.Name(), base: base, glob: escapeGlob(e.Name()), paths: []string{filepath.Join(dir, e.Name())}, reader: reader}
		t.spec = table.Spec{Name: base, Glob: e.Name()}
		tables = append(tables, t)
	}
	return tables, others, nil
}

// nameTables names tables after their files, with endings where they differ in these alone.
func nameTables(tables []*tabular) {
	names := map[string]int{}
	for _, t := range tables {
		names[t.base]++
	}
	for _, t := range tables {
		if t.name = t.base; names[t.base] > 1 {
			t.name = t.file
		}
	}
}

// sniff finds out how the text of a file is written.
func (t *tabular) sniff() error {
	ending := t.ending()
	if ending == ".parquet" {
		rows, err := t.reader.OpenRows(t.paths[0], &t.spec)
		if err != nil {
			return err
		}
		t.header = slices.Clone(rows.Names())
		return rows.Close()
	}
	head, err := t.reader.Head(t.paths[0], &t.spec, headSize)
	if err != nil {
		return err
	}
	if t.spec.Encoding, err = encodingOf(head); err != nil {
		return err
	}
	usual := endings[ending]
	best := -1
	for _, d := range []rune{usual, ',', '\t', ';', '|'} {
		if columns := t.consistent(d); columns > best {
			best, t.spec.Delimiter = columns, d
		}
	}
	if best == 1 { // nothing is between cells
		t.spec.Delimiter = usual
	}
	rows, err := t.reader.OpenRows(t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.header = slices.Clone(rows.Names())
	t.spec.NoHeader = !isHeader(t.header)
	return rows.Close()
}

// ending returns what the name ends with, but for that of an archive.
func (t *tabular) ending() string {
	_, ending := endingOf(t.file)
	return ending
}

// endingOf cuts the endings off a file's name, and returns that which is none of an archive.
func endingOf(file string) (base, ending string) {
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		file = strings.TrimSuffix(file, packed)
	}
	ending = filepath.Ext(file)
	return strings.TrimSuffix(file, ending), strings.ToLower(ending)
}

var errBinary = usage("it is no text, but binary: a table is CSV, TSV or Parquet")

// encodingOf tells the encoding of a text by its beginning.
func encodingOf(head []byte) (string, error) {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return "", nil
	}
	var zeros [2]int
	controls := 0
	for i, c := range head {
		switch {
		case c == 0:
			zeros[i%2]++
		case c < ' ' && !bytes.ContainsRune([]byte("\t\n\r\f\v"), rune(c)):
			controls++
		}
	}
	switch half := len(head) / 2; {
	case zeros[1] > half/2 && zeros[0] < half/8:
		return table.EncodingUTF16LE, nil
	case zeros[0] > half/2 && zeros[1] < half/8:
		return table.EncodingUTF16BE, nil
	case zeros[0]+zeros[1] > 0 || controls > len(head)/100:
		return "", errBinary
	}
	if len(head) == headSize { // a character may be cut
		for n := 0; n < utf8.UTFMax && !utf8.RuneStart(head[len(head)-1]); n++ {
			head = head[:len(head)-1]
		}
		head = head[:len(head)-1]
	}
	if !utf8.Valid(head) {
		return table.EncodingLatin1, nil
	}
	return "", nil
}

// consistent returns how many cells all of the first rows have where they are cut at a delimiter, 0 where they differ.
func (t *tabular) consistent(delimiter rune) int {
	spec := t.spec
	spec.Delimiter = delimiter
	rows, err := t.reader.OpenRows(t.paths[0], &spec)
	if err != nil {
		return 0
	}
	defer rows.Close()
	for range headRows {
		if _, err := rows.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0
		}
	}
	return rows.Width()
}

// isHeader reports whether the cells of a first row name columns: none holds a number or a date, and some hold anything.
func isHeader(cells []string) bool {
	some := false
	for _, c := range cells {
		if c == "" {
			continue
		}
		some = true
		for _, w := range readings() {
			if _, ok := w.read([]byte(c)); ok {
				return false
			}
		}
	}
	return some
}

// scan reads all of the table.
func (t *tabular) scan(ctx context.Context, progress func(rows int64)) error {
	rows, err := t.reader.OpenRows(t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.columns, t.rows = nil, 0
	names := rows.Names()
	for i := range rows.Width() {
		c := &column{profile: newProfile(), table: t, position: i + 1}
		if names != nil {
			c.header = names[i]
		}
		c.words = wordsOf(c.header)
		_, c.named = stemOf(c.words)
		if !rows.Readable(i) {
			c.why = "is neither of numbers nor of strings, dates or timestamps"
		}
		t.columns = append(t.columns, c)
	}
	if err := rows.Close(); err != nil {
		return err
	}
	width := len(t.columns)
	t.columns = append(t.columns, datesOf(t)...)
	t.spec.Nulls = nil
	var buf [][]byte
	err = t.each(ctx, func(cells [][]byte) {
		buf = t.withoutNulls(cells, buf)
		cells = buf
		if t.rows%checkEvery == 0 {
			progress(int64(t.rows))
		}
		t.rows++
		for i, c := range t.columns[:width] {
			c.add(cells[i])
		}
		for _, c := range t.columns[width:] {
			c.addDate(cells)
		}
	})
	progress(int64(t.rows))
	t.settleNulls()
	return err
}

// each calls row for the rows of all files, with cells that are valid until it returns.
func (t *tabular) each(ctx context.Context, row func(cells [][]byte)) error {
	for _, path := range t.paths {
		if err := t.eachOf(ctx, path, row); err != nil {
			return err
		}
	}
	return nil
}

func (t *tabular) eachOf(ctx context.Context, path string, row func(cells [][]byte)) error {
	rows, err := t.reader.OpenRows(path, &t.spec)
	if err != nil {
		return err
	}
	defer rows.Close()
	var buf [][]byte
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(t.spec.Nulls) > 0 {
			buf = append(buf[:0], cells...)
			for i, c := range buf {
				if isNull(c) && slices.Contains(t.spec.Nulls, string(c)) {
					buf[i] = nil
				}
			}
			cells = buf
		}
		row(cells)
	}
}
