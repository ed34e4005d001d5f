package tablefile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/table"
)

// maxDepth limits objects in objects.
const maxDepth = 100

// jsonFile is a text with an object on each line as a source. Its columns are the keys of all objects, those in objects as in user.id, in
// order of their first values. A null, and a key that an object lacks, is an empty cell.
type jsonFile struct {
	*scanner
	*jsonShape
	closer io.Closer
	spec   *spec
	cells  [][]byte
	set    []int // by column: the last line with a value
	text   []byte
}

// jsonShape is the columns of a file.
type jsonShape struct {
	names  []string
	column map[string]int
	unread []string // by column: the type of values that are not read, or ""
}

func openJSON(ctx context.Context, f *os.File, r *Reader, s *spec) (source, error) {
	if r.shapes == nil {
		r.shapes = map[string]*jsonShape{}
	}
	layout := table.Layout{Delimiter: table.Blanks, NoHeader: true, Encoding: s.Encoding}
	shape := r.shapes[f.Name()]
	if shape == nil { // read all of the file once for its keys
		again, err := r.open(f.Name(), s)
		if err == nil {
			shape = &jsonShape{column: map[string]int{}}
			err = shape.learn(ctx, again, layout, s)
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		r.shapes[f.Name()] = shape
	}
	return newJSON(ctx, f, layout, shape, s)
}

func newJSON(ctx context.Context, f *os.File, layout table.Layout, shape *jsonShape, s *spec) (*jsonFile, error) {
	l, err := newLines(ctx, f, layout, nil)
	if err != nil {
		return nil, err
	}
	return &jsonFile{scanner: l.scanner, jsonShape: shape, closer: l.file, spec: s}, nil
}

// learn reads a file, which it closes, for its columns.
func (shape *jsonShape) learn(ctx context.Context, f *os.File, layout table.Layout, s *spec) error {
	j, err := newJSON(ctx, f, layout, shape, s)
	if err != nil {
		return err
	}
	defer j.Close()
	for err == nil {
		_, err = j.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Columns returns the names of the columns.
func (j *jsonFile) Columns() ([]string, int) { return j.names, len(j.names) }

// Unread returns "list" for a column that has one.
func (j *jsonFile) Unread(column int) string { return j.unread[column] }

func (j *jsonFile) want(columns []int) error {
	for _, c := range columns {
		if t := j.unread[c]; t != "" {
			return j.spec.unread(j.file, j.names[c], t)
		}
	}
	return nil
}

// Needed returns the zero value.
func (j *jsonFile) Needed() table.Layout { return table.Layout{} }

// At returns the line of the object.
func (j *jsonFile) At(int) mln.Position { return j.place(j.line, 1) }

// Close closes the file.
func (j *jsonFile) Close() error { return j.closer.Close() }

// Next returns the cells of the next line.
func (j *jsonFile) Next() ([][]byte, error) {
	var line []byte
	for len(bytes.TrimSpace(line)) == 0 {
		var err error
		if line, err = j.readLine(); err != nil {
			return nil, err
		}
	}
	clear(j.cells)
	j.text = j.text[:0]
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, j.broken(d, "a line that is no JSON object")
	}
	if err := j.object(d, "", 0); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, j.broken(d, "text behind the object; write each on a line of its own")
	}
	j.widen()
	return j.cells, j.count(len(j.cells))
}

// widen makes room for the cells of all columns.
func (j *jsonFile) widen() {
	for len(j.cells) < len(j.names) {
		j.cells, j.set = append(j.cells, nil), append(j.set, 0)
	}
}

func (j *jsonFile) broken(d *json.Decoder, format string, args ...any) error {
	return fault(j.place(j.line, 1+int(d.InputOffset())), format, args...)
}

// object reads the rest of an object, the names of whose keys begin with a prefix.
func (j *jsonFile) object(d *json.Decoder, prefix string, depth int) error {
	if depth > maxDepth {
		return j.broken(d, "objects in more than %d others", maxDepth)
	}
	for {
		key, err := d.Token()
		if key == json.Delim('}') {
			return nil
		}
		var value json.Token
		if err == nil {
			value, err = d.Token()
		}
		if err != nil {
			return j.broken(d, "the object is broken: %v", err)
		}
		name := prefix + key.(string)
		switch value {
		case json.Delim('{'):
			err = j.object(d, name+".", depth+1)
		case json.Delim('['):
			if err = skipList(d); err != nil {
				err = j.broken(d, "the list is broken: %v", err)
			}
			if i, fault := j.find(d, name); fault != nil {
				err = fault
			} else {
				j.unread[i] = "list"
			}
		case nil:
		default:
			err = j.put(d, name, value)
		}
		if err != nil {
			return err
		}
	}
}

// find returns the column of a key.
func (j *jsonFile) find(d *json.Decoder, name string) (int, error) {
	i, ok := j.column[name]
	switch {
	case !ok && (len(j.names) == maxColumns || strings.ContainsRune(name, 0)):
		return 0, j.broken(d, "more than %d keys, or one with a NUL character", maxColumns)
	case !ok:
		i = len(j.names)
		j.column[name] = i
		j.names, j.unread = append(j.names, name), append(j.unread, "")
	}
	j.widen()
	return i, nil
}

// put sets the cell of a key.
func (j *jsonFile) put(d *json.Decoder, name string, value json.Token) error {
	i, err := j.find(d, name)
	if err != nil {
		return err
	}
	if j.set[i] == j.line {
		return j.broken(d, "two values of %q", clip(name))
	}
	j.set[i] = j.line
	begin := len(j.text)
	switch v := value.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return j.broken(d, "the text of %q has a NUL character; remove it", clip(name))
		}
		j.text = append(j.text, v...)
	case json.Number:
		j.text = append(j.text, v...)
	case bool:
		j.text = strconv.AppendBool(j.text, v)
	}
	j.cells[i] = j.text[begin:len(j.text):len(j.text)]
	return nil
}

// skipList reads the rest of a list.
func skipList(d *json.Decoder) error {
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
	}
	return nil
}
