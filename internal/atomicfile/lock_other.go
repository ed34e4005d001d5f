//go:build !unix || solaris || aix

package atomicfile

import (
	"errors"
	"os"
)

// tryLock does nothing: files cannot be locked here.
func tryLock(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func lock(*os.File) error { return errors.ErrUnsupported }

const noFollow = 0

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
