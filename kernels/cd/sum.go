package cd

import (
	"math"
	"math/bits"

	"resolwe/internal/wire"
)

// Sum adds numbers exactly, after truncating each to a multiple of 2^-80, so that neither order nor grouping matters: it is a two's
// complement number in units of 2^-80. A sum beyond 2^111 is NaN. The zero value is 0.
type Sum struct {
	low, middle, high uint64
	lost              bool // a number was not finite, or too large
}

// sumScale is the power of 2 that Sum multiplies with, sumBits that beyond which a number does not fit.
const (
	sumScale = 80
	sumBits  = 190
)

// Add adds a number.
func (s *Sum) Add(v float64) {
	b := math.Float64bits(v)
	exponent := int(b >> 52 & 0x7ff)
	if exponent == 0 { // below the cut
		return
	}
	m, shift := b&(1<<52-1)|1<<52, exponent-1075+sumScale
	switch {
	case shift+53 > sumBits:
		s.lost = true
		return
	case shift <= -53:
		return
	case shift < 0:
		m, shift = m>>-shift, 0
	}
	var w [4]uint64 // the last is never used: shift < 138
	at, by := shift/64, shift%64
	w[at], w[at+1] = m<<by, m>>(64-by) // a shift by 64 gives 0
	term := Sum{low: w[0], middle: w[1], high: w[2]}
	if b>>63 == 1 {
		term.negate()
	}
	s.Merge(&term)
}

func (s *Sum) negate() {
	var carry uint64
	s.low, carry = bits.Sub64(0, s.low, 0)
	s.middle, carry = bits.Sub64(0, s.middle, carry)
	s.high, _ = bits.Sub64(0, s.high, carry)
}

// Merge adds another sum.
func (s *Sum) Merge(o *Sum) {
	same := s.high>>63 == o.high>>63
	before := s.high >> 63
	var carry uint64
	s.low, carry = bits.Add64(s.low, o.low, 0)
	s.middle, carry = bits.Add64(s.middle, o.middle, carry)
	s.high, _ = bits.Add64(s.high, o.high, carry)
	s.lost = s.lost || o.lost || same && s.high>>63 != before
}

// Value returns the sum, to within a few units in the last place; NaN if there is none.
func (s *Sum) Value() float64 {
	if s.lost {
		return math.NaN()
	}
	size, sign := *s, 1.0
	if s.high>>63 == 1 {
		sign = -1
		size.negate()
	}
	return sign * (math.Ldexp(float64(size.high), 128-sumScale) + math.Ldexp(float64(size.middle), 64-sumScale) + math.Ldexp(float64(size.low), -sumScale))
}

// Code writes or reads a sum.
func (s *Sum) Code(c wire.Coder) { c.Code(&s.low, &s.middle, &s.high, &s.lost) }
