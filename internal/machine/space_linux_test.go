package machine_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"resolwe/internal/input"
	"resolwe/internal/machine"
	"resolwe/internal/test/check"
)

// A mapped file counts once it is read, and is released if the bound is small.
func TestWatch_Mapped(t *testing.T) {
	const size = 128 << 20
	debug.FreeOSMemory() // what other tests held
	path := filepath.Join(t.TempDir(), "file")
	check.OK(t, os.WriteFile(path, make([]byte, size), 0o600))
	f, err := input.Map(path)
	check.OK(t, err)
	before := machine.Mapped()
	read := func() (sum byte) {
		for i := 0; i < size; i += 4096 {
			sum |= f.Bytes()[i]
		}
		return sum
	}
	if sum, got := read(), machine.Mapped()-before; sum != 0 || got < size*3/4 || got > size*5/4 {
		t.Errorf("%d bytes more are in memory, want %d", got, size)
	}
	stop := machine.Watch(512<<20, "--memory", func(err error) { t.Error(err) })
	defer stop()
	for end := time.Now().Add(10 * time.Second); machine.Mapped() > before+size/4; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes more are still in memory", machine.Mapped()-before)
		}
	}
	if read() != 0 {
		t.Error("other bytes are read after that")
	}
	check.OK(t, f.Close())
	input.ReleaseAll()
}
