package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/cmd/internal/report"
	"resolwe/format/rsg"
	"resolwe/internal/atomicfile"
	"resolwe/internal/render"
)

// usageError is an error of usage that only the command line can detect.
type usageError = console.UsageError

// results runs write, and copies its output to standard output only when it is complete.
func (e *environment) results(write func(io.Writer) error) (err error) {
	var s atomicfile.Spool
	defer func() { err = errors.Join(err, s.Close()) }()
	w := bufio.NewWriter(&s)
	page, stdout := render.Through(e.stdout, w)
	if err := write(page); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.endProgress()
	_, err = io.Copy(stdout, s.Reader())
	return err
}

// text prints text to standard output.
func (e *environment) text(s string) error {
	return e.results(func(w io.Writer) error { _, err := io.WriteString(w, s); return err })
}

// print prints a document to standard output.
func (e *environment) print(asJSON bool, d *render.Document) error {
	if asJSON {
		return e.results(d.JSON)
	}
	return e.results(d.Text)
}

// output is a file that a command writes. It appears complete or not at all, because the environment discards files that were not
// written to the end. The zero value is no file.
type output struct{ file *atomicfile.File }

// create opens an output before any work starts, so that a path that cannot be written is found early. An empty path gives no
// output. The output must not be an input or another output; see Paths.Writes for the extensions.
func (e *environment) create(path string, extensions ...string) (output, error) {
	if path == "" {
		return output{}, nil
	}
	if err := e.Writes(path, extensions...); err != nil {
		return output{}, err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return output{}, pathError(path, err)
	}
	e.opened(f.Discard)
	e.atEnd(f.Abort)
	return output{f}, nil
}

// formats are extensions that promise a format.
var formats = []string{".bz2", ".csv", ".db", ".gz", ".html", ".json", ".jsonl", ".mln", ".parquet", ".pdf", ".rsg", ".tsv", ".zst"}

// createLike is create for a format that names often do not show: they must not promise another one than the extension does.
func (e *environment) createLike(extension, path string) (output, error) {
	out, err := e.create(path)
	if ext := strings.ToLower(filepath.Ext(path)); err == nil && ext != extension && slices.Contains(formats, ext) {
		err = usageError(fmt.Sprintf("output %s: a name in %s promises another format: end it in %s", path, ext, extension))
	}
	return out, err
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

// resultArgs say how results are printed.
type resultArgs = report.Args

// streamArgs are an output stream on the command line.
type streamArgs struct {
	Output string `help:"Stream to write (.rsg); - for standard output." short:"o" required:"" placeholder:"STREAM.rsg"`
}

// stream writes a binary stream, which fill fills with subgraphs.
func (a *streamArgs) stream(e *environment, m *resolwe.Model, opt rsg.WriterOptions, fill func(*rsg.Writer) error) error {
	write := func(w io.Writer) error {
		out, err := rsg.NewWriter(w, m.Schema, opt)
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
	out, err := e.createLike(".rsg", a.Output)
	if err != nil {
		return err
	}
	return out.write(write)
}
