package tablefile

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/table"
)

// spec is a table as a recipe declares it, to be looked for.
type spec table.Spec

// kinds are the kinds of values by the functions that read them.
var kinds = map[string]table.Kind{
	"int": table.KindInt, "float": table.KindFloat, "date": table.KindDay, "time": table.KindTime,
}

// check returns an error where the spec makes no table of u.
func (s *spec) check(u *table.Universe) error {
	if s.Delimiter != 0 && (slices.Contains([]rune("\"\r\n"), s.Delimiter) || s.Delimiter == utf8.RuneError || !utf8.ValidRune(s.Delimiter)) {
		return s.fault("%q cannot be a delimiter", s.Delimiter)
	}
	if s.Encoding != "" && !table.IsEncoding(s.Encoding) {
		return s.fault("unknown encoding %q; there are latin1, utf16le and utf16be", s.Encoding)
	}
	if len(s.Columns) == 0 || len(s.Types) != len(s.Columns) {
		return s.fault("%d types for %d columns", len(s.Types), len(s.Columns))
	}
	for i := range s.Columns {
		if err := s.checkColumn(i, len(u.Types)); err != nil {
			return err
		}
	}
	for i := range s.Where {
		if err := s.checkCondition(i); err != nil {
			return err
		}
	}
	return nil
}

func (s *spec) checkColumn(i, types int) error {
	c, typ := &s.Columns[i], s.Types[i]
	switch _, known := kinds[c.Func]; {
	case c.Func != "" && !known:
		return s.fault("column %d: unknown function %q; there are int, float, date and time", i+1, c.Func)
	case typ >= types:
		return s.fault("column %d: its type is not of the universe", i+1)
	case typ < 0 && c.Func == "":
		return s.fault("column %d: values need a function: int, float, date or time", i+1)
	case typ >= 0 && c.Func != "":
		return s.fault("column %d: %s(..) is a value, not an entity", i+1, c.Func)
	case c.Prefix != "" && typ < 0:
		return s.fault("column %d: only entities take a wildcard before their names", i+1)
	}
	return s.checkRefs(fmt.Sprintf("column %d", i+1), c)
}

func (s *spec) checkCondition(i int) error {
	c, what := &s.Where[i], fmt.Sprintf("condition %d", i+1)
	if _, known := kinds[c.Column.Func]; c.Column.Func != "" && !known {
		return s.fault("%s: unknown function %q; there are int, float, date and time", what, c.Column.Func)
	}
	if c.Test < table.TestCompare || c.Test > table.TestNotEmpty {
		return s.fault("%s: unknown test %d", what, c.Test)
	}
	return s.checkRefs(what, &c.Column)
}

// checkRefs returns an error where there can be no such columns of a file.
func (s *spec) checkRefs(what string, c *table.ColumnSpec) error {
	if len(c.Refs) != 1 && (len(c.Refs) != 3 || c.Func != "date") {
		return s.fault("%s: takes one column, or three for a date", what)
	}
	if c.Form != "" && (len(c.Refs) != 1 || !table.IsForm(c.Func, c.Form)) {
		return s.fault("%s: %s(..) has no form %q", what, c.Func, c.Form)
	}
	for _, r := range c.Refs {
		if r.Header == "" && r.Index < 1 {
			return s.fault("%s: columns are numbered from 1", what)
		}
		if r.Header != "" && s.NoHeader {
			return s.fault("column %q has a name, but the table has no header; say #n", r.Header)
		}
	}
	return nil
}

// fault says what is wrong with the spec.
func (s *spec) fault(format string, args ...any) error {
	return &UsageError{Pos: s.Pos, Table: s.Name, Message: fmt.Sprintf(format, args...)}
}

// open opens a file of the table.
func (s *spec) open(r *Reader, path string) (source, error) {
	delimiter := s.Delimiter
	if delimiter == 0 {
		switch ending := filepath.Ext(strings.TrimSuffix(path, packing(path))); strings.ToLower(ending) {
		case ".csv":
			delimiter = ','
		case ".tsv", ".dat", ".txt":
			delimiter = '\t'
		case ".parquet":
			if packing(path) != "" {
				return nil, s.fault("%s: a Parquet file is not read from an archive; unpack it", path)
			}
		default:
			return nil, s.fault("%s: the name ends with none of .csv, .tsv, .dat, .txt and .parquet; say which delimiter it has", path)
		}
	}
	f, err := r.open(path, s)
	if err != nil {
		return nil, err
	}
	if delimiter == 0 {
		return openParquet(f, s)
	}
	return openLines(f, delimiter, !s.NoHeader, s.Encoding)
}

// column returns the position of a column, from 0, in a file whose columns have these names.
func (s *spec) column(file string, ref table.Ref, names []string, width int) (int, error) {
	if ref.Header == "" {
		if ref.Index > width {
			return 0, s.fault("%s: there is no column #%d; the file has %d", file, ref.Index, width)
		}
		return ref.Index - 1, nil
	}
	i := slices.Index(names, ref.Header)
	if i < 0 {
		hint := didYouMean(clip(mln.Suggest(ref.Header, names)))
		return 0, s.fault("%s: there is no column %q%s; the file has: %s", file, ref.Header, hint, listed(names))
	}
	if slices.Contains(names[i+1:], ref.Header) {
		return 0, s.fault("%s: two columns are named %q; say #n", file, clip(ref.Header))
	}
	return i, nil
}
