package tableinit

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"resolwe/format/mln"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/format/tableschema"
)

// endings are those of table files, with their usual delimiters.
var endings = map[string]string{
	".csv": ",", ".tsv": "\t", ".dat": "\t", ".txt": "\t", ".tab": "\t", ".psv": "|", ".parquet": "", ".jsonl": "", ".ndjson": "",
}

// listed are the endings, for messages.
const listed = ".csv, .tsv, .dat, .txt, .tab, .psv, .jsonl, .ndjson"

// checkEvery is the number of rows between reports of progress.
const checkEvery = 1 << 14

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
	header  []string // cells of the first row
	titles  []string // names of the columns that a comment tells, or nil
	spec    table.Spec
	place   func(column int) mln.Position // of a cell of the row that is read
	given   *table.Spec                   // options that are requested, or nil
	needed  table.Layout                  // allowances that matter, once the table is read
	zone    *time.Location                // as the draft's
	columns []*column
	rows    int
	problem error // why the file cannot be read as a table
	trusted bool  // included although it may know the future

	declared    *tableschema.Table // in the folder's schema, or nil
	declaredKey *column            // its key then, or of a table to which one refers; nil for none
	key         *column            // names the rows, nil for none
	text        *column            // describes the key for other tables: the only other column, of texts; nil for none
	time        *column            // when a row came to be, nil for none
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
	nulls     map[string]*oddity // texts of cells that are read as empty
	blanks    []*oddity          // of these, the ones that are empty in this column alone
	forgiven  int                // how many cells are empty as they are odd or stand for no value
	keeps     bool               // values that seem to stand for none are values
	sentinels []string           // the values that stand for none
	lostTime  bool               // a few cells that are no dates make it texts
	typ       *entityType
	refers    *column // the key to which it refers
	shares    *column // holds the same things by declaration, but is not the key of its table
	declared  bool    // the schema says that it names things
	isTexts   bool    // the schema says that its cells are texts
	comment   string  // of the schema
	ofRow     bool    // not in the file: the number of the row
	asked     bool    // the request names it
	as        string  // what the request says that it holds, "" for nothing
	yes       string  // the text that the request says to mean yes, "" if nothing says so
	trusted   bool    // included although it may know the future
	hidden    bool    // left out because it may know the future
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
// A folder that has declarations holds several.
func folder(dir string, reader *tablefile.Reader, isDeclared bool) (tables []*tabular, others []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	if t := partitioned(dir, "", reader); t != nil && !isDeclared {
		return []*tabular{t}, nil, nil
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if strings.HasPrefix(e.Name(), ".") || err != nil {
			continue
		}
		if info.IsDir() {
			if t := partitioned(dir, e.Name(), reader); t != nil {
				tables = append(tables, t)
			}
			continue
		}
		base, ending := endingOf(e.Name())
		if e.Name() == tableschema.File {
			continue
		}
		if _, ok := endings[ending]; !ok || !isPrintable(e.Name()) {
			others = append(others, clip(strings.ToValidUTF8(e.Name(), "?"))+": its name is not that of a table ("+listed+", .parquet)")
			continue
		}
		t := &tabular{file: e.Name(), base: base, glob: escapeGlob(e.Name()), paths: []string{filepath.Join(dir, e.Name())}, reader: reader}
		t.spec = table.Spec{Name: base, Glob: e.Name()}
		tables = append(tables, t)
	}
	return tables, others, nil
}

// partitioned returns the table whose files are in folders such as year=2020 of a folder, or in the folder itself as part-1, part-2 and so on;
// nil for none. The name of the folder is "" for that of all tables.
func partitioned(dir, name string, reader *tablefile.Reader) *tabular {
	glob, at := []string{escapeGlob(name)}, filepath.Join(dir, name)
	for {
		entries, err := os.ReadDir(at)
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.ContainsAny(e.Name()[:1], "._") })
		if err != nil || len(entries) == 0 {
			return nil
		}
		key, _, isPart := strings.Cut(entries[0].Name(), "=")
		if entries[0].IsDir() && isPart {
			glob, at = append(glob, escapeGlob(key)+"=*"), filepath.Join(at, entries[0].Name())
			continue
		}
		_, ending := endingOf(entries[0].Name())
		if _, known := endings[ending]; !known || len(glob) == 1 && (name == "" || !strings.HasPrefix(entries[0].Name(), "part-")) {
			return nil
		}
		_, packing, _ := strings.Cut(strings.ToLower(entries[0].Name()), ending)
		t := &tabular{glob: path.Join(append(glob, "*"+ending+packing)...), reader: reader}
		t.spec = table.Spec{Name: name, Glob: t.glob}
		if t.paths, err = tablefile.Files(&t.spec, dir); err != nil {
			return nil
		}
		t.file, t.base = t.glob, cmp.Or(name, filepath.Base(dir))
		t.files = itoa(len(t.paths)) + " files"
		return t
	}
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

