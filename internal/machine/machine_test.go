package machine_test

import (
	"runtime"
	"testing"

	"resolwe/internal/machine"
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
