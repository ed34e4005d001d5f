package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SameFileError reports an output that would replace an input.
type SameFileError struct {
	Output, Input string // the paths as given, which may be spelt differently
}

// Error names the output, and the input if it is spelt differently.
func (e *SameFileError) Error() string {
	if e.Output == e.Input {
		return fmt.Sprintf("output %s is also an input", e.Output)
	}
	return fmt.Sprintf("output %s is also an input, %s", e.Output, e.Input)
}

// SameFile returns a [*SameFileError] if out is the same file as one of the inputs, under whatever name or link. It ignores missing
// inputs, devices and pipes.
func SameFile(out string, inputs []string) error {
	if _, err := os.Stat(out); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, input := range inputs {
		if Same(out, input) {
			return &SameFileError{Output: out, Input: input}
		}
	}
	return nil
}

// Same reports whether two outputs are the same file, which need not exist yet. Devices and pipes never are.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	case errA == nil || errB == nil:
		return false
	}
	return place(a) == place(b)
}

// place returns the resolved path of a file that does not exist.
func place(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	dir, base := filepath.Split(path)
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	return filepath.Join(dir, base)
}
