package resolwe

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"resolwe/format/subgraph"
)

// maxWindow bounds the memory that an archive may ask for, as the zstd command does by default.
const maxWindow = 128 << 20

// sniff tells an .rsg stream, which may be an archive, from text. The reader that it returns begins where in did, behind
// the decompression of an archived stream; archives of text are left to package facts. path stands in errors.
func sniff(in io.Reader, path string) (r io.Reader, isStream bool, err error) {
	seen := &recorder{r: in}
	buf := bufio.NewReader(seen)
	head, err := buf.Peek(magicBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if subgraph.IsStream(head) {
		seen.stop()
		return buf, true, nil
	}
	if open := archive(head); open != nil {
		if inner, err := open(buf); err == nil {
			decoded := bufio.NewReader(&decoder{inner, path})
			if head, _ = decoded.Peek(magicBytes); subgraph.IsStream(head) {
				seen.stop()
				return decoded, true, nil
			}
		}
	}
	return seen.rewound(), false, nil
}

// magicBytes is how many bytes tell what a file is.
const magicBytes = 8

// archive returns how to open an archive that begins with head, nil where it is none.
func archive(head []byte) func(io.Reader) (io.Reader, error) {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		}
	}
	return nil
}

// recorder keeps what is read through it until it is stopped, so that it can be read again.
type recorder struct {
	r       io.Reader
	seen    bytes.Buffer
	stopped bool
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if !r.stopped {
		r.seen.Write(p[:n])
	}
	return n, err
}

func (r *recorder) stop() {
	r.stopped = true
	r.seen = bytes.Buffer{}
}

func (r *recorder) rewound() io.Reader {
	r.stopped = true
	return io.MultiReader(&r.seen, r.r)
}

// decoder marks the errors of an archive as damage.
type decoder struct {
	r    io.Reader
	path string
}

func (d *decoder) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &subgraph.CorruptError{Path: d.path, Record: -1, Section: "archive", Err: err}
	}
	return n, err
}
