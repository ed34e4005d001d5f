package gain

// moments are the sums over rows that a column's gain depends on: of residuals, of variances and of ones, each times the
// column's value; the last two also times its square.
type moments struct{ r, h, hh, n, nn float64 }

// ones returns the moments of a column of ones on the rows of t.
func (t total) ones() moments {
	h, n := float64(t.h)/(1<<varianceBits), float64(t.n)
	return moments{float64(t.r) / (1 << residualBits), h, h, n, n}
}

// logMoments returns the moments of a candidate's logarithms.
func (m *Matrix) logMoments(g *histogram, s span) (sum moments) {
	for i := s.lo; i < s.hi; i++ {
		t, v := g.span(span{i, i + 1}).ones(), logs[m.level[i]]
		sum.r += float64(v * t.r)
		sum.h += float64(v * t.h)
		sum.n += float64(v * t.n)
		sum.hh += float64(v * v * t.h)
		sum.nn += float64(v * v * t.n)
	}
	return sum
}

// variance returns the column's variance over n rows.
func (c moments) variance(n float64) float64 {
	mean := c.n / n
	return c.nn/n - float64(mean*mean)
}

// gain returns, to second order, what the column would add to the penalised log-likelihood of all rows, the intercept
// moving along.
func (c moments) gain(all moments) float64 {
	g := c.r - float64(c.h/all.h*all.r)
	curvature := c.hh - float64(c.h/all.h*c.h) + float64(growth*c.variance(all.n))
	if !(curvature > 0) {
		return 0
	}
	return g * g / (2 * curvature)
}
