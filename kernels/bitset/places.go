package bitset

// SetPlaces adds place[id] - first for each of ascending ids, where dst has room for it, and returns how many ids come
// before the first that place lacks. A place of ^uint32(0) is none. dst has less than 2^26 words.
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
		in := (at - size) >> 63 // without a branch, since the outcomes are at random
		dst[at>>6&-in] |= in << (at & 63)
	}
	return len(ids)
}
