package report

import (
	"encoding/json"
	"io"
	"strings"
)

// JSON writes a value as JSON.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(v)
}

// appender appends itself as compact JSON.
type appender interface {
	appendJSON(dst []byte) ([]byte, error)
}

// List writes what walk adds as a JSON array, one element a line. It need not be held in memory.
func List(w io.Writer, walk func(add func(any) error) error) error {
	lead := "[\n "
	var line []byte
	err := walk(func(v any) (err error) {
		line = append(line[:0], lead...)
		if a, ok := v.(appender); ok {
			line, err = a.appendJSON(line)
		} else {
			line, err = appendJSON(line, v)
		}
		if err != nil {
			return err
		}
		lead = ",\n "
		_, err = w.Write(line)
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

func appendJSON(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	return append(dst, b...), err
}

// appendText appends text as a JSON string.
func appendText(dst, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c > '~' || strings.IndexByte("\"\\<>&", c) >= 0 {
			b, _ := json.Marshal(string(text)) //nolint:errchkjson // text always has a JSON form
			return append(dst, b...)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}
