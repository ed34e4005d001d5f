package input

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLong reports a line that is too long.
var ErrLong = errors.New("line too long")

// Line returns the next line without its end, \n or \r\n, or io.EOF after the last one. The line lies in the memory of in or of long, and
// is valid until the next call. A line of more than most bytes is returned with ErrLong, possibly truncated.
func Line(in *bufio.Reader, long *[]byte, most int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		*long = append((*long)[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(*long) <= most+len("\r\n") {
			line, err = in.ReadSlice('\n')
			*long = append(*long, line...)
		}
		line = *long
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	if line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")); len(line) > most {
		return line, ErrLong
	}
	return line, nil
}
