package bitset

import "math/bits"

// MaxLanes is the largest number of sets intersected at once.
const MaxLanes = 64

// Stride returns the distance in words between consecutive words of a set when several sets, or their sums, are interleaved: the number
// of sets, rounded up to whole registers of 8 if there is more than one. The padding is unused.
func Stride(lanes int) int {
	if lanes == 1 {
		return 1
	}
	return (lanes + 7) &^ 7
}

// AddAndCounts counts the members that a row shares with each of several sets, at most MaxLanes, and adds the counts to the sums of each
// member of to. Word w of set j is sets[w*Stride(lanes)+j]; its sum for member i is sums[i*Stride(lanes)+j]. The padding in sets must be
// 0.
func AddAndCounts(sums []uint64, to uint64, row, sets []uint64, lanes int) {
	stride := Stride(lanes)
	sums, sets = sums[:bits.Len64(to)*stride], sets[:len(row)*stride]
	if len(sums) == 0 || len(sets) == 0 {
		return
	}
	switch {
	case lanes == 1:
		n := uint64(AndCount(row, sets))
		for ; to != 0; to &= to - 1 {
			sums[bits.TrailingZeros64(to)] += n
		}
	case level != generic:
		addAndCountsVector(sums, to, row, sets, stride)
	default:
		var memory [MaxLanes]uint64
		counts := memory[:lanes]
		for w, x := range row {
			for j, y := range sets[w*stride:][:lanes] {
				counts[j] += uint64(bits.OnesCount64(x & y))
			}
		}
		addTo(sums, to, counts, stride)
	}
}

// AddHits is AddAndCounts for a row given as a list of distinct ids.
func AddHits(sums []uint64, to uint64, ids []uint32, sets []uint64, lanes int) {
	var memory [MaxLanes]uint64
	stride, counts := Stride(lanes), memory[:lanes]
	for _, id := range ids {
		for j, y := range sets[int(id>>6)*stride:][:lanes] {
			counts[j] += y >> (id & 63) & 1
		}
	}
	addTo(sums, to, counts, stride)
}

// addTo adds counts to the sums of each member of to.
func addTo(sums []uint64, to uint64, counts []uint64, stride int) {
	for ; to != 0; to &= to - 1 {
		dst := sums[bits.TrailingZeros64(to)*stride:][:len(counts)]
		for j, n := range counts {
			dst[j] += n
		}
	}
}
