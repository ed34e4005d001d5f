package tablewrite

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// jsonWriter writes JSON.
type jsonWriter struct {
	out   *bufio.Writer
	names [][]byte // of the members, quoted
	lead  string   // of the next row
	line  []byte
}

func newJSON(w io.Writer, columns []Column) *jsonWriter {
	j := &jsonWriter{out: bufio.NewWriter(w), lead: "[\n "}
	for _, c := range columns {
		j.names = append(j.names, appendString(nil, c.Name))
	}
	return j
}

func (j *jsonWriter) row(cells []Cell) error {
	j.line = append(j.line[:0], j.lead...)
	j.lead = ",\n "
	between := byte('{')
	for i, c := range cells {
		j.line = append(append(append(j.line, between), j.names[i]...), ':')
		j.line = c.appendJSON(j.line)
		between = ','
	}
	j.line = append(j.line, '}')
	_, err := j.out.Write(j.line)
	return err
}

// appendJSON appends a cell; a number that is none is null.
func (c Cell) appendJSON(dst []byte) []byte {
	switch {
	case c.kind == Text:
		return appendString(dst, c.text)
	case c.kind == Real && !math.IsInf(c.real, 0):
		return appendReal(dst, c.real)
	case c.kind == Whole:
		return strconv.AppendInt(dst, c.whole, 10)
	case c.kind == Day, c.kind == Moment:
		return appendString(dst, c.iso())
	case c.kind == Truth:
		return strconv.AppendBool(dst, c.whole == 1)
	}
	return append(dst, "null"...)
}

func appendString(dst []byte, s string) []byte {
	b, _ := json.Marshal(s) //nolint:errchkjson // text always has a JSON form
	return append(dst, b...)
}

func (j *jsonWriter) close() error {
	end := "\n]\n"
	if j.lead[0] == '[' {
		end = "[]\n"
	}
	_, _ = j.out.WriteString(end) // Flush has the error
	return j.out.Flush()
}
