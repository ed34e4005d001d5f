package table

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"resolwe/format/mln"
)

// Spec says which columns of which files make up a table.
type Spec struct {
	Name    string
	Types   []int // of each column: a type's index in the universe, or -1 for values
	Columns []ColumnSpec
	// Glob names the files, relative to the directory that Load is given; their rows follow one another in byte order
	// of the files' names. In each part between slashes "*" stands for any characters, "?" for one, "[a-z]" for one of
	// a list, and "{w}" for one or more, which are the match of wildcard w.
	Glob string
	// Delimiter is between the cells of a text file, and says that it is one; 0 goes by the ending: a comma for .csv, a
	// tab for .tsv, .dat and .txt. Between tabs a quote is a character like any other; in other files cells may be quoted.
	Delimiter rune
	NoHeader  bool         // the first row of a text file is data
	Pos       mln.Position // of the table in its recipe, for errors
}

// ColumnSpec says what a column of a table is made of.
type ColumnSpec struct {
	// Func is how a value is written: "int", "float", "date" (ISO 8601, or year, month and day in columns of their own)
	// or "time" (ISO 8601, UTC where it names no zone, or Unix seconds). It is "" for entities.
	Func string
	Refs []Ref // the columns of the file: one, or three for a date
	// Prefix is the wildcard whose match, and a colon, stand before the names of the entities; "" for none.
	Prefix string
}

// Ref names a column of a file.
type Ref struct {
	Header string // the column's name in the header
	Index  int    // the column's position from 1, where Header is ""
}

// String returns the name, or the position as #n.
func (r Ref) String() string {
	if r.Header != "" {
		return r.Header
	}
	return fmt.Sprintf("#%d", r.Index)
}

// kinds are the kinds of values by the functions that read them.
var kinds = map[string]Kind{"int": KindInt, "float": KindFloat, "date": KindDay, "time": KindTime}

// check returns an error where the spec makes no table of u.
func (s *Spec) check(u *Universe) error {
	if s.Delimiter != 0 && (slices.Contains([]rune("\"\r\n"), s.Delimiter) || s.Delimiter == utf8.RuneError || !utf8.ValidRune(s.Delimiter)) {
		return s.fault("%q cannot be a delimiter", s.Delimiter)
	}
	if len(s.Columns) == 0 || len(s.Types) != len(s.Columns) {
		return s.fault("%d types for %d columns", len(s.Types), len(s.Columns))
	}
	for i := range s.Columns {
		if err := s.checkColumn(i, len(u.Types)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) checkColumn(i, types int) error {
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
	case len(c.Refs) != 1 && (len(c.Refs) != 3 || c.Func != "date"):
		return s.fault("column %d: takes one column, or three for a date", i+1)
	}
	for _, r := range c.Refs {
		if r.Header == "" && r.Index < 1 {
			return s.fault("column %d: columns are numbered from 1", i+1)
		}
		if r.Header != "" && s.NoHeader {
			return s.fault("column %q has a name, but the table has no header; say #n", r.Header)
		}
	}
	return nil
}

// fault says what is wrong with the spec.
func (s *Spec) fault(format string, args ...any) error {
	return &SpecError{Pos: s.Pos, Table: s.Name, Message: fmt.Sprintf(format, args...)}
}
