package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// claims is how many runs may write the same output at once before their temporary names become random.
const claims = 16

// Claim makes a file or folder under a temporary name that begins with stem, and returns the name. create is called with names, and
// must return an error that matches [fs.ErrExist] if something exists at the name. Claim removes what a killed run has left under
// such a name, which it recognises because live runs hold a lock. release gives up the claim, but leaves the file or folder.
func Claim(stem string, create func(name string) error) (name string, release func(), err error) {
	for i := range claims {
		name = stem + strconv.Itoa(i)
		err = create(name)
		if errors.Is(err, fs.ErrExist) && removeLeft(name) {
			err = create(name)
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		switch lock, err := tryLock(name); {
		case err == nil:
			return name, func() { _ = lock.Close() }, nil
		case !errors.Is(err, errLocked): // no locks on this file system: nothing counts as left behind
			return name, func() {}, nil
		} // otherwise another run took it for the remains of a killed one
	}
	name = stem + rand.Text()
	return name, func() {}, create(name)
}

// removeLeft removes a file or folder that no run holds any more, and reports whether it did.
func removeLeft(name string) bool {
	lock, err := tryLock(name)
	if err != nil {
		return false
	}
	defer lock.Close()
	return os.RemoveAll(name) == nil
}

// Hold locks a file or folder until it is released. The error is an *[os.PathError] that wraps [ErrInUse] if another run holds it;
// where nothing can be locked, there is none.
func Hold(path string) (release func(), err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	switch lock, err := tryLock(target); {
	case err == nil:
		return func() { _ = lock.Close() }, nil
	case errors.Is(err, errLocked):
		return nil, &os.PathError{Op: "lock", Path: path, Err: ErrInUse}
	}
	return func() {}, nil
}

var errLocked = errors.New("locked")
