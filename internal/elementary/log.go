package elementary

import "math"

// Constants of log(x) = k ln 2 + log(c) + log(1 + r), where 1/c is the short number of the cell of x 2^-k, and |r| < 0.0086.
const (
	cellBits, cellOne = 46, 0x3ff<<52 - 65<<45 // 64 cells for each power of two, 1 in the middle of one
	nearLow, nearHigh = 1 - 0x1p-8, 1 + 0x1p-7 // the cell that contains 1

	ln2High = 0x1.62e42fefa38p-1   // a multiple of 2^-42
	ln2Low  = 0x1.ef35793c7673p-45 // the rest of ln 2

	// Coefficients of log(1 + r) = r + r^2 (l2 + l3 r + ...), to a relative 2^-64.
	l2, l3, l4, l5 = -0.5, 0x1.55555555555abp-2, -0x1.000000000004dp-2, 0x1.99999987c9f78p-3
	l6, l7, l8     = -0x1.555555454da7fp-3, 0x1.2499bad7396cfp-3, -0x1.0006b32165122p-3
)

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if x > nearLow && x < nearHigh {
		r := x - 1
		return r + bent(r)
	}
	k := 0.0
	if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
		switch {
		case x == 0:
			return math.Inf(-1)
		case !(x > 0):
			return math.NaN()
		case x > 1:
			return x
		}
		x, k = x*0x1p52, -52
	}
	high, low := logParts(x, 0, k)
	return high + low
}

// Log2 returns the binary logarithm of x, exact for powers of 2.
func Log2(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		return float64(exponent - 1)
	}
	return float64(exponent) + float64(Log(fraction)*(1/math.Ln2))
}

// Log1p returns the natural logarithm of 1 + x, without loss of precision for small x.
func Log1p(x float64) float64 {
	if x > nearLow-1 && x < nearHigh-1 {
		return x + bent(x)
	}
	if !(x > -1 && x < 0x1p54) { // what the sum rounds off does not matter
		return Log(1 + x)
	}
	sum := 1 + x
	back := sum - x // the parts of the sum that came from 1 and from x
	high, low := logParts(sum, (1-back)+(x-(sum-back)), 0)
	return high + low
}

// logParts returns the logarithm of x + rest, plus k ln 2, in two parts, where x is normal and rest is below its last bit.
func logParts(x, rest, k float64) (high, low float64) {
	bits := math.Float64bits(x)
	over := bits - cellOne
	whole := over >> 52 << 52
	z := bits - whole
	c := &inverses[over>>cellBits%64]
	k += float64(int64(whole) >> 52)
	head := math.Float64frombits(z &^ (1<<11 - 1))
	a := float64(head*c.value) - 1 // exact, like the next
	b := float64((math.Float64frombits(z) - head) * c.value)
	if rest != 0 {
		b += float64(rest * c.value * math.Float64frombits(0x3ff<<52-whole))
	}
	r := a + b
	w := float64(k*ln2High) + c.log
	high = w + a
	return high, (w - high + a) + (float64(k*ln2Low) + c.rest + b + bent(r))
}

// bent returns log(1 + r) - r.
func bent(r float64) float64 {
	r2 := r * r
	return float64(r2 * (l2 + float64(r*l3) + float64(r2*(l4+float64(r*l5)+float64(r2*(l6+float64(r*l7)+float64(r2*l8)))))))
}

// Pow returns x to the power y, for x >= 0; for negative x it is NaN.
func Pow(x, y float64) float64 {
	product := y * Log(x)
	switch {
	case y == 0 || x == 1:
		return 1
	case !(math.Abs(product) < 746) || !(x >= 0x1p-1022):
		return Exp(product)
	}
	high, low := logParts(x, 0, 0)
	sum := high + low
	low -= sum - high
	// The product of y and the sum, in two parts, by the splitting of T. J. Dekker (Numerische Mathematik 18, 1971).
	product = float64(y * sum)
	y1, s1 := top(y), top(sum)
	y2, s2 := y-y1, sum-s1
	lost := ((float64(y1*s1) - product) + float64(y1*s2) + float64(y2*s1)) + float64(y2*s2)
	return expFar(product, lost+float64(y*low))
}

// top returns x without its last 27 bits.
func top(x float64) float64 { return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1)) }
