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
