//go:build !unix

package atomicfile

import (
	"errors"
	"os"
)

// tryLock does nothing: files cannot be locked here.
func tryLock(string) (*os.File, error) { return nil, errors.ErrUnsupported }
