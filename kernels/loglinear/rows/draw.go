package rows

import "math"

// Draw sets p to the logistic function of h, to 1e-10, and returns a bit for each of at most 64 columns: 1 if u < p. The lengths must be
// equal, and h must not contain NaN.
func Draw(p, h, u []float64) uint64 {
	h, u = h[:len(p)], u[:len(p)]
	if vectors && len(p)%lanes == 0 && len(p) <= 64 {
		return drawVector(p, h, u)
	}
	drawn := uint64(0)
	for i, x := range h {
		p[i] = Logistic(x)
		if u[i] < p[i] {
			drawn |= 1 << i
		}
	}
	return drawn
}

// Constants of the logistic function 1 / (1 + 2^y). 2^y is 2^k, for a whole k, times a polynomial in the remainder of y, which is at most
// a half in size. The polynomial minimizes the largest relative error, 4e-11.
const (
	end   = 40 // beyond this the function is 0 or 1 to 1e-17
	scale = -math.Log2E
	shift = 3 << 51 // added to a small number, leaves its nearest integer in the low bits

	c0 = 0.9999999999616824
	c1 = 0.6931471807284519
	c2 = 0.24022651198152817
	c3 = 0.055504103534252454
	c4 = 0.00961802725421434
	c5 = 0.001333392258564999
	c6 = 0.00015469290999469272
	c7 = 1.520191609354323e-05
)

// Logistic returns 1 / (1 + exp(-h)) to 1e-10.
func Logistic(h float64) float64 {
	if h > end {
		h = end
	} else if h < -end {
		h = -end
	}
	// Conversions keep products from being fused with sums on some machines.
	y := float64(h * scale)
	whole := y + shift
	f := y - (whole - shift)
	f2 := f * f
	low := (c0 + float64(c1*f)) + float64((c2+float64(c3*f))*f2)
	high := (c4 + float64(c5*f)) + float64((c6+float64(c7*f))*f2)
	power := low + float64(high*float64(f2*f2))
	return 1 / (1 + math.Float64frombits(math.Float64bits(power)+math.Float64bits(whole)<<52))
}
