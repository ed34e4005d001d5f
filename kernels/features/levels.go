package features

import (
	"math"
	"math/bits"

	"resolwe/internal/elementary"
)

// Levels is the number of levels. A count is stored as a level, one byte: the count itself up to 15, then four levels for each doubling.
const Levels = 256

// Level returns the level of a count n >= 0.
func Level(n int64) uint8 {
	if n < 16 {
		return uint8(n) // #nosec G115 -- below 16
	}
	octave := bits.Len64(uint64(n)) - 5
	return uint8(16 + 4*octave + int(n>>(octave+2)&3)) // #nosec G115 -- at most 16 + 4*58 + 3
}

// Least returns the smallest count of a level.
func Least(l int) int64 {
	if l < 16 {
		return int64(l)
	}
	return int64(4+l%4) << ((l-16)/4 + 2)
}

// Logs holds log2(1 + n) for each level, where n is the middle of its counts.
var Logs = func() (table [Levels]float64) {
	for l := range table[:Level(math.MaxInt64)+1] {
		n := float64(Least(l))
		if l >= 16 {
			n += float64(float64(int64(1)<<((l-16)/4+2)-1) / 2)
		}
		table[l] = elementary.Log(1+n) / math.Ln2
	}
	return table
}()

// Thresholds are the counts with which literals compare, each the least of a level: 1, 2, 3, 4, 6, 8, 12, 16, 24, ...
var Thresholds = func() []int64 {
	all := []int64{1, 2, 3}
	for k := int64(4); k <= 1<<60; k *= 2 {
		all = append(all, k, k+k/2)
	}
	return all
}()
