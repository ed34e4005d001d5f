package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"resolwe/cmd/internal/console"
)

// Document is what a command found, once for each way to print it.
type Document struct {
	Data  any     // for programs: an Object, or what has tags of JSON
	Page  Page    // for people
	Lines [][]any // for CSV, where there is that; the header is the first one
}

// JSON prints the data.
func (d *Document) JSON(w io.Writer) error { return JSON(w, d.Data) }

// Text prints the page.
func (d *Document) Text(w io.Writer) error { return d.Page.Write(w) }

// CSV prints the lines.
func (d *Document) CSV(w io.Writer) error { return CSV(w, d.Lines...) }

// Seconds are how long a command took. They are on its page, and in its data only where these may differ from run to run.
type Seconds struct {
	Taken  float64
	InData bool
}

// Data is a value for an object, which leaves it out where it may not be there.
func (s Seconds) Data() any {
	if !s.InData {
		return nil
	}
	return s.Taken
}

// Object is a JSON object: keys and values by turns. The keys stay in order, a nil value is left out, and a float that is
// undefined is null.
type Object []any

// MarshalJSON prints the object.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	lead := byte('{')
	for pair := range slices.Chunk(o, 2) {
		if pair[1] == nil {
			continue
		}
		for k, v := range pair {
			if f, ok := v.(float64); ok {
				v = Number(f)
			}
			b.WriteByte([...]byte{lead, ':'}[k])
			if err := enc.Encode(v); err != nil {
				return nil, err
			}
			b.Truncate(b.Len() - 1) // the end of the line
		}
		lead = ','
	}
	if lead == '{' {
		b.WriteByte(lead)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Null is a value that is there, and null.
var Null = json.RawMessage("null")

// Objects returns the objects of a list.
func Objects[T any](list []T, object func(*T) Object) []Object {
	out := make([]Object, len(list))
	for i := range list {
		out[i] = object(&list[i])
	}
	return out
}

// OrNothing returns a value for an object, which leaves it out where it is zero.
func OrNothing[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// ListOrNothing returns a list for an object, which leaves it out where it is empty.
func ListOrNothing[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// JSON writes a value as JSON.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// CSV writes lines of values, nothing for nil and for a float that is undefined.
func CSV(w io.Writer, lines ...[]any) error {
	out := csv.NewWriter(w)
	for _, line := range lines {
		cells := make([]string, len(line))
		for i, c := range line {
			switch v, ok := c.(float64); {
			case ok && !Number(v).Undefined():
				cells[i] = Number(v).Text('g', -1)
			case !ok && c != nil:
				cells[i] = fmt.Sprint(c)
			}
		}
		_ = out.Write(cells) // Error has it
	}
	out.Flush()
	return out.Error()
}

// Page is text for people: strings, which are prose, tables, and lines as they are or hanging.
type Page []any

type (
	// Plain is text that is not wrapped.
	Plain string
	// Hanging is a line whose text is wrapped under itself.
	Hanging struct{ Lead, Text string }
)

// Write prints the page.
func (p Page) Write(w io.Writer) (err error) {
	for _, part := range p {
		switch part := part.(type) {
		case string:
			err = console.Paragraph(w, part)
		case Plain:
			_, err = io.WriteString(w, string(part))
		case Hanging:
			err = console.Hang(w, part.Lead, part.Text)
		case *Table:
			err = part.Write(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
