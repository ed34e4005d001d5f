// Package cholesky solves systems of linear equations whose matrix is positive definite.
package cholesky

import "math"

// Solve overwrites b with the solution of A x = b, where A is symmetric and positive definite, n x n by rows; its lower
// half is overwritten by the Cholesky factor. It returns false where A is not positive definite.
func Solve(a, b []float64) bool {
	n := len(b)
	for j := range n {
		row := a[j*n : j*n+j+1]
		for k := range j {
			other := a[k*n : k*n+k+1]
			sum := row[k]
			for m, v := range other[:k] {
				sum -= float64(row[m] * v)
			}
			row[k] = sum / other[k]
		}
		d := row[j]
		for _, v := range row[:j] {
			d -= float64(v * v)
		}
		if !(d > 0) {
			return false
		}
		row[j] = math.Sqrt(d)
	}
	for j := range n {
		for k, v := range a[j*n : j*n+j] {
			b[j] -= float64(v * b[k])
		}
		b[j] /= a[j*n+j]
	}
	for j := n - 1; j >= 0; j-- {
		b[j] /= a[j*n+j]
		for k, v := range a[j*n : j*n+j] {
			b[k] -= float64(v * b[j])
		}
	}
	return true
}
