package gain

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// fit is a logistic model of the truth of rows: an intercept and a weight for each column. A weight's prior is Gaussian with precision
// shrink / the column's variance.
type fit struct {
	truth   []bool
	offset  []float64 // added to a row's log-odds; nil for zeros
	columns []entries
	blocks  [][]entries // by column
	vars    []float64   // variance of each column over the rows

	w []float64 // the intercept, then the columns'
	z []float64 // log-odds of a row
	r []float64 // truth - p
	h []float64 // p (1 - p)
	g []float64 // slope of the log-likelihood for each weight

	opt       *Options    // Run and Stop
	many      bool        // so many columns that there is no Hessian
	hessian   [][]float64 // lower half, by rows, of the Hessian of minus the log-likelihood, at reference
	reference []float64   // h at some recent weights
	scratch   []float64   // by row

	slope [][]float64            // by block: its part of g
	parts [curveBlocks][]float64 // of the Hessian, by block from the first that is not yet added
}

// newFit starts with the intercept alone, adding half a row of each truth value.
func newFit(truth []bool, offset []float64, opt *Options) *fit {
	n, t := float64(len(truth)), 0.0
	for _, v := range truth {
		if v {
			t++
		}
	}
	f := &fit{truth: truth, offset: offset, opt: opt, w: []float64{elementary.Log((t+.5)/(n-t+.5)) - sum(offset)/n}}
	f.z = make([]float64, len(truth))
	copy(f.z, offset)
	f.r, f.h = make([]float64, len(truth)), make([]float64, len(truth))
	f.scratch = make([]float64, len(truth))
	for i := range f.z {
		f.z[i] += f.w[0]
	}
	f.g = []float64{0}
	f.residuals(nil)
	f.refresh()
	return f
}

// block returns the rows of a block.
func (f *fit) block(b int) (lo, hi int) { return b * blockRows, min((b+1)*blockRows, len(f.z)) }

func (f *fit) countBlocks() int { return (len(f.z) + blockRows - 1) / blockRows }

// residuals adds d, unless nil, to the weights and sets r, h and g accordingly.
func (f *fit) residuals(d []float64) {
	blocks := f.countBlocks()
	for len(f.slope) < blocks {
		f.slope = append(f.slope, nil)
	}
	f.opt.Run(blocks, func(b int) {
		lo, hi := f.block(b)
		z, r, h := f.z[lo:hi], f.r[lo:hi], f.h[lo:hi]
		if d != nil {
			for i := range z {
				z[i] += d[0]
			}
			for c := range f.columns {
				f.blocks[c][b].addTo(f.z, d[c+1])
			}
		}
		for i, t := range f.truth[lo:hi] {
			p := elementary.Sigmoid(z[i])
			h[i] = p * (1 - p)
			if t {
				r[i] = 1 - p
			} else {
				r[i] = -p
			}
		}
		g := f.slope[b][:0]
		g = append(g, sum(r))
		for c := range f.columns {
			g = append(g, f.blocks[c][b].dot(f.r))
		}
		f.slope[b] = g
	})
	clear(f.g)
	for _, g := range f.slope[:blocks] {
		for c, v := range g {
			f.g[c] += v
		}
	}
}

// add adds a column, of weight 0, to the model.
func (f *fit) add(e entries) {
	f.include(e)
	f.g[len(f.columns)] = e.dot(f.r)
	f.curve(len(f.columns))
}

// include adds a column without its slope and its row of the Hessian.
func (f *fit) include(e entries) {
	f.columns = append(f.columns, e)
	f.blocks = append(f.blocks, e.blocks(len(f.truth)))
	f.vars = append(f.vars, e.moments().variance(float64(len(f.truth))))
	f.w, f.g = append(f.w, 0), append(f.g, 0)
}

// curve sets the Hessian's rows from one on; row 0 is the intercept's.
func (f *fit) curve(from int) {
	for len(f.hessian) < len(f.w) {
		f.hessian = append(f.hessian, make([]float64, len(f.hessian)+1))
	}
	for _, row := range f.hessian[from:] {
		clear(row)
	}
	blocks := f.countBlocks()
	for first := 0; first < blocks && !f.stopped(); first += curveBlocks {
		n := min(curveBlocks, blocks-first)
		f.opt.Run(n, func(k int) { f.parts[k] = f.curvePart(f.parts[k][:0], first+k, from) })
		for _, part := range f.parts[:n] {
			for _, row := range f.hessian[from:] {
				for j := range row {
					row[j] += part[j]
				}
				part = part[len(row):]
			}
		}
	}
}

