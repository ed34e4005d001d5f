package gain

import "slices"

// Residuals truth - p and variances p (1 - p) are summed as integers, so that sums are exact: as multiples of 2^-20 and 2^-22, in the
// halves of one word. A word can hold the sum of up to wordRows rows: residuals are at most 1, so that one row more would reach the sign.
const (
	residualBits, varianceBits = 20, 22
	wordRows                   = 1<<(31-residualBits) - 1
)

// pack returns the word of a row. Adding half a unit rounds to nearest.
func pack(r, h float64) uint64 {
	up := .5
	if r < 0 {
		up = -.5
	}
	residual := int64(float64(r*(1<<residualBits)) + up)
	variance := int64(float64(h*(1<<varianceBits)) + .5)
	return uint64(residual)<<32 + uint64(variance) // #nosec G115 -- wraps round, as the sums do
}

// total is a sum over rows: of residuals, of variances, and the number of rows.
type total struct{ r, h, n int64 }

func (t total) plus(o total) total  { return total{t.r + o.r, t.h + o.h, t.n + o.n} }
func (t total) minus(o total) total { return total{t.r - o.r, t.h - o.h, t.n - o.n} }

// unpack returns the total in a word, without the number of rows.
func unpack(word uint64) total {
	return total{r: int64(int32(word >> 32)), h: int64(word & (1<<32 - 1))} // #nosec G115 -- halves, the upper one signed
}

// totalOf returns the total of some places.
func totalOf(words []uint64, places []uint32) (t total) {
	for some := range slices.Chunk(places, wordRows) {
		sum := uint64(0)
		for _, at := range some {
			sum += words[at]
		}
		t = t.plus(unpack(sum))
	}
	t.n = int64(len(places))
	return t
}

// moments are the sums over rows that determine a column's gain: residuals, variances and ones, each times the column's value; the last two
// also times its square.
type moments struct{ r, h, hh, n, nn float64 }

// ones returns the moments of a column that is 1 on the rows of t.
func (t total) ones() moments {
	h, n := float64(t.h)/(1<<varianceBits), float64(t.n)
	return moments{float64(t.r) / (1 << residualBits), h, h, n, n}
}

// variance returns the column's variance over n rows.
func (c moments) variance(n float64) float64 {
	mean := c.n / n
	return c.nn/n - float64(mean*mean)
}

// gain returns, to second order, how much the column would add to the log-likelihood of all rows with a shrinkage, if the intercept is
// refitted too.
func (c moments) gain(all moments, shrink float64) float64 {
	share := 0. // of the intercept; without any variance it has no optimum, and stays
	if all.h > 0 {
		share = c.h / all.h
	}
	g := c.r - float64(share*all.r)
	curvature := c.hh - float64(share*c.h) + float64(shrink*c.variance(all.n))
	if !(curvature > 0) {
		return 0
	}
	return g * g / (2 * curvature)
}
