package input

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	headSize  = 10
	maxWindow = 128 << 20 // maximum window in bytes that an archive may request; the zstd command's default
)

// Unpack returns a reader of the contents of in if it is a gzip, zstd or bzip2 archive of one file, recognised by its first bytes
// and not by name; otherwise nil. Unpack consumes only the archive's header from in. There is nothing to close, and no goroutine is
// started. Damage after the header is reported by Read.
func Unpack(in *bufio.Reader) (io.Reader, error) {
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return reader(gzip.NewReader(in))
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), isSkippable(head):
		// With concurrency 1, the decoder works in the caller's goroutine.
		return reader(zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)))
	case isBzip2(head):
		return bzip2.NewReader(in), nil
	}
	return nil, nil
}

// reader turns a typed nil reader into an untyped nil.
func reader(r io.Reader, err error) (io.Reader, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// isSkippable reports whether head begins a skippable zstd frame, with which some writers open a file.
func isSkippable(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte("\x2a\x4d\x18"))
}

// isBzip2 reports whether head begins a bzip2 archive, or is a truncated one. The letters BZh alone do not suffice, since text may
// begin with them.
func isBzip2(head []byte) bool {
	if len(head) < 3 || !bytes.HasPrefix(head, []byte("BZh")) {
		return false
	}
	block := head[min(len(head), 4):]
	const first, end = "\x31\x41\x59\x26\x53\x59", "\x17\x72\x45\x38\x50\x90" // end marks an archive of nothing
	return string(block) == first[:len(block)] || string(block) == end[:len(block)]
}

// Packing returns the extension of an archive's name, or "" for other files.
func Packing(name string) string {
	switch ending := filepath.Ext(name); ending {
	case ".gz", ".zst", ".bz2":
		return ending
	}
	return ""
}

// Counter counts the bytes read from a file. It keeps the first error, and then reads no further.
type Counter struct {
	R   io.Reader
	N   int64
	err error // including io.EOF
}

// Read reads from R.
func (c *Counter) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.R.Read(p)
	c.N += int64(n)
	c.err = err
	return n, err
}

// Err returns the error that ended reading, or nil at the end of the file.
func (c *Counter) Err() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}
