package naive

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"resolwe/format/mln"
)

// ErrNoOptimum says that Newton's method did not converge.
var ErrNoOptimum = errors.New("newton's method does not converge")

// Optimum returns the weights that maximise the conditional log-likelihood of the data with a Gaussian prior of these means and
// of deviation sigma, by Newton's method on enumerated expectations. The data has to satisfy hard formulas. Errors are those of
// Enumerate, and ErrNoOptimum.
func Optimum(worlds []*World, fs []*mln.Formula, mean []float64, sigma float64) ([]float64, error) {
	const tolerance, steps = 1e-8, 100
	n, w := len(fs), slices.Clone(mean)
	for range steps {
		gradient, curvature := mat.NewVecDense(n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			gradient.SetVec(i, (mean[i]-w[i])/(sigma*sigma))
			curvature.Set(i, i, 1/(sigma*sigma))
		}
		for _, world := range worlds {
			d, err := world.Enumerate(fs, w, Rules{})
			if err != nil {
				return nil, err
			}
			expected, covariance := d.Mean(), d.Covariance()
			for i, value := range world.Values(fs) {
				gradient.SetVec(i, gradient.AtVec(i)+value-expected[i])
				for j := range n {
					curvature.Set(i, j, curvature.At(i, j)+covariance[i][j])
				}
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(curvature, gradient); err != nil {
			return nil, errors.Join(ErrNoOptimum, err)
		}
		size := mat.Norm(&step, math.Inf(1))
		for i := range w {
			w[i] += float64(min(1, 1/size) * step.AtVec(i))
		}
		if size < tolerance {
			return w, nil
		}
	}
	return nil, ErrNoOptimum
}
