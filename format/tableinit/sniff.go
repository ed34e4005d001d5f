package tableinit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/format/tableinit/reading"
)

// headSize is how many bytes of a file are examined to find its format, headRows how many rows, maxPreamble how many lines may be above them.
const (
	headSize    = 64 << 10
	headRows    = 200
	maxPreamble = 30
)

// layouts sets the layouts that a request has, as TABLE=OPTIONS.
func (d *draft) layouts(requested []string) error {
	for _, text := range requested {
		name, options, _ := strings.Cut(text, "=")
		spec, err := recipe.ParseOptions(options)
		if err != nil {
			return usage("--layout %s: %v", name, err)
		}
		some := false
		for _, t := range d.tables {
			if slices.Contains([]string{t.file, t.base, baseOfParts(t.base)}, name) {
				t.given, some = spec, true
			}
		}
		if !some {
			return usage("--layout: there is no table %q: write TABLE=OPTIONS, as in %s", name, `t='delimiter ";" skip 2 noheader'`)
		}
	}
	return nil
}

// sniff finds out how a file is written and how its columns are called.
func (t *tabular) sniff(ctx context.Context) error {
	if endings[t.ending()] != "" { // a text of cells between delimiters
		head, err := t.reader.Head(t.paths[0], &t.spec, headSize)
		if err != nil {
			return err
		}
		if t.spec.Encoding, err = encodingOf(head); err != nil {
			return err
		}
		if t.given != nil {
			encoding := cmp.Or(t.given.Encoding, t.spec.Encoding)
			t.spec.Layout = t.given.Layout
			t.spec.Encoding, t.spec.Delimiter = encoding, cmp.Or(t.spec.Delimiter, endings[t.ending()])
			return t.readHeader(ctx)
		}
		lines, err := t.reader.Lines(ctx, t.paths[0], &t.spec, headRows, headSize)
		if err != nil && len(lines) == 0 {
			return err
		}
		t.layOut(ctx, lines)
	}
	return t.readHeader(ctx)
}

// readHeader reads the first row.
func (t *tabular) readHeader(ctx context.Context) error {
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &t.spec)
	if err != nil {
		return err
	}
	t.header, _ = rows.Columns()
	return rows.Close()
}

// sepLine matches the first line with which Excel is told the delimiter.
var sepLine = regexp.MustCompile(`^(?i:sep)=(.+)$`)

// layOut finds the layout of a text from its first lines.
func (t *tabular) layOut(ctx context.Context, lines []string) {
	ways := reading.Classifier(reading.All())
	t.spec.Layout = table.Layout{Encoding: t.spec.Encoding, Trim: true}
	usual := endings[t.ending()]
	delimiters := []string{usual, ",", "\t", ";", "|"}
	if len(lines) > 0 {
		if sep := sepLine.FindStringSubmatch(strings.Trim(lines[0], `"`)); sep != nil {
			t.spec.Skip, delimiters = 1, []string{sep[1]}
		}
	}
	comments := t.comments(lines[min(t.spec.Skip, len(lines)):])
	if first := t.spec.Skip + len(comments); first < len(lines) {
		delimiters = append(delimiters, runs(lines[first])...)
	}
	escapes := slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, `\"`) })
	best := t.best(ctx, t.spec.Layout, delimiters, escapes)
	if best.columns < 2 {
		if spaced := t.try(ctx, with(t.spec.Layout, table.Blanks)); spaced.columns > 1 && ways.HasValues(spaced.rows) {
			best = spaced
		}
	}
	for above := 1; best.isSparse() && above <= min(maxPreamble, len(lines)-2-t.spec.Skip); above++ {
		layout := t.spec.Layout
		layout.Skip += above
		below := t.best(ctx, layout, append(delimiters, runs(lines[layout.Skip])...), escapes)
		if !below.isSparse() && !below.layout.Ragged && len(below.rows) > 1 && below.isBelow(lines[t.spec.Skip:layout.Skip]) {
			best = below
		}
	}
	if best.columns < 2 { // there is no delimiter
		best = t.try(ctx, with(t.spec.Layout, usual))
		best.layout = with(t.spec.Layout, usual)
	}
	t.spec.Layout = best.layout
	if len(best.rows) == 0 {
		return
	}
	t.spec.NoHeader = !ways.IsHeader(best.rows[0], best.rows[1:])
	if n := len(comments); n > 0 && t.spec.NoHeader {
		titles := cut(comments[n-1], best.layout.Delimiter)
		if len(titles) == len(best.rows[0]) && ways.IsHeader(titles, best.rows) {
			t.titles = titles
		}
	}
}

// comments sets the layout for comments, if a text begins with some, and returns them without their marks.
func (t *tabular) comments(lines []string) (found []string) {
	for _, mark := range []string{"#", "//", "%"} {
		n := 0
		for n < len(lines) && strings.HasPrefix(lines[n], mark) {
			n++
		}
		if n == 0 || n == len(lines) || n == 1 && len(cut(lines[0], ",")) > 1 && !isNamed(lines[0], mark) {
			continue
		}
		for _, line := range lines[:n] {
			found = append(found, strings.TrimSpace(strings.TrimLeft(line, mark)))
		}
		if slices.ContainsFunc(lines[n:], func(l string) bool { return strings.HasPrefix(l, mark) }) {
			t.spec.Comment = mark
		} else {
			t.spec.Skip += n
		}
		return found
	}
	return nil
}

