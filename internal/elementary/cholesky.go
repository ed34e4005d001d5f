package elementary

import "math"

// Solve overwrites b with the solution of the linear equations A x = b, where A is symmetric and positive definite, n x n, stored
// by rows. The lower half of A is overwritten by the Cholesky factor. Solve returns false if A is not positive definite.
func Solve(a, b []float64) bool {
	n := len(b)
	if !factor(a, n) {
		return false
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

// Variances returns the diagonal of the inverse of A, which is as for Solve, or false if A is not positive definite.
func Variances(a []float64, n int) ([]float64, bool) {
	if !factor(a, n) {
		return nil, false
	}
	out, column := make([]float64, n), make([]float64, n)
	for k := range n { // a column of the inverse of the factor
		for i := k; i < n; i++ {
			v := 0.
			if i == k {
				v = 1
			}
			for m, l := range a[i*n+k : i*n+i] {
				v -= float64(l * column[k+m])
			}
			column[i] = v / a[i*n+i]
			out[k] += float64(column[i] * column[i])
		}
	}
	return out, true
}

// factor overwrites the lower half of A with its factor.
func factor(a []float64, n int) bool {
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
	return true
}
