package machine_test

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"resolwe/internal/machine"
	"resolwe/internal/test/check"
)

// A process may use more memory than it has already obtained.
func TestMemory(t *testing.T) {
	t.Parallel()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if got := machine.Memory(); got != 0 && uint64(got) < m.Sys { // #nosec G115 -- not negative
		t.Errorf("got %d bytes, and %d are in use", got, m.Sys)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]machine.Size{"512MiB": 512 << 20, "4GiB": 4 << 30, "2GB": 2e9, "1000000": 1e6, "1.5 GiB": 3 << 29} {
		var got machine.Size
		check.OK(t, got.UnmarshalText([]byte(text)))
		check.Equal(t, text, got, want)
	}
	for _, text := range []string{"", "0", "-1GiB", "many", "1e40", "9EiB"} {
		check.Fails(t, new(machine.Size).UnmarshalText([]byte(text)), "%q is a size", text)
	}
}

// over is called once if a process holds more than its bound, and not if it only produces garbage.
func TestWatch(t *testing.T) {
	var m runtime.MemStats
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	bound := machine.Size(m.Sys - m.HeapReleased + 128<<20)
	over := make(chan error, 2)
	stop := machine.Watch(bound, "--memory", func(err error) { over <- err })
	defer stop()
	if e := machine.Exceeded("less"); e.Bound != bound || e.Of != "--memory" || !strings.HasSuffix(e.Error(), "; less take less") {
		t.Errorf("got %v", e)
	}
	check.OK(t, machine.Afford(64<<20, "less"))
	check.ErrorAs[*machine.MemoryError](t, machine.Afford(uint64(bound), "less"), "more than the bound")
	for range 64 { // garbage
		touched(16 << 20)
	}
	select {
	case err := <-over:
		t.Fatalf("garbage: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	var kept [][]byte
	for range 24 {
		kept = append(kept, touched(16<<20))
	}
	select {
	case err := <-over:
		if e, ok := errors.AsType[*machine.MemoryError](err); !ok || e.Bound != bound || !strings.Contains(err.Error(), "--memory") {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was told")
	}
	runtime.KeepAlive(kept)
}

func touched(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}
