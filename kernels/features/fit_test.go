package features_test

import (
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
)

// drawn is a random fit, and the dense values of its columns by row.
type drawn struct {
	rows    features.Observed
	columns []features.Column
	x       [][]float64
	prior   features.Prior
}

// draw draws columns of every kind, on more rows than a block has if large, with a prior that suits a Lean fit if asked.
func draw(r *rand.Rand, large, lean bool) *drawn {
	n, k := 5+r.IntN(40), 1+r.IntN(6)
	if large {
		n = 2048*16 + r.IntN(5000)
	}
	d := &drawn{x: make([][]float64, n)}
	d.add(features.Ones(n), func(int) float64 { return 1 })
	for range k {
		var c features.Column
		values, dense := make([]float64, n), r.IntN(4) == 0
		kind := r.IntN(3)
		for i := range n {
			if !dense && r.IntN(3) == 0 {
				continue
			}
			switch l := r.IntN(30); {
			case dense:
				values[i] = r.NormFloat64()
			case kind == 0:
				c.Rows, values[i] = append(c.Rows, uint32(i)), 1
			case kind == 1:
				c.Add(i, uint8(l))
				values[i] = features.Logs[l]
			default:
				values[i] = r.NormFloat64()
				c.Rows, c.Values = append(c.Rows, uint32(i)), append(c.Values, values[i])
			}
		}
		if dense {
			c = features.Dense(slices.Clone(values))
		}
		d.add(c, func(i int) float64 { return values[i] })
	}
	for i := range n {
		d.rows.Truth = append(d.rows.Truth, r.Float64() < 1/(1+math.Exp(1-d.x[i][len(d.x[i])-1])))
	}
	d.rows.Truth[0], d.rows.Truth[1] = true, false // else there is no optimum
	if r.IntN(2) == 0 {
		for range n {
			d.rows.Offset = append(d.rows.Offset, r.NormFloat64())
		}
	}
	if r.IntN(2) == 0 {
		for range n {
			d.rows.Atoms = append(d.rows.Atoms, float64(1+r.IntN(4)))
		}
	}
	if d.prior.Shrink = 1 + 5*r.Float64(); !lean && r.IntN(2) == 0 { // or a prior about some weights, that ties them
		m := len(d.columns)
		d.prior.Shrink, d.prior.Mean, d.prior.Precision = 0, make([]float64, m), make([]float64, m*m)
		for i := range m {
			d.prior.Mean[i] = r.NormFloat64()
			d.prior.Precision[i*m+i] = 1
		}
		for range 3 {
			v := make([]float64, m)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			for i := range m {
				for j := range m {
					d.prior.Precision[i*m+j] += v[i] * v[j]
				}
			}
		}
	}
	return d
}

func (d *drawn) add(c features.Column, value func(i int) float64) {
	d.columns = append(d.columns, c)
	for i := range d.x {
		d.x[i] = append(d.x[i], value(i))
	}
}

// precision returns the matrix of the prior.
func (d *drawn) precision() []float64 {
	if d.prior.Precision != nil {
		return d.prior.Precision
	}
	m, n := len(d.columns), float64(len(d.x))
	out := make([]float64, m*m)
	for c := range m {
		sum, squares := 0., 0.
		for _, x := range d.x {
			sum += x[c]
			squares += x[c] * x[c]
		}
		out[c*m+c] = d.prior.Shrink * (squares/n - sum/n*sum/n)
	}
	return out
}

// slopes returns the gradient of the penalised log-likelihood and the information at some weights, with sums of 200 bits.
func (d *drawn) slopes(w []float64) (gradient, information []float64) {
	m := len(w)
	sums := make([]big.Float, m+m*m)
	add := func(to int, v float64) {
		sums[to].SetPrec(200)
		sums[to].Add(&sums[to], big.NewFloat(v))
	}
	for i, x := range d.x {
		z, atoms, truth := 0., 1., 0.
		for c, v := range x {
			z += w[c] * v
		}
		if d.rows.Offset != nil {
			z += d.rows.Offset[i]
		}
		if d.rows.Atoms != nil {
			atoms = d.rows.Atoms[i]
		}
		if d.rows.Truth[i] {
			truth = 1
		}
		p := 1 / (1 + math.Exp(-z))
		for c, v := range x {
			add(c, atoms*(truth-p)*v)
			for k, u := range x {
				add(m+c*m+k, atoms*p*(1-p)*v*u)
			}
		}
	}
	for i, q := range d.precision() {
		c, k := i/m, i%m
		mean := 0.
		if d.prior.Mean != nil {
			mean = d.prior.Mean[k]
		}
		add(c, -q*(w[k]-mean))
	}
	out := make([]float64, len(sums))
	for i := range sums {
		out[i], _ = sums[i].Float64()
	}
	return out[:m], out[m:]
}

