//go:build !linux

package machine

// addressSpace is not known.
func addressSpace() (limit, used uint64) { return 0, 0 }

// Mapped returns how many bytes of mapped files are in memory for this process, or 0 if not known.
func Mapped() uint64 { return 0 }
