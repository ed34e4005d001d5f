package gain

import "slices"

// Residuals truth - p and variances p (1 - p) enter histograms as whole numbers, so that sums are exact: as multiples of
// 2^-20 and 2^-22, in the halves of one word. A word holds the sum of up to wordRows rows.
const (
	residualBits, varianceBits = 20, 22
	wordRows                   = 2048
)

// pack returns the word of a row. Additions of half a unit round to nearest.
func pack(r, h float64) uint64 {
	up := .5
	if r < 0 {
		up = -.5
	}
	residual := int64(float64(r*(1<<residualBits)) + up)
	variance := int64(float64(h*(1<<varianceBits)) + .5)
	return uint64(residual)<<32 + uint64(variance) // #nosec G115 -- wraps round, as the sums do
}

// total sums up rows: residuals, variances, and how many rows there are.
type total struct{ r, h, n int64 }

func (t total) plus(o total) total  { return total{t.r + o.r, t.h + o.h, t.n + o.n} }
func (t total) minus(o total) total { return total{t.r - o.r, t.h - o.h, t.n - o.n} }

// unpack returns the total of a word of rows, but for their number.
func unpack(word uint64) total {
	return total{r: int64(int32(word >> 32)), h: int64(word & (1<<32 - 1))} // #nosec G115 -- halves, the upper one signed
}

// totalOf returns that of places.
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

// histogram holds totals of rows by slot; accumulated, each also holds those of all slots after it. Such a total may go
// round past 2^63, but a difference of two is a span's and exact.
type histogram struct {
	slots []total // and one after the last
	all   total   // of all rows
	words []uint64
	count []uint32
}

// span returns the total of the slots of s.
func (g *histogram) span(s span) total { return g.slots[s.lo].minus(g.slots[s.hi]) }

// fill takes the rows of the matrix, and accumulates. Places index rows and words.
func (g *histogram) fill(m *Matrix, rows, places []uint32, words []uint64) {
	g.make(len(m.level))
	g.all = totalOf(words, places)
	sums, count := g.words, g.count
	for some := range slices.Chunk(places, wordRows) {
		for _, at := range some {
			i, word := rows[at], words[at]
			for _, c := range m.slots[m.first[i]:m.first[i+1]] {
				sums[c] += word
				count[c]++
			}
		}
		for c, word := range g.words {
			if word != 0 {
				g.slots[c] = g.slots[c].plus(unpack(word))
			}
		}
		clear(g.words)
	}
	for i := len(g.count) - 1; i >= 0; i-- {
		g.slots[i].n = int64(g.count[i])
		g.slots[i] = g.slots[i].plus(g.slots[i+1])
	}
}

// make clears the histogram, of n slots.
func (g *histogram) make(n int) {
	if g.slots == nil {
		g.slots, g.words, g.count = make([]total, n+1), make([]uint64, n), make([]uint32, n)
	}
	clear(g.slots)
	clear(g.count)
}

// moments are the sums over rows that a column's gain depends on: of residuals, of variances and of ones, each times the
// column's value; the last two also times its square.
type moments struct{ r, h, hh, n, nn float64 }

// ones returns the moments of a column of ones on the rows of t.
func (t total) ones() moments {
	h, n := float64(t.h)/(1<<varianceBits), float64(t.n)
	return moments{float64(t.r) / (1 << residualBits), h, h, n, n}
}

// variance returns the column's variance over n rows.
func (c moments) variance(n float64) float64 {
	mean := c.n / n
	return c.nn/n - float64(mean*mean)
}

// gain returns, to second order, what the column would add to the log-likelihood of all rows with a shrinkage, the intercept
// moving along.
func (c moments) gain(all moments, shrink float64) float64 {
	g := c.r - float64(c.h/all.h*all.r)
	curvature := c.hh - float64(c.h/all.h*c.h) + float64(shrink*c.variance(all.n))
	if !(curvature > 0) {
		return 0
	}
	return g * g / (2 * curvature)
}
