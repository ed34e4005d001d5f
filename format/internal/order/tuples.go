package order

import (
	"math/bits"
	"slices"
)

// chunk is how many tuples the vector kernel compares at a time: so many bits fit well on the stack.
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
		fall := 1 // where all are equal
		for _, col := range cols {
			if before, id := col[i-1], col[i]; before != id {
				fall = below(id, before)
				break
			}
		}
		falls += fall
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