// isNamed reports whether a name stands behind the mark, as in "#id,name", and not a delimiter, as in "#,name".
func isNamed(line, mark string) bool {
	rest := strings.TrimSpace(strings.TrimLeft(line, mark))
	return rest != "" && !strings.ContainsAny(rest[:1], ",;|\t")
}

// cut splits a line whose cells are not in quotes.
func cut(line, delimiter string) []string {
	if delimiter == table.Blanks {
		return strings.Fields(line)
	}
	cells := strings.Split(line, delimiter)
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// between matches what may be a delimiter of other than the usual characters: rare ones, or two and more signs.
var between = regexp.MustCompile("[|:;,~^!#*&@$%=+\\t ]{2,}|[\\^~¦§\x01\x1e\x1f]")

// runs returns possible delimiters of a line, few.
func runs(line string) (out []string) {
	for _, run := range between.FindAllString(line, 50) {
		if d := strings.TrimSpace(run); d != "" && !slices.Contains(out, d) && len(out) < 8 {
			out = append(out, d)
		}
	}
	return out
}

// attempt is a layout, and the first rows that it gives.
type attempt struct {
	layout  table.Layout
	rows    [][]string
	columns int // of the rows that are not all empty; 0 if they do not fit
}

// isSparse reports whether the first row is no header: it has one column, or is mostly empty.
func (a *attempt) isSparse() bool { return a.columns < 2 || isSparse(a.rows[0]) }

func isSparse(row []string) bool {
	filled := 0
	for _, cell := range row {
		if cell != "" {
			filled++
		}
	}
	return 2*filled <= len(row)
}

// isBelow reports whether lines above the rows are none themselves.
func (a *attempt) isBelow(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool {
		cells := cut(line, a.layout.Delimiter)
		return !isSparse(append(cells, make([]string, max(0, len(a.rows[0])-len(cells)))...))
	})
}

func with(layout table.Layout, delimiter string) table.Layout {
	layout.Delimiter = delimiter
	return layout
}

// best returns the layout with the most columns, or with a delimiter that contains that one's, and the fewest allowances.
func (t *tabular) best(ctx context.Context, layout table.Layout, delimiters []string, escapes bool) (best attempt) {
	for _, strict := range []bool{true, false} {
		for _, d := range delimiters {
			l := with(layout, d)
			l.Ragged = !strict
			a := t.try(ctx, l)
			if l.Escape = escapes; escapes && a.columns == 0 {
				a = t.try(ctx, l)
			}
			longer := len(d) > len(best.layout.Delimiter) && strings.Contains(d, best.layout.Delimiter)
			if a.columns > best.columns || longer && a.columns > 1 {
				best = a
			}
		}
		if best.columns > 1 {
			break
		}
	}
	return best
}

// try reads the first rows of a text in a layout.
func (t *tabular) try(ctx context.Context, layout table.Layout) (a attempt) {
	a.layout = layout
	spec := t.spec
	spec.Layout, spec.Glob = layout, "" // without the columns that folders add
	spec.NoHeader = true
	rows, err := t.reader.OpenRows(ctx, t.paths[0], &spec)
	if err != nil {
		return a
	}
	defer rows.Close()
	for range headRows {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return a
		}
		row := make([]string, len(cells))
		for i, c := range cells {
			row[i] = string(c)
		}
		a.rows = append(a.rows, row)
	}
	_, width := rows.Columns()
	for i := range width {
		if slices.ContainsFunc(a.rows, func(row []string) bool { return row[i] != "" }) {
			a.columns++
		}
	}
	return a
}

// noteWide says of a table whose columns are a series, such as years, that each row should have one of them.
func (d *draft) noteWide(t *tabular) {
	const fewest = 4
	ways := reading.Classifier(reading.All())
	for from := 0; from+fewest <= len(t.columns); from++ {
		n := 0
		for n < len(t.columns)-from && t.columns[from+n].header != "" && ways.ClassOf(t.columns[from+n].header) != reading.Text {
			n++
		}
		titles := make([]string, n)
		for i, c := range t.columns[from : from+n] {
			titles[i] = c.header
		}
		if n >= fewest && ways.IsSeries(titles) {
			d.note("%s is a wide table: its columns %s to %s are one number over time, whose time no rule sees; write a row for each, with a column that says which it is",
				t.file, clip(titles[0]), clip(titles[n-1]))
			return
		}
		from += n
	}
}

var errBinary = usage("it is binary, not text: a table is CSV, TSV, JSON lines or Parquet")

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
		case c < ' ' && !bytes.ContainsRune([]byte("\t\n\r\f\v\x01\x1e\x1f"), rune(c)):
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
