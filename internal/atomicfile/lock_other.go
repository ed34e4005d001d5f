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

// isOwn reports true: owners are not known here.
func isOwn(os.FileInfo) bool { return true }

// syncDir does nothing: folders cannot be synced here.
func syncDir(string) error { return nil }
