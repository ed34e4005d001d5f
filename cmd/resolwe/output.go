package main

import (
	"bufio"
	"errors"
	"io"
	"time"

	"resolwe"
	"resolwe/cmd/internal/report"
	"resolwe/cmd/internal/terminal"
	"resolwe/format/rsg"
	"resolwe/internal/atomicfile"
)

// results runs write, and hands what it wrote to standard output only when all of it is there.
func (e *environment) results(write func(io.Writer) error) (err error) {
	var s atomicfile.Spool
	defer func() { err = errors.Join(err, s.Close()) }()
	w := bufio.NewWriter(&s)
	page, stdout := terminal.Through(e.stdout, w)
	if err := write(page); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.endProgress()
	r, err := s.Reader()
	if err != nil {
		return err
	}
	_, err = io.Copy(stdout, r)
	return err
}

// json writes a value as JSON to standard output.
func (e *environment) json(v any) error {
	return e.results(func(w io.Writer) error { return report.JSON(w, v) })
}

// list writes what walk adds as a JSON array to standard output, see report.List.
func (e *environment) list(walk func(add func(any) error) error) error {
	return e.results(func(w io.Writer) error { return report.List(w, walk) })
}

// output is a file that a command writes; it appears complete or not at all. The zero value is none.
type output struct{ file *atomicfile.File }

// create opens an output before any work starts, so that a path that cannot be written is found first. No path gives no
// output. It must not be one of the inputs, nor another output.
func (e *environment) create(path string) (output, error) {
	if path == "" {
		return output{}, nil
	}
	if err := e.Writes(path); err != nil {
		return output{}, err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return output{}, pathError(path, err)
	}
	e.opened(f.Discard)
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
type number = report.Number

// newTable begins a table, see report.NewTable.
func newTable(columns string, header ...string) *report.Table {
	return report.NewTable(columns, header...)
}

// streamArgs are an output stream on the command line.
type streamArgs struct {
	Output string `help:"Stream to write (.rsg); - for standard output." short:"o" required:"" placeholder:"STREAM.rsg"`
	Zstd   bool   `help:"Compress, for archives: such a stream is decoded, not mapped."`
}

// stream writes a binary stream, which fill fills with subgraphs.
func (a *streamArgs) stream(e *environment, m *resolwe.Model, fill func(*rsg.Writer) error) error {
	write := func(w io.Writer) error {
		out, err := rsg.NewWriter(w, m.Schema, rsg.WriterOptions{Zstd: a.Zstd})
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
	out, err := e.create(a.Output)
	if err != nil {
		return err
	}
	defer out.abort()
	return out.write(write)
}
