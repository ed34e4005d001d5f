//go:build unix

package workload

import (
	"math"

	"golang.org/x/sys/unix"
)

// cpuSeconds returns the time that the program has computed on all cores, NaN where that is not known.
func cpuSeconds() float64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
