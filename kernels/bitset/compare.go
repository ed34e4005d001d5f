package bitset

import "unsafe"

// Equal reports whether a and b have the same members.
func Equal(a, b []uint64) bool {
	return len(a) == len(b) && text(a) == text(b)
}

// text is s as a string, which the runtime compares by vectors. Borrowed.
func text(s []uint64) string {
	return unsafe.String((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}
