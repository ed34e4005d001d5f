// Package order checks the order of ids in bulk, as far as it goes without branches that depend on them: these would cost
// more than the rest. Any content of the lists is safe; none is longer than 2^32 - 1.
package order

import "math/bits"

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

// below returns 1 for x < y, else 0.
func below(x, y uint32) int { return int((uint64(x) - uint64(y)) >> 63) }

// atMost returns 1 for x <= y, else 0.
func atMost(x, y uint32) int { return 1 - below(y, x) }

// pair orders pairs as numbers.
func pair(first, second uint32) uint64 { return uint64(first)<<32 | uint64(second) }