// scan reads the whole table.
func (t *tabular) scan(ctx context.Context, progress func(rows int64)) error {
	t.spec.Trim, t.spec.Ragged = true, true
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.columns, t.rows = nil, 0
	names, width := rows.Columns()
	if t.titles != nil {
		names = t.titles
	}
	short := registry{}
	for i := range width {
		c := &column{profile: newProfile(), table: t, position: i + 1}
		c.iso.Zone = t.zone
		c.place = func() mln.Position { return t.place(i) }
		if i < len(names) {
			c.header = names[i]
		}
		c.short = short.unlike(c.plain())
		if s := t.declared.Column(c.title()); s != nil {
			c.comment, c.isTexts = s.Comment, s.Type == tableschema.Text
		}
		if c.isTexts {
			c.ways = textWays()
		}
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
	t.spec.Trim, t.spec.Ragged = t.needed.Trim, t.needed.Ragged
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
	if names, _ := rows.Columns(); len(t.paths) > 1 && !slices.Equal(names, t.header) {
		return usage("%s: its columns are not those of %s", path, t.paths[0])
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			needed := rows.Needed()
			t.needed.Trim, t.needed.Ragged = t.needed.Trim || needed.Trim, t.needed.Ragged || needed.Ragged
			return nil
		}
		if err != nil {
			return err
		}
		t.place = rows.At
		row(t.withoutBlanks(cells))
	}
}

// numbered matches the digits in which the names of a table's parts differ.
var numbered = regexp.MustCompile(`[0-9]+`)

// withoutBlanks returns the cells with those emptied that are empty in their column alone.
func (t *tabular) withoutBlanks(cells [][]byte) [][]byte {
	for _, c := range t.columns {
		if i := c.position - 1; len(c.blanks) > 0 && slices.ContainsFunc(c.blanks, func(o *oddity) bool { return o.text == string(cells[i]) }) {
			cells = slices.Clone(cells)
			cells[i] = nil
		}
	}
	return cells
}

// joinParts makes one table of files whose names differ only in digits, if they have the same format and columns. It records those that do
// not.
func (d *draft) joinParts(dir string) {
	groups := map[string][]*tabular{} // by glob
	globOf := func(t *tabular) string { return numbered.ReplaceAllLiteralString(t.glob, "[0-9]*") }
	for _, t := range d.tables {
		if t.problem == nil && !d.declares(t) {
			groups[globOf(t)] = append(groups[globOf(t)], t)
		}
	}
	left := d.tables[:0]
	for _, t := range d.tables {
		glob := globOf(t)
		parts := groups[glob]
		switch {
		case len(parts) < 2 || t.problem != nil:
			left = append(left, t)
		case !isOne(parts, glob, dir):
			if t == parts[0] {
				d.note("%s are tables of their own: the header, separator or encoding is not the same in all", partNames(parts))
			}
			left = append(left, t)
		case t == parts[0]:
			left = append(left, whole(parts, glob))
		}
	}
	d.tables = left
	nameTables(d.tables)
}

// isOne reports whether files are parts of one table and all files that a glob matches.
func isOne(parts []*tabular, glob, dir string) bool {
	found, err := tablefile.Files(&table.Spec{Glob: glob}, dir)
	if err != nil || len(found) != len(parts) {
		return false
	}
	first := parts[0]
	return !slices.ContainsFunc(parts, func(t *tabular) bool {
		return t.spec.Layout != first.spec.Layout || len(t.header) != len(first.header) || !t.spec.NoHeader && !slices.Equal(t.header, first.header)
	})
}

// whole returns the table made of some parts.
func whole(parts []*tabular, glob string) *tabular {
	out := *parts[0]
	base, _ := endingOf(out.file)
	out.base = baseOfParts(base)
	out.files = partNames(parts)
	out.glob, out.file, out.paths = glob, glob, nil
	for _, p := range parts {
		out.paths = append(out.paths, p.paths...)
	}
	return &out
}

// baseOfParts returns what the names of parts have in common.
func baseOfParts(base string) string {
	return cmp.Or(strings.Trim(numbered.ReplaceAllLiteralString(base, ""), "-_. ()"), "table")
}

// partNames lists files, or the first and the last of many.
func partNames(parts []*tabular) string {
	if len(parts) == 2 {
		return clip(parts[0].file) + " and " + clip(parts[1].file)
	}
	return itoa(len(parts)) + " files, " + clip(parts[0].file) + " to " + clip(parts[len(parts)-1].file)
}
