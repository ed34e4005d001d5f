package input

import (
	"fmt"
	"math"
	"os"
	"sync"
)

// Mapped is a read-only view of a file's bytes, with the size that the file had when opened: mapped into memory, or read if the
// system has no mapping.
type Mapped struct {
	data  []byte
	state *State
}

// Map makes a view of a file. The file may be empty, but must be a regular file; other kinds cannot be mapped, and give an error
// that wraps [input.ErrKind].
//
// The file should not change while it is open. If it becomes shorter, reading the missing bytes is a fault; see
// [runtime/debug.SetPanicOnFault].
func Map(path string) (*Mapped, error) {
	f, state, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := state.Size()
	if size == 0 {
		return &Mapped{state: state}, nil
	}
	if size > math.MaxInt {
		return nil, &os.PathError{Op: "map", Path: path, Err: fmt.Errorf("size %d is beyond the address space", size)}
	}
	data, err := load(f, int(size))
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: path, Err: err}
	}
	out := &Mapped{data, state}
	opened.Lock()
	defer opened.Unlock()
	opened.files[out] = true
	return out, nil
}

// opened are the open files.
var opened = struct {
	sync.Mutex
	files map[*Mapped]bool
}{files: map[*Mapped]bool{}}

// ReleaseAll releases all bytes of all open files, see [Mapped.Release].
func ReleaseAll() {
	opened.Lock()
	defer opened.Unlock()
	for f := range opened.files {
		release(f.data)
	}
}

// Changed reports whether the file was written to since it was opened. Replacing the file does not count, since the view keeps the
// old one.
func (f *Mapped) Changed() bool {
	_, written := f.state.Now()
	return written
}

// Bytes returns the contents. They belong to f, must not be written to, and must not be used after [Mapped.Close].
func (f *Mapped) Bytes() []byte { return f.data }

// Release tells the system that the bytes between two offsets are not needed until they are read again. Until then they do not
// count as memory of the process. It is safe for use with concurrent readers.
func (f *Mapped) Release(from, to int) {
	from = (from + pageSize - 1) / pageSize * pageSize
	if to = min(to, len(f.data)) / pageSize * pageSize; from < to {
		release(f.data[from:to])
	}
}

// pageSize is a multiple of what systems map at a time.
const pageSize = 1 << 16

// Close ends the view. Further calls do nothing.
func (f *Mapped) Close() error {
	opened.Lock()
	delete(opened.files, f)
	data := f.data
	f.data = nil
	opened.Unlock()
	if data == nil {
		return nil
	}
	return os.NewSyscallError("munmap", unload(data))
}
