package mediawiki

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"

	"resolwe/internal/atomicfile"
	"resolwe/internal/spool"
)

// rows writes lines of fields with tabs between them, which hold neither tabs nor line ends.
type rows struct {
	w    io.Writer
	line []byte
	n    int64 // lines
}

func (r *rows) write(fields ...[]byte) error {
	r.line = r.line[:0]
	for _, f := range fields {
		r.line = append(append(r.line, f...), '\t')
	}
	r.line[len(r.line)-1] = '\n'
	r.n++
	_, err := r.w.Write(r.line)
	return err
}

// outputs are the tables that are being written.
type outputs struct {
	dir   string
	made  bool // the folder was not there
	files []*atomicfile.File
}

func openOutputs(dir string) (*outputs, error) {
	err := os.Mkdir(dir, 0o755) //nolint:gosec // tables are for everyone whom the umask lets
	if err != nil && !os.IsExist(err) {
		return nil, err
	}
	return &outputs{dir: dir, made: err == nil}, nil
}

// create starts a table.
func (o *outputs) create(name, header string, inputs []string) (*rows, error) {
	path := filepath.Join(o.dir, name)
	if err := atomicfile.SameFile(path, inputs); err != nil {
		return nil, err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	o.files = append(o.files, f)
	_, err = io.WriteString(f, header+"\n")
	return &rows{w: f}, err
}

func (o *outputs) commit() error {
	for _, f := range o.files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	o.made = false
	return nil
}

// abort gives up what was not committed.
func (o *outputs) abort() {
	for _, f := range o.files {
		f.Abort()
	}
	if o.made {
		_ = os.Remove(o.dir) // stays where something is in it
	}
}

// delayed keeps rows back until it is known which of them are wanted.
type delayed struct {
	rows
	spool  spool.Spool
	buffer *bufio.Writer
}

func newDelayed() *delayed {
	d := &delayed{}
	d.buffer = bufio.NewWriterSize(&d.spool, readSize)
	d.w = d.buffer
	return d
}

// replay hands the rows out in order. Their fields are valid during the call.
func (d *delayed) replay(check func() error, each func(fields [][]byte) error) error {
	if err := d.buffer.Flush(); err != nil {
		return err
	}
	_, err := d.spool.WriteTo(&splitter{check: check, each: each})
	return err
}

// splitter splits what is written to it into rows.
type splitter struct {
	check  func() error // says when to stop
	each   func(fields [][]byte) error
	part   []byte // of a row that was not written to its end
	fields [][]byte
}

func (s *splitter) Write(p []byte) (int, error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	for rest := p; ; {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			s.part = append(s.part, rest...)
			return len(p), nil
		}
		if len(s.part) > 0 {
			s.part = append(s.part, line...)
			line = s.part
		}
		s.fields = s.fields[:0]
		for f := range bytes.SplitSeq(line, []byte("\t")) {
			s.fields = append(s.fields, f)
		}
		if err := s.each(s.fields); err != nil {
			return 0, err
		}
		s.part, rest = s.part[:0], after
	}
}