// checkStep compares a fit's information, and where a Newton step leads, with the twin's.
func (d *drawn) checkStep(t *testing.T, seed uint64, f *features.Fit) {
	t.Helper()
	gradient, information := d.slopes(f.Weights)
	near := 1e-6
	if f.Lean {
		near = .02 // of the gradient, as conjugate gradients end
	} else {
		for i, v := range f.Information() {
			if math.Abs(v-information[i]) > 1e-9*(1+math.Abs(information[i])) {
				t.Fatalf("seed %d: got information %v, want %v", seed, f.Information(), information)
			}
		}
	}
	to, _ := f.At(d.prior, math.Inf(1), 0)
	m, precision := len(to), d.precision()
	rest, all := 0., 0. // of the gradient where the step has ended, by the quadratic model; and of the whole one
	for c, g := range gradient {
		all += g * g / information[c*m+c]
		for k := range m {
			g -= (information[c*m+k] + precision[c*m+k]) * (to[k] - f.Weights[k])
		}
		rest += g * g / information[c*m+c]
	}
	if math.Sqrt(rest) > near*(1+math.Sqrt(all)) {
		t.Fatalf("seed %d: a step from %v to %v leaves %v of a gradient of %v", seed, f.Weights, to, math.Sqrt(rest), math.Sqrt(all))
	}
}

// The optimum is where the gradient of a dense twin vanishes, for columns of every kind, with or without a Hessian, and however the fit came
// by its columns. Steps there, and from the start, are the twin's.
func TestFit_Optimum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 8))
		lean := seed%2 == 0
		d := draw(r, seed < 2, lean)
		work := features.Alone
		work.Lean = lean
		start := make([]float64, len(d.columns))
		start[0] = d.rows.BaseLogOdds()
		k := r.IntN(len(d.columns))
		f := features.NewFit(d.rows, d.columns[:len(d.columns)-k], start[:len(d.columns)-k], work)
		last, wrong := d.columns[len(d.columns)-k:], r.IntN(2) == 0
		for _, c := range last {
			if wrong {
				c = features.Ones(len(d.x))
			}
			f.Add(c)
		}
		if wrong {
			f.Replace(last)
		}
		d.checkStep(t, seed, f)
		f.Optimum(d.prior, 1e-13)
		f.Refresh()
		d.checkStep(t, seed, f)
		gradient, information := d.slopes(f.Weights)
		for c, g := range gradient {
			if scale := math.Sqrt(information[c*len(gradient)+c]) + 1; math.Abs(g) > 1e-5*scale {
				t.Fatalf("seed %d: gradient %v at the optimum %v, information %v", seed, gradient, f.Weights, information)
			}
		}
	}
}

// At leads to another prior's optimum without moving the fit it starts from.
func TestFit_At(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		d := draw(r, false, false)
		f := features.NewFit(d.rows, d.columns, make([]float64, len(d.columns)), features.Alone)
		f.Optimum(d.prior, 1e-12)
		before := slices.Clone(f.Weights)
		d.prior.Shrink *= 20
		got, _ := f.At(d.prior, 1e-9, 30)
		check.Equal(t, "weights", f.Weights, before)
		f.Optimum(d.prior, 1e-13)
		for c, w := range f.Weights {
			if math.Abs(got[c]-w) > 1e-3 {
				t.Fatalf("seed %d: got %v, want %v", seed, got, f.Weights)
			}
		}
	}
}

// Tasks that run at once, in any order, lead to the same bits.
func TestFit_Concurrent(t *testing.T) {
	t.Parallel()
	backwards := features.Alone
	backwards.Run = func(n int, task func(int)) {
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { task(n - 1 - i) })
		}
		all.Wait()
	}
	for seed := range uint64(2) {
		d := draw(rand.New(rand.NewPCG(seed, 10)), true, seed == 0)
		var want []float64
		for _, work := range []features.Work{features.Alone, backwards} {
			work.Lean = seed == 0
			f := features.NewFit(d.rows, d.columns, make([]float64, len(d.columns)), work)
			f.Optimum(d.prior, 1e-6)
			if want == nil {
				want = f.Weights
			}
			check.Equal(t, "weights", f.Weights, want)
		}
	}
}

// Work ends a fit before its optimum.
func TestFit_Stop(t *testing.T) {
	t.Parallel()
	d := draw(rand.New(rand.NewPCG(3, 3)), false, false)
	work := features.Alone
	work.Stop = func() error { return io.EOF }
	f := features.NewFit(d.rows, d.columns, make([]float64, len(d.columns)), work)
	f.Optimum(d.prior, 1e-13)
	check.Equal(t, "weights", f.Weights, make([]float64, len(d.columns)))
}
