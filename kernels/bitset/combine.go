package bitset

// AndInto intersects dst with s.
func AndInto(dst, s []uint64) {
	s = s[:len(dst)]
	if level != generic && len(dst) >= vectorWords {
		andIntoVector(dst, s)
		return
	}
	for i := range dst {
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
	for i := range dst {
		dst[i] |= s[i]
	}
}
