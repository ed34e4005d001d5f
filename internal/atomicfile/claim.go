package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strconv"
)

// claims is how many runs may write the same output at a time before their temporary names become random.
const claims = 16

// Claim makes a file or folder under a temporary name that begins with stem, and returns the name. create gets names at which
// nothing may be, and returns an error that matches [fs.ErrExist] where something is. What a run that was killed has left
// there under such a name is removed: as long as a run lives it holds a lock. release gives the claim up; it leaves what
// was made.
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
		case !errors.Is(err, errLocked): // no locks on this file system: nothing here is taken for left
			return name, func() {}, nil
		} // else another run took it for what a killed one has left
	}
	name = stem + rand.Text()
	return name, func() {}, create(name)
}

// removeLeft removes what no run holds any more, and reports whether it did.
func removeLeft(name string) bool {
	lock, err := tryLock(name)
	if err != nil {
		return false
	}
	defer lock.Close()
	return os.RemoveAll(name) == nil
}

var errLocked = errors.New("locked")
