package mediawiki

import (
	"bufio"
	"bytes"
	"io"

	"resolwe/internal/atomicfile"
)

// rows writes lines of tab-separated fields, which contain neither tabs nor line breaks.
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

// delayed stores rows until it is known which of them are wanted.
type delayed struct {
	rows
	spool  atomicfile.Spool
	buffer *bufio.Writer
}

func newDelayed() *delayed {
	d := &delayed{}
	d.buffer = bufio.NewWriterSize(&d.spool, readSize)
	d.w = d.buffer
	return d
}

// replay calls each for the rows in order. Their fields are valid during the call.
func (d *delayed) replay(check func() error, each func(fields [][]byte) error) error {
	if err := d.buffer.Flush(); err != nil {
		return err
	}
	lines := bufio.NewScanner(d.spool.Reader())
	lines.Buffer(nil, 4*maxText)
	for lines.Scan() {
		if err := check(); err != nil {
			return err
		}
		if err := each(bytes.Split(lines.Bytes(), []byte("\t"))); err != nil {
			return err
		}
	}
	return lines.Err()
}
