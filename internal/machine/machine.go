package machine

import (
	"math"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Memory returns how many bytes of memory the process may use: what its control group and the limit of Go's runtime allow, but not
// more than the machine has. It returns 0 if that is not known.
func Memory() int {
	least := uint64(debug.SetMemoryLimit(-1)) // #nosec G115 -- not negative
	for _, limit := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := limit(); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	if least >= math.MaxInt {
		return 0
	}
	return int(least) // #nosec G115 -- at most math.MaxInt
}
