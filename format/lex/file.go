package lex

import (
	"fmt"
	"io"
	"os"
)

// MaxText is how many bytes a file of a language may have: 64 MiB.
const MaxText = 64 << 20

// ReadFile reads a file of a language. The error is an *[os.PathError] where that cannot be done, and where it is too long:
// an endless device ends too.
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
