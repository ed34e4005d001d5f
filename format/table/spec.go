package table

import (
	"fmt"
	"strings"
	"time"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/internal/isotime"
)

// Spec says which columns of which files make up a table.
type Spec struct {
	Name    string
	Types   []int // of each column: a type's index in the universe, or -1 for values
	Columns []ColumnSpec
	// Glob names the files, relative to a directory that is given; their rows follow one another in byte order
	// of the files' names. In each part between slashes "*" stands for any characters, "?" for one, "[a-z]" for one of
	// a list, and "{w}" for one or more, which are the match of wildcard w.
	Glob string
	// Parts of the folders that the glob names such as year=2020 are further columns, unless the file has those.
	Layout
	Nulls []string     // texts of cells that are read as empty ones
	Where []Condition  // rows that fail one are passed over, whatever else they hold
	Pos   mln.Position // of the table in its recipe, for errors
}

// Layout is how a text file is written. The zero value is the usual one.
type Layout struct {
	// Delimiter is between the cells of a text file, and says that it is one: some characters, or [Blanks]; "" goes by the ending: a comma
	// for .csv, a tab for .tsv, .dat and .txt, one JSON object a line for .jsonl and .ndjson. Between tabs a quote may be a character like
	// any other; in other files cells may be quoted.
	Delimiter string
	Encoding  string // one of the constants; "" is UTF-8, or UTF-16 that begins with its mark
	Skip      int    // lines before the first row that are passed over
	Comment   string // lines that begin with it are passed over; "" for none
	NoHeader  bool   // the first row is data
	Trim      bool   // blanks around cells do not count, except in quotes
	Escape    bool   // in quoted cells a backslash may stand before a quote or a backslash
	Ragged    bool   // one row in a hundred, or one of 20 and more, may lack cells at its end, which are empty; any may have empty ones more
}

// Blanks is the delimiter of cells that have any number of blanks and tabs between them, also before the first and behind the last.
const Blanks = "\x00"

// ColumnSpec says what a column of a table is made of.
type ColumnSpec struct {
	// Func is how a value is written: "int", "float", "date" (ISO 8601, or year, month and day in columns of their own)
	// or "time" (ISO 8601, or Unix seconds). It is "" for entities, or "int" for those whose names are whole numbers in any spelling:
	// 8.0 and 08 are 8.
	Func string
	Refs []Ref // the columns of the file: one, or three for a date
	// Form is in which other way the values are written: for dates and times an [isotime.Form], for numbers that of a
	// [NumberForm]; "" is the usual one.
	Form  string
	Nulls []string // texts of cells that are read as empty ones in this column
	// Zone is that of dates, and of times that state no offset; nil for UTC.
	Zone *time.Location
	// Row says that the entities are the numbers of the rows, from 1, over all files, in their order; Refs is empty then.
	Row bool
	// Prefix is the wildcard whose match, and a colon, stand before the names of the entities; "" for none.
	Prefix string
	// Optional lets cells be empty: such a row has no value in this column. A date of three columns has none where one
	// of them is empty.
	Optional bool
}

// String returns the column as a recipe has it.
func (c *ColumnSpec) String() string {
	refs := make([]string, len(c.Refs))
	for i, r := range c.Refs {
		if refs[i] = r.String(); r.Header != "" && (!lex.IsName(r.Header) || !lex.IsPlain(r.Header)) {
			refs[i] = lex.Quote(r.Header)
		}
	}
	text := strings.Join(refs, ", ")
	if c.Form != "" {
		text += " as " + lex.Quote(c.Form)
	}
	text += NullsText(c.Nulls)
	switch {
	case c.Row:
		text = "#row"
	case c.Func != "":
		text = c.Func + "(" + text + ")"
	}
	if c.Prefix != "" {
		text = c.Prefix + ":" + text
	}
	if c.Optional {
		text = "optional " + text
	}
	return text
}

// NullsText returns texts that are read as empty cells as a recipe has them, behind a blank; "" for none.
func NullsText(nulls []string) (text string) {
	for i, null := range nulls {
		if i == 0 {
			text = " null"
		}
		text += " " + lex.Quote(null)
	}
	return text
}

// Encodings of text files.
const (
	EncodingLatin1  = "latin1" // as Windows has it
	EncodingUTF16LE = "utf16le"
	EncodingUTF16BE = "utf16be"
)

// IsEncoding reports whether a file may say that it is in an encoding.
func IsEncoding(name string) bool {
	return name == EncodingLatin1 || name == EncodingUTF16LE || name == EncodingUTF16BE
}

// IsForm reports whether values that a function reads may be of a form.
func IsForm(function, form string) bool {
	switch function {
	case "date", "time":
		return isotime.Form(form).Known()
	case "int", "float":
		_, ok := ParseNumberForm(form)
		return form == "" || ok
	}
	return false
}

// Condition is what the rows of a table have to meet.
type Condition struct {
	Column ColumnSpec // what is tested: a text, where Func is ""
	Test   Test
	Holds  [3]bool // of TestCompare: for values that are less than, equal to and greater than the one below
	Text   string  // to compare with a text,
	Num    int64   // an int, date or time,
	Float  float64 // a float
}

// Test is how a condition tests a cell.
type Test uint8

// The tests. The zero value is none.
const (
	TestCompare  Test = iota + 1 // compares with a value; an empty cell fails
	TestEmpty                    // the cell is empty
	TestNotEmpty                 // the cell is not empty
)

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
