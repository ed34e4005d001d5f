package lex

import (
	"fmt"
	"io"
	"os"

	"resolwe/internal/input"
)

// MaxText is the largest size of a source file: 64 MiB.
const MaxText = 64 << 20

// ReadFile reads a source file. The error is an *[os.PathError] if it cannot be read or is too long, so even endless devices are safe.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, MaxText)
}

// MaxIncluded is the largest size of a file that another one includes: 16 MiB.
const MaxIncluded = 16 << 20

// ReadIncluded reads a file that another one includes, which must be a regular file of at most [MaxIncluded] bytes. The error is an
// *[os.PathError], or wraps [input.ErrKind].
func ReadIncluded(path string) ([]byte, error) {
	f, _, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, MaxIncluded)
}

func read(f *os.File, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = &os.PathError{Op: "read", Path: f.Name(), Err: fmt.Errorf("more than %d MiB", most>>20)}
	}
	return text, err
}
