package selection

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// fraction is the number of fractional bits of a quotient, which is rounded down to a multiple of 2^-62.
const fraction = 62

// Mean is an exact sum of quotients in [0, 1], and their number. Adding and merging are exact, so the order does not matter. The zero value
// is empty.
type Mean struct {
	hi, lo uint64 // the sum in units of 2^-62
	n      uint64
}

// Add adds num / den, rounded down to a multiple of 2^-62; 0 <= num <= den, den > 0.
func (m *Mean) Add(num, den int64) {
	hi, lo := bits.Mul64(uint64(num), 1<<fraction)
	q, _ := bits.Div64(hi, lo, uint64(den))
	var carry uint64
	m.lo, carry = bits.Add64(m.lo, q, 0)
	m.hi += carry
	m.n++
}

// Merge adds another sum.
func (m *Mean) Merge(o Mean) {
	var carry uint64
	m.lo, carry = bits.Add64(m.lo, o.lo, 0)
	m.hi += o.hi + carry
	m.n += o.n
}

// Defined returns the number of quotients added.
func (m *Mean) Defined() int64 { return int64(m.n) }

// Value returns the mean, NaN if it is empty.
func (m *Mean) Value() float64 {
	sum := math.Ldexp(float64(m.hi), 64-fraction) + math.Ldexp(float64(m.lo), -fraction)
	return sum / float64(m.n)
}

// Exceeds reports whether the mean is above a threshold: sum > n * theta, exactly. An empty mean exceeds nothing.
func (m *Mean) Exceeds(t Threshold) bool {
	if m.n == 0 || t.never {
		return false
	}
	hi, lo := bits.Mul64(m.n, t.scaled)
	return m.hi > hi || (m.hi == hi && m.lo > lo)
}

// Threshold is theta, as a float and as a multiple of 2^-62.
type Threshold struct {
	Value  float64
	scaled uint64
	never  bool // above every mean
}

// NewThreshold takes the shortest decimal that stands for theta and rounds it up to a multiple of 2^-62. Theta must be finite and not
// negative.
func NewThreshold(theta float64) Threshold {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(theta, 'g', -1, 64))
	num := new(big.Int).Lsh(r.Num(), fraction)
	scaled, rest := num.QuoRem(num, r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		scaled.Add(scaled, big.NewInt(1))
	}
	t := Threshold{Value: theta, never: !scaled.IsUint64()}
	if !t.never {
		t.scaled = scaled.Uint64()
	}
	return t
}

// Fixed is a non-negative number with 64 fractional bits. Adding is exact.
type Fixed struct{ whole, frac uint64 }

// AddRatio adds a * b / d, rounded down to a multiple of 2^-64; 0 <= a <= d, d > 0, b >= 0.
func (f *Fixed) AddRatio(a, b, d int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(hi, lo, uint64(d))
	frac, _ := bits.Div64(r, 0, uint64(d))
	f.Merge(Fixed{whole: q, frac: frac})
}

// Merge adds another number.
func (f *Fixed) Merge(o Fixed) {
	var carry uint64
	f.frac, carry = bits.Add64(f.frac, o.frac, 0)
	f.whole += o.whole + carry
}

// Value returns the number.
func (f *Fixed) Value() float64 { return float64(f.whole) + math.Ldexp(float64(f.frac), -64) }
