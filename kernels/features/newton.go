package features

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// penalised returns the gradient of the penalised log-likelihood.
func (f *Fit) penalised(p Prior) []float64 {
	g, n := slices.Clone(f.Gradient), len(f.Weights)
	for c, v := range f.variances {
		g[c] -= float64(p.Shrink * v * f.Weights[c])
	}
	if p.Precision != nil {
		for c := range g {
			for k, v := range p.Precision[c*n : (c+1)*n] {
				g[c] -= float64(v * (f.Weights[k] - p.Mean[k]))
			}
		}
	}
	return g
}

// damping is added to the diagonal of the Hessian, which may be singular without a prior.
const damping = 1e-9

// step returns the Newton step for a gradient, using the current Hessian, and the gain in nats that it predicts.
func (f *Fit) step(g []float64, p Prior) (d []float64, promise float64) {
	if f.Lean {
		d = f.solve(g, p)
		return d, elementary.Dot(d, g) / 2
	}
	n := len(g)
	a := make([]float64, n*n)
	copy(a, p.Precision)
	for j, row := range f.hessian {
		for k, v := range row {
			a[j*n+k] += v
		}
		a[j*n+j] += damping
		a[j*n+j] += float64(p.Shrink * f.variances[j])
	}
	d = append(d, g...)
	if !elementary.Solve(a, d) {
		return make([]float64, n), 0
	}
	for j, v := range d {
		promise += float64(v * g[j] / 2)
	}
	return d, promise
}

// Move adds t times d to the weights.
func (f *Fit) Move(d []float64, t float64) {
	by := make([]float64, len(d))
	for c, v := range d {
		by[c] = float64(t * v)
		f.Weights[c] += by[c]
	}
	f.residuals(by)
}

// Climb takes Newton steps until one promises at most tolerance nats, or the steps are used up.
//
// A step that overshoots the optimum along its direction, as the slope shows, is shortened by the secant; the objective is concave, so this
// cannot oscillate. Then the Hessian is recomputed. Climb reports whether it took a step.
func (f *Fit) Climb(p Prior, tolerance float64, steps int) (moved bool) {
	g := f.penalised(p)
	for range steps {
		d, promise := f.step(g, p)
		if promise <= tolerance || f.stopped() {
			return moved
		}
		moved = true
		before, whole := elementary.Dot(g, d), 1.0
		f.Move(d, 1)
		g = f.penalised(p)
		for range 30 {
			after := elementary.Dot(g, d)
			if after >= -before/4 || f.stopped() {
				break
			}
			t := whole * before / (before - after)
			f.Move(d, t-whole)
			whole = t
			g = f.penalised(p)
		}
		if whole < 1 || 2*math.Abs(elementary.Dot(g, d)) > before/2 {
			f.Refresh()
		}
	}
	return moved
}

// Optimum climbs to within about tolerance nats of the optimum. A step that promises nothing with an old Hessian may do so with a new one.
func (f *Fit) Optimum(p Prior, tolerance float64) {
	for k := 0; ; k++ {
		if moved := f.Climb(p, tolerance, 30); f.Lean || k == 2 || k > 0 && !moved {
			return
		}
		f.Refresh()
	}
}

// At returns the weights for another prior, and a fit near them to continue from: f, or if a step to them promises more than tolerance
// nats, a copy that climbs to within a tenth of that.
func (f *Fit) At(p Prior, tolerance float64, steps int) ([]float64, *Fit) {
	d, promise := f.step(f.penalised(p), p)
	if promise > tolerance {
		other := f.clone()
		other.Climb(p, tolerance/10, steps)
		return other.Weights, other
	}
	for c := range d {
		d[c] += f.Weights[c]
	}
	return d, f
}

// solve approximates the Newton step for a gradient by conjugate gradients, preconditioned by the Hessian's diagonal, using only products
// of the Hessian with a vector (truncated Newton; Nash and Nocedal, 1991).
func (f *Fit) solve(g []float64, prior Prior) []float64 {
	n := len(g)
	x, r, p, q, diagonal := make([]float64, n), slices.Clone(g), make([]float64, n), make([]float64, n), make([]float64, n)
	for c := range f.Columns {
		f.Columns[c].times(f.Variance, f.scratch)
		diagonal[c] = f.Columns[c].dot(f.scratch) + f.precision(c, prior)
	}
	before, first := 0.0, 0.0
	for step := range 200 {
		for c, v := range r {
			q[c] = v / diagonal[c]
		}
		now := elementary.Dot(r, q)
		if step == 0 {
			first = now
		}
		if now <= 1e-4*first || f.stopped() {
			break
		}
		for c, v := range q {
			if step == 0 {
				p[c] = v
			} else {
				p[c] = v + float64(now/before*p[c])
			}
		}
		before = now
		f.product(p, q, prior)
		t := now / elementary.Dot(p, q)
		for c, v := range p {
			x[c] += float64(t * v)
			r[c] -= float64(t * q[c])
		}
	}
	return x
}

// precision returns what a prior and damping add to the diagonal of the Hessian.
func (f *Fit) precision(c int, p Prior) float64 {
	return damping + float64(p.Shrink*f.variances[c])
}

// product sets out to the Hessian times v. It runs tasks over rows and then over columns concurrently, with each sum in the order of the
// rows.
func (f *Fit) product(v, out []float64, prior Prior) {
	rows := f.scratch
	f.Run(f.countBlocks(), func(b int) {
		lo, hi := f.block(b)
		clear(rows[lo:hi])
		for c := range f.Columns {
			f.blocks[c][b].AddTo(rows, v[c])
		}
		for i := lo; i < hi; i++ {
			rows[i] *= f.Variance[i]
		}
	})
	some := (len(f.Columns) + columnTasks - 1) / columnTasks
	f.Run(columnTasks, func(k int) {
		for c := min(k*some, len(f.Columns)); c < min((k+1)*some, len(f.Columns)); c++ {
			out[c] = 0
			for b := range f.blocks[c] {
				out[c] += f.blocks[c][b].dot(rows)
			}
			out[c] += float64(f.precision(c, prior) * v[c])
		}
	})
}

// columnTasks is the number of tasks for the columns of a product.
const columnTasks = 32