// curveBlocks is the number of blocks whose parts of the Hessian are kept until they are added in order.
const curveBlocks = 16

// curvePart appends what a block contributes to the Hessian's rows from one on.
func (f *fit) curvePart(part []float64, b, from int) []float64 {
	lo, hi := f.block(b)
	for c := from; c < len(f.hessian); c++ {
		values := f.reference
		if c > 0 {
			values = f.scratch
			clear(values[lo:hi])
			f.blocks[c-1][b].times(f.reference, values)
		}
		part = append(part, sum(values[lo:hi]))
		for j := range c {
			part = append(part, f.blocks[j][b].dot(values))
		}
	}
	return part
}

// refresh moves the reference to the present weights.
func (f *fit) refresh() {
	if f.many {
		return
	}
	f.reference = append(f.reference[:0], f.h...)
	f.curve(0)
}

// stopped reports whether fitting should end.
func (f *fit) stopped() bool { return f.opt.Stop() != nil }

// gradient returns the gradient of the penalised log-likelihood.
func (f *fit) gradient(shrink float64) []float64 {
	g := append([]float64(nil), f.g...)
	for c, v := range f.vars {
		g[c+1] -= float64(shrink * v * f.w[c+1])
	}
	return g
}

// Gains of a Newton step, in nats a row, below which the weights after it count as optimal; the smaller one if the weights are judged.
const near, nearer = 1e-2, 3e-4

// at returns the weights for another shrinkage, and a fit near them to continue from: f, or a copy with these weights.
func (f *fit) at(shrink, near float64) ([]float64, *fit) {
	d, promise := f.step(f.gradient(shrink), shrink)
	if limit := near * float64(len(f.truth)); promise > limit {
		other := f.clone()
		other.refit(shrink, limit/10, refits)
		return other.w, other
	}
	for c := range d {
		d[c] += f.w[c]
	}
	return d, f
}

// clone returns a copy that shares only columns and memory: one of the two may be used at a time.
func (f *fit) clone() *fit {
	other := *f
	for _, values := range [...]*[]float64{&other.w, &other.g, &other.z, &other.r, &other.h, &other.reference} {
		*values = slices.Clone(*values)
	}
	other.hessian = slices.Clone(f.hessian)
	for c, row := range f.hessian {
		other.hessian[c] = slices.Clone(row)
	}
	return &other
}

// step returns the Newton step for a gradient, using the current Hessian, and the gain in nats that it predicts.
func (f *fit) step(g []float64, shrink float64) (d []float64, promise float64) {
	if f.many {
		d = f.solve(g, shrink)
		return d, elementary.Dot(d, g) / 2
	}
	n := len(g)
	a := make([]float64, n*n)
	for j := range n {
		copy(a[j*n:], f.hessian[j])
		a[j*n+j] += 1e-9
		if j > 0 {
			a[j*n+j] += float64(shrink * f.vars[j-1])
		}
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

// move adds t times d to the weights.
func (f *fit) move(d []float64, t float64) {
	by := make([]float64, len(d))
	for c, v := range d {
		by[c] = float64(t * v)
		f.w[c] += by[c]
	}
	f.residuals(by)
}

// refit takes Newton steps until one promises at most tolerance nats, or the steps are used up.
//
// A step that overshoots the optimum along its direction, as the slope shows, is shortened by the secant; the objective is concave, so this
// cannot oscillate. Then the Hessian is recomputed.
func (f *fit) refit(shrink, tolerance float64, steps int) {
	g := f.gradient(shrink)
	for range steps {
		d, promise := f.step(g, shrink)
		if promise <= tolerance || f.stopped() {
			return
		}
		before, whole := elementary.Dot(g, d), 1.0
		f.move(d, 1)
		g = f.gradient(shrink)
		for range 30 {
			after := elementary.Dot(g, d)
			if after >= -before/4 || f.stopped() {
				break
			}
			t := whole * before / (before - after)
			f.move(d, t-whole)
			whole = t
			g = f.gradient(shrink)
		}
		if whole < 1 || 2*math.Abs(elementary.Dot(g, d)) > before/2 {
			f.refresh()
		}
	}
}

// optimum fits to within about 1e-9 nats a row.
func (f *fit) optimum(shrink float64) {
	for k := range 3 { // a step that promises nothing with an old Hessian may do so with a new one
		if f.refit(shrink, 1e-9*float64(len(f.truth)), 30); f.many || k == 2 {
			break
		}
		f.refresh()
	}
}
