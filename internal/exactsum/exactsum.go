// Package exactsum adds floating-point numbers without error: the sum does not depend on their order.
package exactsum

import (
	"math"
	"math/big"
)

// Sum is the exact sum of the numbers added so far. The zero value is 0, of no numbers.
type Sum struct {
	n     int64
	parts []float64 // do not overlap, ascending in size (Shewchuk, 1997)
	large []float64 // the same of the numbers that are large, times scale, so that no sum of them overflows
}

const (
	largest   = 0x1p900 // of 2^63 numbers below it a sum is finite
	scale     = 0x1p-600
	precision = 2200 // bits that hold any exact sum of 2^63 numbers
)

// Reset makes the sum 0, of no numbers.
func (s *Sum) Reset() { s.n, s.parts, s.large = 0, s.parts[:0], s.large[:0] }

// Len returns how many numbers have been added.
func (s *Sum) Len() int64 { return s.n }

// Add adds a finite number.
func (s *Sum) Add(x float64) {
	s.n++
	if math.Abs(x) < largest {
		s.parts = added(s.parts, x)
	} else {
		s.large = added(s.large, x*scale)
	}
}

// added adds a number to one in parts.
func added(parts []float64, x float64) []float64 {
	kept := parts[:0]
	for _, y := range parts {
		if math.Abs(x) < math.Abs(y) {
			x, y = y, x
		}
		high := x + y
		if low := y - (high - x); low != 0 {
			kept = append(kept, low)
		}
		x = high
	}
	return append(kept, x)
}

// Value returns the sum, rounded once to the nearest number, of two the even one: infinite where it is beyond all of them.
func (s *Sum) Value() float64 {
	if x, ok := s.single(); ok {
		return x
	}
	x, _ := s.exact().Float64()
	return x + 0 // never -0
}

// Mean returns the sum over how many numbers have been added, at least one, rounded once.
func (s *Sum) Mean() float64 {
	const exact = 1 << 53 // counts up to it are numbers
	if x, ok := s.single(); ok && s.n <= exact {
		return x/float64(s.n) + 0 // never -0
	}
	sum, _ := s.exact().Rat(nil)
	mean, _ := sum.Quo(sum, new(big.Rat).SetInt64(s.n)).Float64()
	return mean + 0
}

// single returns the sum where it is a number itself.
func (s *Sum) single() (float64, bool) {
	switch {
	case len(s.large) > 0 || len(s.parts) > 1:
		return 0, false
	case len(s.parts) == 0:
		return 0, true
	}
	return s.parts[0] + 0, true
}

// exact returns the sum without an error.
func (s *Sum) exact() *big.Float {
	sum, x := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision)
	for _, y := range s.large {
		sum.Add(sum, x.SetFloat64(y))
	}
	sum.SetMantExp(sum, 600)
	for _, y := range s.parts {
		sum.Add(sum, x.SetFloat64(y))
	}
	return sum
}
