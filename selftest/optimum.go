package selftest

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"resolwe/format/mln"
	"resolwe/kernels/naive"
)

// errNoOptimum says that Newton's method did not converge.
var errNoOptimum = errors.New("newton's method does not converge")

// optimum maximises the conditional log-likelihood of a task's data with a Gaussian prior of deviation sigma, by Newton's method
// on expectations by enumeration. The prior's means are the weights of the task's formulas, with which fs begins; those of the
// others are 0. Formulas must not be hard.
func (t *task) optimum(fs []*mln.Formula, sigma float64) ([]float64, error) {
	const tolerance, steps = 1e-8, 100
	n := len(fs)
	mean := make([]float64, n)
	copy(mean, weights(t.model.Formulas))
	w := slices.Clone(mean)
	for range steps {
		gradient, curvature := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
		for i := range n {
			gradient.SetVec(i, (mean[i]-w[i])/(sigma*sigma))
			curvature.SetSym(i, i, 1/(sigma*sigma))
		}
		for _, world := range t.worlds {
			expected, _, err := world.Expectations(fs, w, naive.Rules{})
			if err != nil {
				return nil, err
			}
			covariance, err := world.Covariance(fs, w, naive.Rules{})
			if err != nil {
				return nil, err
			}
			for i, value := range world.Values(fs) {
				gradient.SetVec(i, gradient.AtVec(i)+value-expected[i])
				for j := range i + 1 {
					curvature.SetSym(i, j, curvature.At(i, j)+covariance[i][j])
				}
			}
		}
		var factors mat.Cholesky
		var step mat.VecDense
		if !factors.Factorize(curvature) {
			return nil, errNoOptimum
		}
		if err := factors.SolveVecTo(&step, gradient); err != nil {
			return nil, err
		}
		size := mat.Norm(&step, math.Inf(1))
		for i := range w {
			w[i] += float64(min(1, 1/size) * step.AtVec(i))
		}
		if size < tolerance {
			return w, nil
		}
	}
	return nil, errNoOptimum
}
