package lex

import (
	"fmt"
	"io"
	"os"
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
	text, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	if err == nil && len(text) > MaxText {
		err = &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("more than %d MiB", MaxText>>20)}
	}
	return text, err
}
