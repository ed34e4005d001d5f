package bitset

// Transpose64 transposes a 64 by 64 matrix of bits in place: bit j of word i becomes bit i of word j.
//
// It swaps ever smaller off-diagonal blocks (Warren, Hacker's Delight, 7-3).
func Transpose64(m *[64]uint64) {
	if level != generic {
		transposeVector(m)
		return
	}
	mask := uint64(1)<<32 - 1
	for j := 32; j != 0; {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (m[k]>>j ^ m[k+j]) & mask
			m[k] ^= t << j
			m[k+j] ^= t
		}
		j >>= 1
		mask ^= mask << j
	}
}
