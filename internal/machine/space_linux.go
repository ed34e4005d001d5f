package machine

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes of addresses the process may have (ulimit -v), with 0 for no limit, and how many it has.
func addressSpace() (limit, used uint64) {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, 0
	}
	return r.Cur, statm(0)
}

// Mapped returns how many bytes of mapped files are in memory for this process, or 0 if not known.
func Mapped() uint64 { return statm(2) }

// statm returns a size of the process in bytes, given the index of its field in /proc/self/statm, or 0 if there is none.
func statm(place int) uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(text)
	if err != nil || len(fields) <= place {
		return 0
	}
	pages, err := strconv.ParseUint(string(fields[place]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize()) // #nosec G115 -- not negative
}
