package order

import (
	"math"
	"slices"
)

// vectorReach is the length of the longest list that the vector kernels can reach into.
const vectorReach = math.MaxInt32

// AreBounds reports whether each offset is the number of ids below its place among the offsets, all for the last of them.
// The ids ascend, and may repeat.
func AreBounds(offsets, ids []uint32) bool {
	rows, n := len(offsets)-1, uint64(len(ids))
	if rows < 0 || n == 0 {
		return len(ids) == 0 && !slices.ContainsFunc(offsets, func(at uint32) bool { return at > 0 })
	}
	first, last := ids[0], ids[n-1]
	if first > last || uint64(last) >= uint64(rows) {
		return false
	}
	// What ascends from here to there is 0 up to the first id and n behind the last.
	if offsets[first] > 0 || offsets[first+1] == 0 || uint64(offsets[last]) >= n || uint64(offsets[last+1]) != n ||
		uint64(offsets[rows]) != n {
		return false
	}
	if vector && len(offsets) >= vectorLength && n <= vectorReach {
		return boundsVector(offsets, ids)
	}
	wrong, before := 0, uint32(0)
	for i, at := range offsets {
		wrong |= below(at, before)
		if k, id := int(at), uint32(i); k > 0 && k < len(ids) {
			wrong |= below(ids[k], id) | atMost(id, ids[k-1])
		}
		before = at
	}
	return wrong == 0
}

// StartFalls returns how many rows of the ids, which lie between consecutive offsets, begin with one that does not exceed
// the id before it, the last of an earlier row. It reports false, and any number, where an offset is below the one before
// it or beyond the ids.
func StartFalls(offsets, ids []uint32) (falls int, ok bool) {
	if len(offsets) == 0 {
		return 0, true
	}
	if uint64(offsets[len(offsets)-1]) > uint64(len(ids)) {
		return 0, false
	}
	if vector && len(offsets) >= vectorLength && len(ids) <= vectorReach {
		return startFallsVector(offsets, ids)
	}
	wrong, start := 0, offsets[0]
	for _, end := range offsets[1:] {
		wrong |= below(end, start)
		if k := int(start); k > 0 && k < len(ids) {
			falls += atMost(ids[k], ids[k-1]) & below(start, end)
		}
		start = end
	}
	return falls, wrong == 0
}
