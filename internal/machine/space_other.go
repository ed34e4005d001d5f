//go:build !linux

package machine

// addressSpace is not known.
func addressSpace() (limit, used uint64) { return 0, 0 }
