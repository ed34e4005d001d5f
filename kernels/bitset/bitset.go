package bitset

import "math/bits"

// Words returns the number of words that hold n bits.
func Words(n int) int { return (n + 63) / 64 }

// Set adds i.
func Set(dst []uint64, i uint32) { dst[i>>6] |= 1 << (i & 63) }

// Clear removes i.
func Clear(dst []uint64, i uint32) { dst[i>>6] &^= 1 << (i & 63) }

// Has reports whether i is in the set.
func Has(s []uint64, i uint32) bool { return s[i>>6]>>(i&63)&1 == 1 }

// Fill sets dst to all of 0..n-1.
func Fill(dst []uint64, n int) {
	for i := range dst {
		dst[i] = ^uint64(0)
	}
	trim(dst, n)
}

// NotInto complements dst within 0..n-1.
func NotInto(dst []uint64, n int) {
	for i := range dst {
		dst[i] = ^dst[i]
	}
	trim(dst, n)
}

func trim(dst []uint64, n int) {
	if n%64 != 0 {
		dst[len(dst)-1] &= 1<<(n%64) - 1
	}
}

// SetAll adds the ids.
func SetAll(dst []uint64, ids []uint32) {
	for _, id := range ids {
		dst[id>>6] |= 1 << (id & 63)
	}
}

// Any reports whether the set has a member.
func Any(s []uint64) bool {
	for _, w := range s {
		if w != 0 {
			return true
		}
	}
	return false
}

// Each calls visit for each member in ascending order until it returns false.
func Each(s []uint64, visit func(uint32) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !visit(uint32(i<<6 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// AppendIDs appends the members to dst in ascending order.
func AppendIDs(dst []uint32, s []uint64) []uint32 {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			dst = append(dst, uint32(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return dst
}
