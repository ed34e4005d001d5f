package cut

import (
	"math/bits"

	"resolwe/internal/elementary"
)

const (
	fewPlaces  = 256
	manyPlaces = 1 << 13
)

// numbered is a hash table from numbers to places. It reuses its memory.
type numbered struct {
	places []place // their number is a power of two
	used   int
	shift  int
}

// place is the data of a number: a range of rows.
type place struct {
	number uint64
	lo, hi uint32 // hi is 0 if the place is free
}

// reset clears the table. It shrinks a large table for small results.
func (m *numbered) reset() {
	if n := len(m.places); n == 0 || n > manyPlaces {
		m.resize(fewPlaces)
	}
	clear(m.places)
	m.used = 0
}

func (m *numbered) resize(n int) {
	m.places, m.used = make([]place, n), 0
	m.shift = 64 - bits.TrailingZeros(uint(n))
}

// at returns the place of a number, or the one where it belongs.
func (m *numbered) at(number uint64) *place {
	mask := len(m.places) - 1
	for i := int(number * elementary.Golden >> m.shift); ; i = (i + 1) & mask {
		if p := &m.places[i]; p.hi == 0 || p.number == number {
			return p
		}
	}
}

// put stores data of a number at its place.
func (m *numbered) put(at *place, p place) {
	if at.hi == 0 {
		m.used++
	}
	*at = p
	if 2*m.used <= len(m.places) {
		return
	}
	old := m.places
	m.resize(2 * len(old))
	for _, o := range old {
		if o.hi > 0 {
			*m.at(o.number) = o
			m.used++
		}
	}
}
