package machine

import (
	"bytes"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// addressSpace returns how many bytes of addresses the process may have (ulimit -v), 0 for any number, and how many it has.
func addressSpace() (limit, used uint64) {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, 0
	}
	text, err := os.ReadFile("/proc/self/statm")
	first, _, _ := bytes.Cut(text, []byte(" "))
	pages, parsing := strconv.ParseUint(string(first), 10, 64)
	if err != nil || parsing != nil {
		return 0, 0
	}
	return r.Cur, pages * uint64(os.Getpagesize()) // #nosec G115 -- not negative
}
