package gain

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
