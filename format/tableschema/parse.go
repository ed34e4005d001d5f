package tableschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"resolwe/format/lex"
)

// MaxSize is the largest size of a schema, in bytes.
const MaxSize = 16 << 20

// Parse reads a schema. The error is an *[Error] with the position of what is wrong. Tables have names that differ, and so have the
// columns of each; of a foreign key, columns and references are as many. Whether they exist is for the caller to check.
func Parse(file string, data []byte) (*Schema, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &reader{file: file, data: data, tokens: json.NewDecoder(bytes.NewReader(data)), schema: &Schema{Tables: []*Table{}, sources: lex.Sources{}}, tables: map[string]bool{}, lines: []int{0}}
	if len(data) > MaxSize {
		return nil, r.wrong(0, "it is larger than %d MiB", MaxSize>>20)
	}
	r.schema.sources.Add(file, string(data))
	for i, b := range data {
		if b == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
	if err := r.read(); err != nil {
		return nil, err
	}
	if _, err := r.tokens.Token(); !errors.Is(err, io.EOF) {
		return nil, r.wrong(r.next(), "nothing may follow the description of the tables")
	}
	return r.schema, nil
}

// reader reads a schema token by token.
type reader struct {
	file   string
	data   []byte
	tokens *json.Decoder
	schema *Schema
	lines  []int           // offsets of their beginnings
	tables map[string]bool // by name
}

// member reads a member of an object.
type member struct {
	name string
	read func() error
}

func (r *reader) read() error {
	return r.object("a schema is an object with the list of tables", []member{{"tables", func() error {
		return r.list("tables", func() error {
			t := &Table{}
			r.schema.Tables = append(r.schema.Tables, t)
			return r.table(t)
		})
	}}})
}

func (r *reader) table(t *Table) error {
	at, columns := r.next(), map[string]bool{}
	err := r.object("a table is an object with a name", []member{
		{"name", r.nameInto(&t.Name)},
		{"file", r.textInto(&t.File)},
		{"comment", r.textInto(&t.Comment)},
		{"columns", func() error {
			return r.list("columns", func() error {
				t.Columns = append(t.Columns, &Column{})
				return r.column(t.Columns[len(t.Columns)-1], columns)
			})
		}},
		{"primary_key", r.namesInto(&t.PrimaryKey)},
		{"unique_keys", func() error {
			return r.list("keys, each a list of columns", func() error {
				t.UniqueKeys = append(t.UniqueKeys, nil)
				return r.namesInto(&t.UniqueKeys[len(t.UniqueKeys)-1])()
			})
		}},
		{"foreign_keys", func() error {
			return r.list("foreign keys", func() error {
				t.ForeignKeys = append(t.ForeignKeys, ForeignKey{})
				return r.foreignKey(&t.ForeignKeys[len(t.ForeignKeys)-1])
			})
		}},
	})
	switch {
	case err != nil:
		return err
	case t.Name.At == lex.Position{}:
		return r.wrong(at, "the table has no name")
	case r.tables[t.Name.Text]:
		return r.schema.Wrong(t.Name, "table %q is declared twice", t.Name.Text)
	}
	r.tables[t.Name.Text] = true
	return nil
}

// column reads a column of a table that has some already.
func (r *reader) column(c *Column, others map[string]bool) error {
	at := r.next()
	err := r.object("a column is an object with a name", []member{
		{"name", r.nameInto(&c.Name)},
		{"type", func() error {
			var name Name
			if err := r.nameInto(&name)(); err != nil {
				return err
			}
			if c.Type = Type(name.Text); !slices.Contains(types, name.Text) {
				return r.schema.Unknown(name, types, "there is no type %q: it is integer, number, text, boolean, date, time or timestamp", name.Text)
			}
			return nil
		}},
		{"nullable", func() error {
			at := r.next()
			token, err := r.token()
			is, ok := token.(bool)
			if c.Nullable = is; err == nil && !ok {
				err = r.wrong(at, "nullable is true or false")
			}
			return err
		}},
		{"comment", r.textInto(&c.Comment)},
	})
	switch {
	case err != nil:
		return err
	case c.Name.At == lex.Position{}:
		return r.wrong(at, "the column has no name")
	case others[c.Name.Text]:
		return r.schema.Wrong(c.Name, "column %q is declared twice", c.Name.Text)
	}
	others[c.Name.Text] = true
	return nil
}

func (r *reader) foreignKey(f *ForeignKey) error {
	at := r.next()
	err := r.object("a foreign key is an object with columns and the table to which they refer", []member{
		{"columns", r.namesInto(&f.Columns)},
		{"table", r.nameInto(&f.Table)},
		{"references", r.namesInto(&f.References)},
	})
	switch {
	case err != nil:
		return err
	case f.Table.At == lex.Position{} || len(f.Columns) == 0:
		return r.wrong(at, "a foreign key has columns and the table to which they refer")
	case f.References != nil && len(f.References) != len(f.Columns):
		return r.wrong(at, "a foreign key refers to as many columns as it has")
	}
	return nil
}

// object reads an object, whose members have readers.
func (r *reader) object(what string, members []member) error {
	at := r.next()
	token, err := r.token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return r.wrong(at, "%s", what)
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	seen := map[string]bool{}
	for r.tokens.More() {
		var name Name
		if err := r.nameInto(&name)(); err != nil {
			return err
		}
		i := slices.Index(names, name.Text)
		if i < 0 {
			return r.schema.Unknown(name, names, "%s has no meaning here", name.Text)
		}
		if seen[name.Text] {
			return r.schema.Wrong(name, "%s stands twice", name.Text)
		}
		seen[name.Text] = true
		if err := members[i].read(); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// list reads a list.
func (r *reader) list(what string, item func() error) error {
	at := r.next()
	token, err := r.token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return r.wrong(at, "a list of %s is missing", what)
	}
	for r.tokens.More() {
		if err := item(); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

func (r *reader) nameInto(name *Name) func() error {
	return func() error {
		at := r.next()
		token, err := r.token()
		if err != nil {
			return err
		}
		text, ok := token.(string)
		if !ok {
			return r.wrong(at, "a text is missing")
		}
		*name = Name{text, r.position(at)}
		return nil
	}
}

func (r *reader) textInto(text *string) func() error {
	return func() error {
		var name Name
		err := r.nameInto(&name)()
		*text = name.Text
		return err
	}
}

func (r *reader) namesInto(names *[]Name) func() error {
	return func() error {
		*names = []Name{}
		return r.list("columns", func() error {
			var name Name
			err := r.nameInto(&name)()
			*names = append(*names, name)
			return err
		})
	}
}

// token returns the next token.
func (r *reader) token() (json.Token, error) {
	at := r.next()
	token, err := r.tokens.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, r.wrong(len(r.data), "it ends too early")
	case err != nil:
		return nil, r.wrong(at, "it is not JSON: %v", err)
	}
	return token, nil
}

// next returns the offset of the next token.
func (r *reader) next() int {
	at := int(r.tokens.InputOffset())
	return at + len(r.data[at:]) - len(bytes.TrimLeft(r.data[at:], " \t\r\n,:"))
}

func (r *reader) position(at int) lex.Position {
	line, begins := slices.BinarySearch(r.lines, at)
	if begins {
		line++
	}
	return lex.Position{File: r.file, Line: line, Column: 1 + utf8.RuneCount(r.data[r.lines[line-1]:at])}
}

func (r *reader) wrong(at int, format string, args ...any) error {
	return r.schema.Wrong(Name{At: r.position(at)}, format, args...)
}
