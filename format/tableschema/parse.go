package tableschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
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
	if err := r.value(reflect.ValueOf(r.schema).Elem()); err != nil {
		return nil, err
	}
	if _, err := r.tokens.Token(); !errors.Is(err, io.EOF) {
		return nil, r.wrong(r.next(), "nothing may follow the description of the tables")
	}
	return r.schema, nil
}

// reader reads a schema token by token, as the fields of its types say it.
type reader struct {
	file    string
	data    []byte
	tokens  *json.Decoder
	schema  *Schema
	lines   []int           // offsets of their beginnings
	tables  map[string]bool // by name
	columns map[string]bool // of the table
}

// meanings say what objects are, and what lists hold.
var meanings = map[reflect.Type]string{
	reflect.TypeFor[Schema]():       "a schema is an object with the list of tables",
	reflect.TypeFor[Table]():        "a table is an object with a name",
	reflect.TypeFor[Column]():       "a column is an object with a name",
	reflect.TypeFor[ForeignKey]():   "a foreign key is an object with columns and the table to which they refer",
	reflect.TypeFor[[]*Table]():     "tables",
	reflect.TypeFor[[]*Column]():    "columns",
	reflect.TypeFor[[]Name]():       "columns",
	reflect.TypeFor[[][]Name]():     "keys, each a list of columns",
	reflect.TypeFor[[]ForeignKey](): "foreign keys",
}

// value reads a value.
func (r *reader) value(v reflect.Value) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		return r.value(v.Elem())
	}
	at := r.next()
	token, err := r.token()
	if err != nil {
		return err
	}
	text, isText := token.(string)
	switch to := v.Addr().Interface().(type) {
	case *bool:
		is, ok := token.(bool)
		if *to = is; !ok {
			return r.wrong(at, "nullable is true or false")
		}
		return nil
	case *Name, *string, *Type:
		if !isText {
			return r.wrong(at, "a text is missing")
		}
	}
	switch to := v.Addr().Interface().(type) {
	case *Name:
		*to = Name{text, r.position(at)}
	case *string:
		*to = text
	case *Type:
		if *to = Type(text); !slices.Contains(types, text) {
			return r.schema.Unknown(Name{text, r.position(at)}, types, "there is no type %q: it is integer, number, text, boolean, date, time or timestamp", text)
		}
	default:
		if v.Kind() == reflect.Slice {
			return r.list(v, at, token)
		}
		return r.object(v, at, token)
	}
	return nil
}

// list reads a list that begins with a token.
func (r *reader) list(v reflect.Value, at int, token json.Token) error {
	if token != json.Delim('[') {
		return r.wrong(at, "a list of %s is missing", meanings[v.Type()])
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for r.tokens.More() {
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		if err := r.value(v.Index(v.Len() - 1)); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// object reads an object that begins with a token.
func (r *reader) object(v reflect.Value, at int, token json.Token) error {
	if token != json.Delim('{') {
		return r.wrong(at, "%s", meanings[v.Type()])
	}
	if v.Type() == reflect.TypeFor[Table]() {
		r.columns = map[string]bool{}
	}
	fields, names := map[string]reflect.Value{}, []string(nil)
	for field, value := range v.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			fields[name], names = value, append(names, name)
		}
	}
	seen := map[string]bool{}
	for r.tokens.More() {
		var name Name
		if err := r.value(reflect.ValueOf(&name).Elem()); err != nil {
			return err
		}
		field, ok := fields[name.Text]
		switch {
		case !ok:
			return r.schema.Unknown(name, names, "%s has no meaning here", name.Text)
		case seen[name.Text]:
			return r.schema.Wrong(name, "%s stands twice", name.Text)
		}
		seen[name.Text] = true
		if err := r.value(field); err != nil {
			return err
		}
	}
	if _, err := r.token(); err != nil {
		return err
	}
	switch x := v.Addr().Interface().(type) {
	case *Table:
		return r.named(at, "table", x.Name, r.tables)
	case *Column:
		return r.named(at, "column", x.Name, r.columns)
	case *ForeignKey:
		switch {
		case x.Table.At == lex.Position{} || len(x.Columns) == 0:
			return r.wrong(at, "a foreign key has columns and the table to which they refer")
		case x.References != nil && len(x.References) != len(x.Columns):
			return r.wrong(at, "a foreign key refers to as many columns as it has")
		}
	}
	return nil
}

// named checks that an object has a name, which no other has.
func (r *reader) named(at int, what string, name Name, others map[string]bool) error {
	switch {
	case name.At == lex.Position{}:
		return r.wrong(at, "the %s has no name", what)
	case others[name.Text]:
		return r.schema.Wrong(name, "%s %q is declared twice", what, name.Text)
	}
	others[name.Text] = true
	return nil
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
