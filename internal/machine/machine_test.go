package machine_test

import (
	"runtime"
	"testing"

	"resolwe/internal/machine"
)

// A process has more memory than it has taken.
func TestMemory(t *testing.T) {
	t.Parallel()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if got := machine.Memory(); got != 0 && uint64(got) < m.Sys { // #nosec G115 -- not negative
		t.Errorf("got %d bytes, and %d are in use", got, m.Sys)
	}
}
