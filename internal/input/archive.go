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
	maxWindow = 128 << 20 // bytes that an archive may ask for, as the zstd command accepts by default
)

// Unpack returns a reader of what the archive of one file in holds, gzip, zstd or bzip2, told by how it begins, not by its name; nil
// where in is none. It takes nothing from in but what the
// archive's header has. There is nothing to close, and no goroutine is started. Damage behind the header comes from Read.
func Unpack(in *bufio.Reader) (io.Reader, error) {
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return reader(gzip.NewReader(in))
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), isSkippable(head):
		// One decoder works in its caller's goroutine.
		return reader(zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)))
	case isBzip2(head):
		return bzip2.NewReader(in), nil
	}
	return nil, nil
}

// reader makes a nil of a kind of reader the nil of all.
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

// isBzip2 reports whether head begins a bzip2 archive, or is one that is cut off. The letters alone, which text may begin
// with, do not.
func isBzip2(head []byte) bool {
	if len(head) < 3 || !bytes.HasPrefix(head, []byte("BZh")) {
		return false
	}
	block := head[min(len(head), 4):]
	const first, end = "\x31\x41\x59\x26\x53\x59", "\x17\x72\x45\x38\x50\x90" // of an archive of nothing
	return string(block) == first[:len(block)] || string(block) == end[:len(block)]
}

// Packing returns the ending of an archive's name, "" for other files.
func Packing(name string) string {
	switch ending := filepath.Ext(name); ending {
	case ".gz", ".zst", ".bz2":
		return ending
	}
	return ""
}

// Counter counts the bytes of a file. It keeps what made reading it fail, and reads no further.
type Counter struct {
	R   io.Reader
	N   int64
	err error // io.EOF too
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

// Err returns what made reading fail, nil at the end of the file.
func (c *Counter) Err() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}
