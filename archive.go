package resolwe

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"resolwe/format/subgraph"
)

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
	if inner, err := subgraph.Unpack(buf, path); inner != buf && err == nil {
		decoded := bufio.NewReader(inner)
		if head, _ = decoded.Peek(magicBytes); subgraph.IsStream(head) {
			seen.stop()
			return decoded, true, nil
		}
	}
	return seen.rewound(), false, nil
}

// magicBytes is how many bytes tell what a file is.
const magicBytes = 8

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
