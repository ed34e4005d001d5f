package order

import (
	"math/bits"
	"slices"
)

// vectorLength is the length of a list from which on the vector kernels are faster. They need 2 at least.
const vectorLength = 32

// Falls returns how many of the ids do not exceed the one before them, and the largest, 0 where there are none.
func Falls(ids []uint32) (falls int, largest uint32) {
	if vector && len(ids) >= vectorLength {
		return fallsVector(ids)
	}
	if len(ids) == 0 {
		return 0, 0
	}
	prev := ids[0]
	largest = prev
	for _, id := range ids[1:] {
		falls += atMost(id, prev)
		largest = max(largest, id)
		prev = id
	}
	return falls, largest
}

// PairFalls returns how many pairs, made of two lists of one length, do not exceed the one before them in lexicographical
// order, and the largest second part, 0 where there are none.
func PairFalls(first, second []uint32) (falls int, largest uint32) {
	second = second[:len(first)]
	if vector && len(first) >= vectorLength {
		return pairFallsVector(first, second)
	}
	if len(first) == 0 {
		return 0, 0
	}
	before := pair(first[0], second[0])
	largest, rises := second[0], uint64(0)
	for i := 1; i < len(first); i++ {
		next := pair(first[i], second[i])
		_, rise := bits.Sub64(before, next, 0)
		rises += rise
		largest = max(largest, second[i])
		before = next
	}
	return len(first) - 1 - int(rises), largest
}

// chunk is how many tuples the vector kernel compares at a time, whose bits fit well on the stack.
const chunk = 4096

// TupleFalls returns how many tuples, made of lists of one length, do not exceed the one before them in lexicographical
// order. There is one list at least.
func TupleFalls(cols [][]uint32) (falls int) {
	n := len(cols[0])
	if vector && n >= vectorLength {
		for at := 0; at < n-1; at += chunk {
			falls += chunkFalls(cols, at, min(chunk, n-1-at))
		}
		return falls
	}
	for i := 1; i < n; i++ {
		rise := uint64(0) // what is borrowed where the tuple before is the lesser one
		for _, col := range slices.Backward(cols) {
			_, rise = bits.Sub64(uint64(col[i-1]), uint64(col[i]), rise)
		}
		falls += 1 - int(rise)
	}
	return falls
}

// chunkFalls compares the n tuples behind the one at a place with the ones before them, from the last list to the first.
func chunkFalls(cols [][]uint32, at, n int) (falls int) {
	var fall [chunk / 64]uint64 // a bit for each tuple
	for i := range n / 64 {
		fall[i] = ^uint64(0)
	}
	if n%64 > 0 {
		fall[n/64] = 1<<(n%64) - 1
	}
	for _, col := range slices.Backward(cols) {
		tieVector(col[at:at+n+1], &fall)
	}
	for _, w := range fall {
		falls += bits.OnesCount64(w)
	}
	return falls
}

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

// below returns 1 for x < y, else 0.
func below(x, y uint32) int { return int((uint64(x) - uint64(y)) >> 63) }

// atMost returns 1 for x <= y, else 0.
func atMost(x, y uint32) int { return 1 - below(y, x) }

// pair orders pairs as numbers.
func pair(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }
