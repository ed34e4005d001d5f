// Package tableschema reads and writes schema.json, which declares the columns, keys and references of the tables in its folder.
// docs/import.md describes it.
package tableschema

import (
	"cmp"
	"encoding/json"
	"io"

	"resolwe/format/lex"
)

// File is the name of the file, beside the tables.
const File = "schema.json"

// Schema declares tables. Those that a folder has besides are undescribed.
type Schema struct {
	Tables []*Table `json:"tables"`

	sources lex.Sources
}

// Table declares a table.
type Table struct {
	Name        Name         `json:"name"`
	File        string       `json:"file,omitempty"` // in the folder; "" for the file that is called as the table
	Comment     string       `json:"comment,omitempty"`
	Columns     []*Column    `json:"columns,omitempty"`
	PrimaryKey  []Name       `json:"primary_key,omitempty"`
	UniqueKeys  [][]Name     `json:"unique_keys,omitempty"`
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`
}

// Column declares a column.
type Column struct {
	Name     Name   `json:"name"`
	Type     Type   `json:"type,omitempty"` // "" if unsaid
	Nullable bool   `json:"nullable"`       // a hand-written file may leave it out: nothing depends on it
	Comment  string `json:"comment,omitempty"`
}

// ForeignKey says that columns hold the values that others have in a row of a table.
type ForeignKey struct {
	Columns    []Name `json:"columns"`
	Table      Name   `json:"table"`
	References []Name `json:"references,omitempty"` // as many; none for the primary key of the table
}

// Type is what the cells of a column hold.
type Type string

// The types.
const (
	Integer   Type = "integer"
	Number    Type = "number" // a decimal number
	Text      Type = "text"
	Boolean   Type = "boolean"
	Date      Type = "date"
	Time      Type = "time" // of a day
	Timestamp Type = "timestamp"
)

var types = []string{string(Integer), string(Number), string(Text), string(Boolean), string(Date), string(Time), string(Timestamp)}

// Name is a name, and where it stands in the file.
type Name struct {
	Text string
	At   lex.Position
}

// MarshalText returns the name.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.Text), nil }

// Names returns names that stand nowhere.
func Names(texts ...string) []Name {
	out := make([]Name, len(texts))
	for i, text := range texts {
		out[i].Text = text
	}
	return out
}

// Write writes a schema.
func (s *Schema) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(s)
}

// Error is an error in a schema, which Fault places.
type Error struct{ lex.Fault }

// Unknown returns the error that a name is none of some.
func (s *Schema) Unknown(name Name, among []string, format string, args ...any) error {
	return &Error{s.sources.Near(name.Text, among, name.At, format, args...)}
}

// Wrong returns an error about a name.
func (s *Schema) Wrong(name Name, format string, args ...any) error {
	return &Error{s.sources.At(name.At, format, args...)}
}

// Is reports whether a table is that of a file, or is called so if it names none.
func (t *Table) Is(file, name string) bool {
	if t.File != "" {
		return t.File == file
	}
	return t.Name.Text == name || t.Name.Text == file
}

// FileOrName returns the name by which a table is found.
func (t *Table) FileOrName() string { return cmp.Or(t.File, t.Name.Text) }

// References returns the columns of a table to which foreign keys refer, in order.
func (s *Schema) References(t *Table) (keys [][]Name) {
	for _, other := range s.Tables {
		for _, f := range other.ForeignKeys {
			if f.Table.Text == t.Name.Text && f.References != nil {
				keys = append(keys, f.References)
			}
		}
	}
	return keys
}

// Column returns the declaration of a column, nil if there is none, or no table.
func (t *Table) Column(name string) *Column {
	if t == nil {
		return nil
	}
	for _, c := range t.Columns {
		if c.Name.Text == name {
			return c
		}
	}
	return nil
}
