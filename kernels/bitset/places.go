package bitset

// SetPlaces adds place[id] - first for each of the ascending ids, if it is within dst, and returns the number of ids before the first
// that is beyond place. A place of ^uint32(0) means none. dst must have fewer than 2^26 words.
func SetPlaces(dst []uint64, ids, place []uint32, first uint32) int {
	size := uint64(64 * len(dst))
	if size == 0 {
		return 0
	}
	for i, id := range ids {
		if id >= uint32(len(place)) {
			return i
		}
		at := uint64(place[id] - first)
		in := (at - size) >> 63 // branch-free, as the outcomes are unpredictable
		dst[at>>6&-in] |= in << (at & 63)
	}
	return len(ids)
}

// SetTuples adds place[ids[i]] to row rows[i] of a matrix with rows of width words, if it is within: what SetPlaces does row by row, for
// rows so short that their ends would cost more than their ids.
func SetTuples(matrix []uint64, width int, rows, ids, place []uint32) {
	size := uint64(64 * width)
	ids = ids[:len(rows)]
	for i, r := range rows {
		at := uint64(place[ids[i]])
		in := (at - size) >> 63
		matrix[uint64(r)*uint64(width)+at>>6&-in] |= in << (at & 63)
	}
}
