// Package render draws what a stage found, one value, in each form in which people and programs read it: columns on a screen or in a file,
// JSON, CSV, and the numbers and sentences of the page.
package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Document is the result of a command, in each form in which it can be printed.
type Document struct {
	Data  any     // for programs: an Object, or a value with JSON tags
	Page  Page    // for people
	Lines [][]any // for CSV, if supported; the first line is the header
}

// JSON prints the data.
func (d *Document) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(d.Data)
}

// Text prints the page.
func (d *Document) Text(w io.Writer) error { return d.Page.Write(w) }

// CSV prints the lines, see [Lines].
func (d *Document) CSV(w io.Writer) error {
	line, end := Lines(w)
	for _, l := range d.Lines {
		line(l...)
	}
	return end()
}

// Object is a JSON object, given as alternating keys and values. Keys stay in order, a nil value is left out, and an undefined
// float is null.
type Object []any

// MarshalJSON prints the object.
func (o Object) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for pair := range slices.Chunk(o, 2) {
		if pair[1] == nil {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(strconv.AppendQuote(dst, pair[0].(string)), ':')
		switch v := pair[1].(type) {
		case int:
			dst = strconv.AppendInt(dst, int64(v), 10)
		case bool:
			dst = strconv.AppendBool(dst, v)
		case float64:
			dst = Number(v).AppendJSON(dst)
		default:
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(v); err != nil {
				return nil, err
			}
			dst = append(dst, bytes.TrimSpace(b.Bytes())...)
		}
	}
	return append(dst, '}'), nil
}

// Null is a value that is present and null.
var Null = json.RawMessage("null")

// Objects returns the objects of a list.
func Objects[T any](list []T, object func(*T) Object) []Object {
	out := make([]Object, len(list))
	for i := range list {
		out[i] = object(&list[i])
	}
	return out
}

// OrNothing returns a value for an object, or nil, which the object leaves out, if it is zero.
func OrNothing[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// ListOrNothing returns a list for an object, or nil, which the object leaves out, if it is empty.
func ListOrNothing[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// Lines returns a function that writes a line of values as CSV, with nothing for nil and for an undefined float, and a function
// that ends the output and returns the first error.
func Lines(w io.Writer) (line func(values ...any), end func() error) {
	out := csv.NewWriter(w)
	var cells []string
	line = func(values ...any) {
		cells = cells[:0]
		for _, c := range values {
			text := ""
			switch v := c.(type) {
			case nil:
			case string:
				text = v
			case int:
				text = strconv.Itoa(v)
			case float64:
				if !Number(v).Undefined() {
					text = Number(v).Text('g', -1)
				}
			default:
				text = fmt.Sprint(v)
			}
			cells = append(cells, text)
		}
		_ = out.Write(cells) // Error returns it
	}
	return line, func() error {
		out.Flush()
		return out.Error()
	}
}

// Page is text for people: strings of prose, tables, and plain or hanging lines.
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
			err = Paragraph(w, part)
		case Plain:
			_, err = io.WriteString(w, string(part))
		case Hanging:
			err = Hang(w, part.Lead, part.Text)
		case *Table:
			err = part.Write(w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
