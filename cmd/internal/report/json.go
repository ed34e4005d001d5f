package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// JSON writes a value as JSON.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// List writes what walk adds as a JSON array, one element a line. It need not be held in memory.
func List(w io.Writer, walk func(add func(any) error) error) error {
	lead := "[\n "
	err := walk(func(v any) error {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s%s", lead, b)
		lead = ",\n "
		return err
	})
	if err != nil {
		return err
	}
	text := "\n]\n"
	if lead[0] == '[' {
		text = "[]\n"
	}
	_, err = io.WriteString(w, text)
	return err
}
