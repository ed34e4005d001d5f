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

// AndCount3 returns the number of members of the intersection of a, b and c.
func AndCount3(a, b, c []uint64) int {
	b, c = b[:len(a)], c[:len(a)]
	if level != generic && len(a) >= vectorWords {
		return andCount3Vector(a, b, c)
	}
	n, i := 0, 0
	for ; i < len(a)-3; i += 4 {
		x, y, z := a[i:i+4:i+4], b[i:i+4:i+4], c[i:i+4:i+4]
		n += bits.OnesCount64(x[0] & y[0] & z[0])
		n += bits.OnesCount64(x[1] & y[1] & z[1])
		n += bits.OnesCount64(x[2] & y[2] & z[2])
		n += bits.OnesCount64(x[3] & y[3] & z[3])
	}
	for ; i < len(a); i++ {
		n += bits.OnesCount64(a[i] & b[i] & c[i])
	}
	return n
}

// AndNotCount returns the number of members of a that b does not have.
func AndNotCount(a, b []uint64) int {
	b = b[:len(a)]
	if level != generic && len(a) >= vectorWords {
		return andNotCountVector(a, b)
	}
	n, i := 0, 0
	for ; i < len(a)-3; i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		n += bits.OnesCount64(x[0] &^ y[0])
		n += bits.OnesCount64(x[1] &^ y[1])
		n += bits.OnesCount64(x[2] &^ y[2])
		n += bits.OnesCount64(x[3] &^ y[3])
	}
	for ; i < len(a); i++ {
		n += bits.OnesCount64(a[i] &^ b[i])
	}
	return n
}
