package tablefile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
)

// quotes reports whether the quotes of a text between tabs stand around cells, as spreadsheets write them, or belong to the cells, as databases
// write them. It reads the whole file, once for each reader.
func (r *Reader) quotes(ctx context.Context, path string, s *spec) bool {
	key := s.Encoding + ":" + path
	if known, ok := r.quoted[key]; ok {
		return known
	}
	f, err := r.open(path, s)
	if err != nil {
		return false
	}
	layout := s.Layout
	layout.Delimiter, layout.NoHeader = "\t", true
	l, err := openLines(ctx, f, layout, func() bool { return true })
	if err != nil {
		return false
	}
	defer l.Close()
	if r.quoted == nil {
		r.quoted = map[string]bool{}
	}
	r.quoted[key] = areQuotes(l)
	return r.quoted[key]
}

// areQuotes reads a text as one whose cells may be quoted, and reports whether they are. They are if all names of its header are in quotes, or
// if a quoted cell has doubled quotes. Else they are not if a quote is out of place, if what they join are as many whole rows, or if a column
// has both cells in quotes that they do not need and other texts without quotes.
func areQuotes(l *lines) bool {
	var needless, bare []bool // by column
	for first := true; ; first = false {
		cells, err := l.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		case first:
			needless, bare = make([]bool, len(cells)), make([]bool, len(cells))
		}
		quoted := 0
		for i, c := range cells {
			switch {
			case !l.isQuoted(i):
				bare[i] = bare[i] || !first && isText(c)
				continue
			case bytes.IndexByte(c, '"') >= 0:
				return true
			case !bytes.ContainsAny(c, "\t\n") && len(bytes.TrimSpace(c)) == len(c):
				needless[i] = true
			}
			quoted++
		}
		switch {
		case first && quoted == len(cells):
			return true
		case l.line > l.first && areRows(l.row, len(cells)):
			return false
		}
		for i := range needless {
			if needless[i] && bare[i] {
				return false
			}
		}
	}
}

// areRows reports whether all lines of a text have as many cells between tabs.
func areRows(text []byte, cells int) bool {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if bytes.Count(line, []byte{'\t'}) != cells-1 {
			return false
		}
	}
	return true
}

// isText reports whether a cell is neither a number nor one of the words that stand for no value, which writers leave without quotes.
func isText(cell []byte) bool {
	_, isNumber := parseFloat(cell)
	return !isNumber && !slices.Contains([]string{"", "NA", "NULL", "null", `\N`}, string(cell))
}
