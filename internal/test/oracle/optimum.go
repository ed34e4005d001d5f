package oracle

import (
	"errors"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
)

// ErrNoOptimum reports that Newton's method did not converge.
var ErrNoOptimum = errors.New("newton's method does not converge")

// Optimum returns the weights that maximise the conditional log-likelihood of the data, with a Gaussian prior of the given means and
// standard deviation sigma, by Newton's method on enumerated expectations. The data must satisfy the hard formulas. Errors are those of
// Enumerate, and ErrNoOptimum.
func Optimum(worlds []*World, fs []*mln.Formula, mean []float64, sigma float64) ([]float64, error) {
	const tolerance, steps = 1e-8, 100
	n, w := len(fs), slices.Clone(mean)
	for range steps {
		step, curvature := make([]float64, n), make([]float64, n*n) // the step is the gradient at first
		for i := range n {
			step[i] = (mean[i] - w[i]) / (sigma * sigma)
			curvature[i*n+i] = 1 / (sigma * sigma)
		}
		for _, world := range worlds {
			d, err := world.Enumerate(fs, w, Rules{})
			if err != nil {
				return nil, err
			}
			expected, covariance := d.Mean(), d.Covariance()
			for i, value := range world.Values(fs) {
				step[i] += value - expected[i]
				for j, c := range covariance[i] {
					curvature[i*n+j] += c
				}
			}
		}
		if !elementary.Solve(curvature, step) {
			return nil, ErrNoOptimum
		}
		size := 0.0
		for _, v := range step {
			size = max(size, math.Abs(v))
		}
		for i, v := range step {
			w[i] += float64(min(1, 1/size) * v)
		}
		if size < tolerance {
			return w, nil
		}
	}
	return nil, ErrNoOptimum
}
