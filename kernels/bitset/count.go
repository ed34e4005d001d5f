package bitset

import "math/bits"

// Count returns the number of members.
func Count(s []uint64) int {
	if level != generic && len(s) >= vectorWords {
		return countVector(s)
	}
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i])
	}
	return n
}

// AndCount returns the number of members of the intersection of a and b.
func AndCount(a, b []uint64) int {
	b = b[:len(a)]
	if level != generic && len(a) >= vectorWords {
		return andCountVector(a, b)
	}
	n := 0
	for i := range a {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}
