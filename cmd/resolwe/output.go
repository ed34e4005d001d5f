package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
	"resolwe/internal/spool"
)

// results runs write, and hands what it wrote to standard output only when all of it is there.
func (e *environment) results(write func(io.Writer) error) (err error) {
	var s spool.Spool
	defer func() { err = errors.Join(err, s.Close()) }()
	w := bufio.NewWriter(&s)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.endProgress()
	_, err = s.WriteTo(e.stdout)
	return err
}

// json writes a value as JSON to standard output.
func (e *environment) json(v any) error {
	return e.results(func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(v)
	})
}

// list writes what walk adds as a JSON array to standard output, one element a line. It need not be held in memory.
func (e *environment) list(walk func(add func(any) error) error) error {
	return e.results(func(w io.Writer) error {
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
	})
}

// output is a file that a command writes; it appears complete or not at all. The zero value is none.
type output struct{ file *atomicfile.File }

// create opens an output before any work starts, so that a path that cannot be written is found first. No path gives no
// output. It must not be one of the inputs.
func (e *environment) create(path string, inputs []string) (output, error) {
	if path == "" {
		return output{}, nil
	}
	if err := atomicfile.SameFile(path, inputs); err != nil {
		return output{}, err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return output{}, pathError(path, err)
	}
	e.opened(f.Abort)
	return output{f}, nil
}

// write writes the file.
func (o output) write(write func(io.Writer) error) error {
	if o.file == nil {
		return nil
	}
	if err := write(o.file); err != nil {
		return err
	}
	return o.file.Commit()
}

// abort leaves nothing of a file that was not written to its end.
func (o output) abort() {
	if o.file != nil {
		o.file.Abort()
	}
}

// resultArgs say how results are printed.
type resultArgs struct {
	JSON    bool `help:"Print JSON." name:"json" xor:"form"`
	Timings bool `help:"Put seconds into what is printed for machines, which is else the same in every run."`
}

// stopwatch measures the seconds of a command.
type stopwatch struct{ start time.Time }

func startWatch() stopwatch { return stopwatch{time.Now()} }

func (s stopwatch) seconds() float64 { return time.Since(s.start).Seconds() }

// timed returns the seconds where JSON is to have them, else nil.
func (a *resultArgs) timed(s stopwatch) *number {
	if !a.Timings {
		return nil
	}
	n := number(s.seconds())
	return &n
}

// number is a float that is null in JSON, and a dash in text, where it is undefined.
type number float64

func (n number) undefined() bool { return math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) }

// MarshalJSON prints the number.
func (n number) MarshalJSON() ([]byte, error) {
	if n.undefined() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String prints the number for people.
func (n number) String() string { return n.text('f', 4) }

// text prints the number as strconv.FormatFloat does.
func (n number) text(format byte, precision int) string {
	if n.undefined() {
		return "-"
	}
	return strconv.FormatFloat(float64(n), format, precision, 64)
}

// table is text in columns. Columns are aligned as the letters say, l to the left and r to the right.
type table struct {
	columns string
	rows    [][]string
}

func newTable(columns string, header ...string) *table {
	return &table{columns, [][]string{header}}
}

// row adds a row.
func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// write prints the table, without white space at the ends of lines.
func (t *table) write(w io.Writer) error {
	widths := make([]int, len(t.columns))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if t.columns[i] == 'r' {
				c, pad = pad+c, ""
			}
			line.WriteString(c + pad + "  ")
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// streamArgs are an output stream on the command line.
type streamArgs struct {
	Output string `help:"Stream to write (.rsg); - for standard output." short:"o" required:"" placeholder:"STREAM.rsg"`
	Zstd   bool   `help:"Compress, for archives: such a stream is decoded, not mapped."`
}

// stream writes a binary stream, which fill fills with subgraphs.
func (a *streamArgs) stream(e *environment, m *resolwe.Model, inputs []string, fill func(*subgraph.Writer) error) error {
	write := func(w io.Writer) error {
		out, err := subgraph.NewWriter(w, m.Schema, subgraph.WriterOptions{Zstd: a.Zstd})
		if err != nil {
			return err
		}
		if err := fill(out); err != nil {
			return err
		}
		return out.Close()
	}
	if a.Output == "-" {
		w := bufio.NewWriterSize(e.stdout, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	out, err := e.create(a.Output, append(m.Files(), inputs...))
	if err != nil {
		return err
	}
	defer out.abort()
	return out.write(write)
}
