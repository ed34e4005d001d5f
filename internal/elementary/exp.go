package elementary

import "math"

// Constants of exp(x) = 2^(k/64) exp(r), where k is whole and |r| <= ln 2 / 128.
const (
	perStep  = 0x1.71547652b82fep+6  // 64 / ln 2
	stepHigh = 0x1.62e42fefap-7      // ln 2 / 64 in so few bits that its products with k are exact
	stepLow  = 0x1.cf79abc9e3b3ap-46 // the rest of ln 2 / 64
	shift    = 3 << 51               // added to a number, it leaves the nearest integer in the last bits

	// Coefficients of exp(r) = 1 + r + r^2 (e2 + e3 r + ...), to 2^-68.
	e2, e3, e4, e5, e6 = 0.5, 0x1.5555555554dcdp-3, 0x1.5555555555191p-5, 0x1.111120b76a0aap-7, 0x1.6c16d1126fa59p-10
)

// Exp returns e to the power x.
func Exp(x float64) float64 {
	if !(math.Abs(x) < 708) { // NaN, or a result that is subnormal or infinite, or close to it
		return expFar(x, 0)
	}
	r, at := reduce(x)
	p := &powers[at%64]
	value := math.Float64frombits(math.Float64bits(p.value) + at>>6<<52)
	return value + float64(value*(r+(p.rest+beyond(r))))
}

// expFar is Exp(x + low) for any x, where low is small compared with x.
func expFar(x, low float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.NaN()
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	r, at := reduce(x)
	r += low
	p := &powers[at%64]
	k := int(int64(at>>6<<52) >> 52)
	return (p.value + float64(p.value*(r+(p.rest+beyond(r))))) * scale(k/2) * scale(k-k/2)
}

// reduce returns the r of x, for |x| < 746, and the k in the last eighteen bits of at.
func reduce(x float64) (r float64, at uint64) {
	moved := float64(x*perStep) + shift
	k := moved - shift
	return x - float64(k*stepHigh) - float64(k*stepLow), math.Float64bits(moved)
}

// beyond returns exp(r) - 1 - r.
func beyond(r float64) float64 {
	r2 := r * r
	return float64(r2 * (e2 + float64(r*e3) + float64(r2*(e4+float64(r*e5)+float64(r2*e6)))))
}

// scale returns 2^k for a k from -1022 to 1023.
func scale(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// Coefficients of exp(x) - 1 = x + x^2 / 2 + x^3 (m3 + m4 x + ...) for |x| <= 1/8, to a relative 2^-62.
const (
	m3, m4, m5, m6  = 0x1.5555555555555p-3, 0x1.5555555555555p-5, 0x1.11111111146ep-7, 0x1.6c16c16c18ff6p-10
	m7, m8, m9, m10 = 0x1.a01a00930ee1p-13, 0x1.a01a00ecbe6ffp-16, 0x1.71f9218da2e29p-19, 0x1.27f6eadb38abep-22
)

// Expm1 returns e to the power x, minus 1, without loss of precision for small x.
func Expm1(x float64) float64 {
	switch a := math.Abs(x); {
	case a < 0.125:
		x2 := x * x
		x4 := x2 * x2
		p := (m3 + float64(x*m4) + float64(x2*(m5+float64(x*m6)))) + float64(x4*(m7+float64(x*m8)+float64(x2*(m9+float64(x*m10)))))
		return x + (float64(0.5*x2) + float64(x2*x*p))
	case !(a < 40): // the 1 is lost, or everything but the 1
		if x < 0 {
			return -1
		}
		return Exp(x)
	}
	r, at := reduce(x)
	p := &powers[at%64]
	value := math.Float64frombits(math.Float64bits(p.value) + at>>6<<52)
	high := value - 1
	back := high - value
	low := (value - (high - back)) - (1 + back) // the rest of the difference
	return high + (low + float64(value*(r+(p.rest+beyond(r)))))
}
