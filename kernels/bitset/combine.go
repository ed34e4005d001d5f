package bitset

// AndInto intersects dst with s.
func AndInto(dst, s []uint64) {
	s = s[:len(dst)]
	if level != generic && len(dst) >= vectorWords {
		andIntoVector(dst, s)
		return
	}
	i := 0
	for ; i < len(dst)-3; i += 4 {
		x, y := dst[i:i+4:i+4], s[i:i+4:i+4]
		x[0] &= y[0]
		x[1] &= y[1]
		x[2] &= y[2]
		x[3] &= y[3]
	}
	for ; i < len(dst); i++ {
		dst[i] &= s[i]
	}
}

// OrInto adds s to dst.
func OrInto(dst, s []uint64) {
	s = s[:len(dst)]
	if level != generic && len(dst) >= vectorWords {
		orIntoVector(dst, s)
		return
	}
	i := 0
	for ; i < len(dst)-3; i += 4 {
		x, y := dst[i:i+4:i+4], s[i:i+4:i+4]
		x[0] |= y[0]
		x[1] |= y[1]
		x[2] |= y[2]
		x[3] |= y[3]
	}
	for ; i < len(dst); i++ {
		dst[i] |= s[i]
	}
}
