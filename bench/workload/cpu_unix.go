//go:build unix

package workload

import (
	"math"

	"golang.org/x/sys/unix"
)

// cpuSeconds returns the CPU time of the program on all cores, or NaN if not known.
func cpuSeconds() float64 {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) != nil {
		return math.NaN()
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
