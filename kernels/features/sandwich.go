package features

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Sandwich returns the standard errors of the weights of a fit that is at its optimum for a prior, robust to any dependence between rows of
// a cluster (Liang and Zeger, 1986): the roots of the diagonal of H^-1 (sum of g g') H^-1 C/(C-1), where H is the information with the
// prior's, and g the summed scores of each of C clusters, less their mean, which a prior has differ from 0. cluster is by row, from 0. It
// computes the Hessian at the weights; the prior has no matrix. The errors are infinite where the Hessian is singular, NaN of one cluster.
func (f *Fit) Sandwich(p Prior, cluster []uint32, clusters int) []float64 {
	f.Refresh()
	n, c := len(f.Weights), float64(clusters)
	scores := make([][]float64, n)
	f.Run(n, func(j int) {
		values, g := make([]float64, len(f.Truth)), make([]float64, clusters)
		f.Columns[j].AddTo(values, 1)
		for i, v := range values {
			g[cluster[i]] += float64(v * f.Residual[i])
		}
		mean := Sum(g) / c
		for k := range g {
			g[k] -= mean
		}
		scores[j] = g
	})
	meat := make([]float64, n*n)
	f.Run(n, func(j int) {
		for k := range j + 1 {
			v := elementary.Dot(scores[j], scores[k])
			meat[j*n+k], meat[k*n+j] = v, v
		}
	})
	information := f.Information()
	for j := range n {
		information[j*n+j] += f.precision(j, p)
	}
	errors, ok := RobustVariances(information, meat, f.Run)
	for j, v := range errors {
		if errors[j] = math.Sqrt(v * c / (c - 1)); !ok {
			errors[j] = math.Inf(1)
		}
	}
	return errors
}

// RobustVariances returns the diagonal of H^-1 V H^-1, where H is the information on weights, and V the sum over clusters of the products
// of their scores, both by rows. It returns false where H is singular. run calls task(0) to task(n-1).
func RobustVariances(information, spread []float64, run func(n int, task func(int))) (variances []float64, ok bool) {
	n := int(math.Sqrt(float64(len(information))))
	variances = make([]float64, n)
	run(n, func(j int) {
		h := make([]float64, n) // a column of H^-1, which is symmetric
		h[j] = 1
		if !elementary.Solve(slices.Clone(information), h) {
			variances[j] = math.NaN()
			return
		}
		for k, at := range h {
			variances[j] += float64(at * elementary.Dot(spread[k*n:(k+1)*n], h))
		}
	})
	return variances, !slices.ContainsFunc(variances, math.IsNaN)
}
