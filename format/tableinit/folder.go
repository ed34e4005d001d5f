package tableinit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// endings are those of table files, with their usual delimiters.
var endings = map[string]rune{".csv": ',', ".tsv": '\t', ".dat": '\t', ".txt": '\t', ".tab": '\t', ".psv": '|', ".parquet": 0}

// headSize is how many bytes of a file are examined to find its format, headRows how many rows.
const (
	headSize = 64 << 10
	headRows = 200
	// checkEvery is the number of rows between reports of progress.
	checkEvery = 1 << 14
)

// tabular is a table of the folder.
type tabular struct {
	file    string // its name, or the pattern for several
	files   string // lists several files; "" for one
	base    string // the file's name without endings and without what differs between several files
	name    string // the base, or else the file
	short   string // for relations, unlike other tables'
	glob    string
	paths   []string
	reader  *tablefile.Reader
	header  []string // cells of the first row, or made-up names
	spec    table.Spec
	zone    *time.Location // as the draft's
	columns []*column
	rows    int
	problem error // why the file cannot be read as a table
	trusted bool  // included although it may know the future

	key  *column // names the rows, nil for none
	text *column // describes the key for other tables: the only other column, of texts; nil for none
	time *column // when a row came to be, nil for none
	// stamps are the times that are set when a row is written, time among them: the row is known from the latest of these on.
	stamps []*column
	long   bool // others refer to the rows for long, by the mean time to the last: their creation does not date those others

	listed   []*column // columns named in rules of the recipe, in order
	relation string    // holds its rows
	near     string    // holds the keys of its rows that are included
	hiding   string    // holds the keys of its hidden rows
	repeats  []*column // of centers and of predicted things, if it repeats the target
	unused   string    // why no rule reads it, if known
}

// column is a column of a table, or a date from three columns.
type column struct {
	*profile
	table     *tabular
	header    string
	short     string // for relations, unlike other columns' of the file; "" for a column made from others
	position  int    // in the file, from 1
	parts     []*column
	invalid   bool // of a date in parts: some are not dates
	words     []string
	named     bool // the last word of its name is one for names
	kind      kind
	function  string
	form      string
	why       string
	nulls     map[string]int // texts of cells that are read as empty
	typ       *entityType
	refers    *column // the key to which it refers
	ofRow     bool    // not in the file: the number of the row
	asked     bool    // the request names it
	as        string  // what the request says that it holds, "" for nothing
	yes       string  // the text that the request says to mean yes, "" if nothing says so
	trusted   bool    // included although it may know the future
	outcome   bool    // known only after the target's horizon
	respelled bool    // names things by whole numbers, whatever zeros are written around them
	kept      bool    // says the same about a predicted thing, or the center, in several rows
	numbers   string  // the kind of its numbers in the task
}

// title is the column's name for people.
func (c *column) title() string {
	if c.header == "" {
		return "#" + itoa(c.position)
	}
	return c.header
}

// plain, like its namesake for tables, returns a name for relations.
func (c *column) plain() string  { return cmp.Or(c.short, plainName(c.header, "c"+itoa(c.position))) }
func (t *tabular) plain() string { return t.short }

// folder lists the files of a folder that may be tables, by name, and says why the others are not.
func folder(dir string, reader *tablefile.Reader) (tables []*tabular, others []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
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

// nameTables names tables after their files, with the endings if only these differ.
func nameTables(tables []*tabular) {
	names := map[string]int{}
	for _, t := range tables {
		names[t.base]++
	}
	short := registry{}
	for _, t := range tables {
		if t.name = t.base; names[t.base] > 1 {
			t.name = t.file
		}
		t.short = short.unlike(plainName(t.name, "table"))
	}
}

// sniff finds out how a file is written and how its columns are called.
func (t *tabular) sniff(ctx context.Context) error {
	isText := t.ending() != ".parquet"
	if isText {
		head, err := t.reader.Head(t.paths[0], &t.spec, headSize)
		if err != nil {
			return err
		}
		if t.spec.Encoding, err = encodingOf(head); err != nil {
			return err
		}
		usual, best := endings[t.ending()], -1
		for _, d := range []rune{usual, ',', '\t', ';', '|'} {
			if columns := t.consistent(ctx, d); columns > best {
				best, t.spec.Delimiter = columns, d
			}
		}
		if best == 1 { // there is no delimiter
			t.spec.Delimiter = usual
		}
	}
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.header, _ = rows.Columns()
	t.spec.NoHeader = isText && !isHeader(t.header)
	return rows.Close()
}

// ending returns the ending of the file's name, except that of an archive.
func (t *tabular) ending() string {
	_, ending := endingOf(t.file)
	return ending
}

// endingOf cuts the endings off a file's name and returns the one that is not of an archive.
func endingOf(file string) (base, ending string) {
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		file = strings.TrimSuffix(file, packed)
	}
	ending = filepath.Ext(file)
	return strings.TrimSuffix(file, ending), strings.ToLower(ending)
}

var errBinary = usage("it is binary, not text: a table is CSV, TSV or Parquet")

// encodingOf determines the encoding of a text from its beginning.
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
	if len(head) == headSize { // the last character may be cut
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

// consistent returns the number of cells that all of the first rows have when split at a delimiter, 0 if they differ.
func (t *tabular) consistent(ctx context.Context, delimiter rune) int {
	spec := t.spec
	spec.Delimiter = delimiter
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &spec)
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
	_, width := rows.Columns()
	return width
}

// isHeader reports whether the cells of a first row name columns: none is a number or a date, and some are not empty.
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

// scan reads the whole table.
func (t *tabular) scan(ctx context.Context, progress func(rows int64)) error {
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.columns, t.rows = nil, 0
	names, width := rows.Columns()
	short := registry{}
	for i := range width {
		c := &column{profile: newProfile(), table: t, position: i + 1}
		c.iso.Zone = t.zone
		if names != nil {
			c.header = names[i]
		}
		c.short = short.unlike(c.plain())
		c.words = wordsOf(c.header)
		_, c.named = stemOf(c.words)
		if t := rows.Unread(i); t != "" {
			c.why = "is of type " + t + ", which is not read"
		}
		t.columns = append(t.columns, c)
	}
	if err := rows.Close(); err != nil {
		return err
	}
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
	rows, err := t.reader.OpenRows(ctx, path, &t.spec)
	if err != nil {
		return err
	}
	defer rows.Close()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row(cells)
	}
}
