package features_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
)

// Errors are those of the definition, computed from dense rows.
func TestFit_Sandwich(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	compared := 0
	for k := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, k))
		d := draw(r, false, true)
		clusters := 2 + r.IntN(len(d.x)-1)
		cluster := make([]uint32, len(d.x))
		for i := range cluster {
			cluster[i] = uint32(i) % uint32(clusters)
		}
		r.Shuffle(len(cluster), func(i, j int) { cluster[i], cluster[j] = cluster[j], cluster[i] })
		f := features.NewFit(d.rows, d.columns, nil, features.Alone)
		f.Optimum(d.prior, 1e-12)
		got, want := f.Sandwich(d.prior, cluster, clusters), d.sandwich(f.Weights, cluster, clusters)
		if slices.ContainsFunc(want, math.IsNaN) { // a column is constant
			continue
		}
		compared++
		for j := range want {
			check.Near(t, got[j], want[j], 1e-5*math.Max(1, want[j]), "task %d: the error of weight %d of %d", k, j, len(want))
		}
	}
	check.AtLeast(t, compared, 30, "tasks")
}

// sandwich returns the roots of the diagonal of H^-1 V H^-1.
func (d *drawn) sandwich(w []float64, cluster []uint32, clusters int) []float64 {
	m := len(w)
	_, h := d.slopes(w)
	scores := make([][]float64, clusters)
	for c := range scores {
		scores[c] = make([]float64, m)
	}
	for i, x := range d.x {
		z, atoms := 0., 1.
		for c, v := range x {
			z += w[c] * v
		}
		if d.rows.Offset != nil {
			z += d.rows.Offset[i]
		}
		if d.rows.Atoms != nil {
			atoms = d.rows.Atoms[i]
		}
		residual := -1 / (1 + math.Exp(-z))
		if d.rows.Truth[i] {
			residual++
		}
		for c, v := range x {
			scores[cluster[i]][c] += atoms * residual * v
		}
	}
	mean := make([]float64, m)
	for _, g := range scores {
		for c, v := range g {
			mean[c] += v / float64(clusters)
		}
	}
	for c, p := range d.precision() {
		h[c] += p
	}
	out := make([]float64, m)
	for j := range m {
		row := column(h, m, j)
		sum := 0.
		for _, g := range scores {
			at := 0.
			for c, v := range row {
				at += v * (g[c] - mean[c])
			}
			sum += at * at
		}
		out[j] = math.Sqrt(sum * float64(clusters) / float64(clusters-1))
	}
	return out
}

// column returns a column of the inverse of a matrix of m rows, by Gauss and Jordan.
func column(matrix []float64, m, j int) []float64 {
	a := make([][]float64, m)
	for i := range a {
		a[i] = append(append([]float64(nil), matrix[i*m:(i+1)*m]...), 0)
	}
	a[j][m] = 1
	for c := range m {
		for i := range m {
			if i == c {
				continue
			}
			f := a[i][c] / a[c][c]
			for k := c; k <= m; k++ {
				a[i][k] -= f * a[c][k]
			}
		}
	}
	out := make([]float64, m)
	for i := range out {
		out[i] = a[i][m] / a[i][i]
	}
	return out
}
