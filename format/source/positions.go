package source

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2/roaring64"
)

// Positions is a set of positions: a range, or the positions of a range that are in a list. It is immutable; its zero value is
// empty.
type Positions struct {
	begin, end int
	picked     *roaring64.Bitmap // shared, never changed; nil for all
}

// PositionsFrom returns all positions from the first on.
func PositionsFrom(first int) Positions { return Positions{first, math.MaxInt, nil} }

// End returns a position after the last one.
func (p Positions) End() int { return p.end }

// Within returns the positions of a set with begin <= i < end.
func (p Positions) Within(begin, end int) Positions {
	p.begin = max(p.begin, begin)
	p.end = max(p.begin, min(p.end, end))
	return p
}

// Among returns the positions of a set that are also in a list.
func (p Positions) Among(list []int) Positions {
	both := roaring64.New()
	for _, i := range list {
		if p.Has(i) {
			both.Add(uint64(i))
		}
	}
	if both.IsEmpty() {
		return Positions{picked: both}
	}
	return Positions{int(both.Minimum()), int(both.Maximum()) + 1, both}
}

// Has reports whether a position is in a set.
func (p Positions) Has(i int) bool {
	return p.begin <= i && i < p.end && (p.picked == nil || p.picked.Contains(uint64(i)))
}

// Len returns the number of positions.
func (p Positions) Len() int {
	if p.picked == nil {
		return p.end - p.begin
	}
	return p.below(p.end) - p.below(p.begin)
}

// below returns how many picked positions are below i.
func (p Positions) below(i int) int {
	if i == 0 {
		return 0
	}
	return int(p.picked.Rank(uint64(i - 1)))
}

// Split divides a set after its first n positions.
func (p Positions) Split(n int) (first, rest Positions) {
	at := p.end
	switch {
	case n >= p.Len():
	case p.picked == nil:
		at = p.begin + n
	default:
		next, _ := p.picked.Select(uint64(p.below(p.begin) + n)) // exists, since n < Len
		at = int(next)
	}
	return p.Within(p.begin, at), p.Within(at, p.end)
}
