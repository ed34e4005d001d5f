// Package exactsum adds floating-point numbers without rounding errors, so the sum does not depend on their order.
package exactsum

import (
	"math"
	"math/big"
	"slices"
)

// Sum is the exact sum of the numbers added so far. The zero value is 0, of no numbers.
type Sum struct {
	n     int64
	parts []float64 // do not overlap, ascending in size (Shewchuk, 1997)
	large []float64 // the same for large numbers, times scale, so that no sum of them overflows
}

const (
	largest   = 0x1p900 // a sum of 2^63 numbers below this is finite
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

// AddInt adds a whole number, which is not rounded first.
func (s *Sum) AddInt(x int64) {
	const half = 32
	s.Add(float64(x >> half << half))
	s.Add(float64(x & (1<<half - 1)))
	s.n--
}

// added adds a number to a number in parts.
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

// Value returns the sum, rounded once to the nearest number, with ties to even; infinite if it is out of range.
func (s *Sum) Value() float64 {
	if len(s.large) == 0 {
		return rounded(s.parts) + 0 // never -0
	}
	x, _ := s.exact().Float64()
	return x + 0
}

// Mean returns the sum divided by the number of numbers added, at least one, rounded once.
func (s *Sum) Mean() float64 {
	if mean, ok := s.quotient(); ok {
		return mean + 0 // never -0
	}
	sum, _ := s.exact().Rat(nil)
	mean, _ := sum.Quo(sum, new(big.Rat).SetInt64(s.n)).Float64()
	return mean + 0
}

// rounded returns the sum of parts, rounded once.
func rounded(parts []float64) (high float64) {
	for n := len(parts); n > 0; {
		n--
		x := high
		high = x + parts[n]
		low := parts[n] - (high - x)
		if low == 0 {
			continue
		}
		// Half way between two numbers, the rest decides.
		for n > 0 && parts[n-1] == 0 {
			n--
		}
		if up := high + float64(2*low); n > 0 && (low < 0) == (parts[n-1] < 0) && up-high == 2*low {
			high = up
		}
		break
	}
	return high
}

// quotient returns the mean, unless its size needs care. A neighbouring number is nearer if the remainder of the sum exceeds half
// the gap.
func (s *Sum) quotient() (float64, bool) {
	const exact, least = 1 << 53, 0x1p-900 // counts up to exact are representable
	n := float64(s.n)
	q := rounded(s.parts) / n
	if q == 0 && len(s.large) == 0 && len(s.parts) < 2 {
		return 0, len(s.parts) == 0 || s.parts[0] == 0
	}
	if len(s.large) > 0 || s.n > exact || !(math.Abs(q) > least) {
		return 0, false
	}
	product := float64(q * n)
	left := added(slices.Clone(s.parts), -product)
	left = added(left, -math.FMA(q, n, -product))
	sign := signOf(left)
	if sign == 0 {
		return q, true
	}
	next := math.Nextafter(q, math.Inf(sign))
	beyond := sign * signOf(added(left, -(next-q)/2*n))
	if beyond > 0 || beyond == 0 && math.Float64bits(q)&1 == 1 {
		q = next
	}
	return q, true
}

func signOf(parts []float64) int {
	for _, x := range slices.Backward(parts) {
		if x != 0 {
			return int(math.Copysign(1, x))
		}
	}
	return 0
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
