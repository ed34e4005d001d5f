package bitset

import "math/bits"

// Count returns the number of members.
func Count(s []uint64) int {
	if level != generic && len(s) >= vectorWords {
		return countVector(s)
	}
	n, i := 0, 0
	for ; i < len(s)-3; i += 4 {
		x := s[i : i+4 : i+4]
		n += bits.OnesCount64(x[0])
		n += bits.OnesCount64(x[1])
		n += bits.OnesCount64(x[2])
		n += bits.OnesCount64(x[3])
	}
	for ; i < len(s); i++ {
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
	n, i := 0, 0
	for ; i < len(a)-3; i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		n += bits.OnesCount64(x[0] & y[0])
		n += bits.OnesCount64(x[1] & y[1])
		n += bits.OnesCount64(x[2] & y[2])
		n += bits.OnesCount64(x[3] & y[3])
	}
	for ; i < len(a); i++ {
		n += bits.OnesCount64(a[i] & b[i])
	}
	return n
}
