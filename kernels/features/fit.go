package features

import (
	"slices"

	"resolwe/internal/elementary"
)

// Observed is what a fit explains.
type Observed struct {
	Truth  []bool
	Offset []float64 // by row, added to its log-odds; nil for zeros
	Atoms  []float64 // by row, how many atoms it stands for; nil for 1 each
}

// Work says how a fit computes.
type Work struct {
	Run  func(n int, task func(int)) // calls task(0) to task(n-1), possibly concurrently
	Stop func() error                // is called now and then; once it returns an error, the fit ends early, with meaningless weights
	Lean bool                        // without a Hessian, which takes long for many columns: steps are found by conjugate gradients
}

// Alone is work for one goroutine that nothing stops.
var Alone = Work{
	Run: func(n int, task func(int)) {
		for i := range n {
			task(i)
		}
	},
	Stop: func() error { return nil },
}

// Prior is a Gaussian prior of weights. The zero value is none.
type Prior struct {
	Shrink    float64   // at least 0: times a column's variance over the rows, the precision of its weight about 0
	Precision []float64 // matrix, by rows, of a further prior; nil for none, as a Lean fit requires
	Mean      []float64 // of that prior
}

// Fit is a logistic model of the truth of rows: their log-odds are the weighted sum of columns. It maximises the log-likelihood penalised
// by a prior.
type Fit struct {
	Observed
	Work

	Columns  []Column
	Weights  []float64
	Residual []float64 // by row: truth - p
	Variance []float64 // by row: p (1 - p)
	Gradient []float64 // of the log-likelihood, by weight

	blocks    [][]Column  // by column
	variances []float64   // of each column over the rows
	logOdds   []float64   // by row
	hessian   [][]float64 // lower half, by rows, of the Hessian of minus the log-likelihood, at reference; unless Lean
	reference []float64   // Variance at some recent weights
	scratch   []float64   // by row

	slopes [][]float64            // by block: its part of Gradient
	parts  [curveBlocks][]float64 // of the Hessian, by block from the first that is not yet added
}

// NewFit returns a fit at some weights, which it copies; those missing are 0.
func NewFit(rows Observed, columns []Column, weights []float64, work Work) *Fit {
	n := len(rows.Truth)
	f := &Fit{Observed: rows, Work: work, logOdds: make([]float64, n)}
	f.Residual, f.Variance, f.scratch = make([]float64, n), make([]float64, n), make([]float64, n)
	for _, c := range columns {
		f.include(c)
	}
	f.setWeights(weights)
	f.Refresh()
	return f
}

// LogOdds returns the log-odds of rows with some offsets, nil for zeros.
func LogOdds(rows int, offset []float64, columns []Column, weights []float64) []float64 {
	z := make([]float64, rows)
	copy(z, offset)
	for c, w := range weights {
		columns[c].AddTo(z, w)
	}
	return z
}

// setWeights sets the weights, which it copies.
func (f *Fit) setWeights(weights []float64) {
	copy(f.Weights, weights)
	f.logOdds = LogOdds(len(f.Truth), f.Offset, f.Columns, f.Weights)
	f.residuals(nil)
}

// block returns the rows of a block.
func (f *Fit) block(b int) (lo, hi int) { return b * blockRows, min((b+1)*blockRows, len(f.Truth)) }

func (f *Fit) countBlocks() int { return (len(f.Truth) + blockRows - 1) / blockRows }

// residuals adds d, unless nil, to the weights and sets Residual, Variance and Gradient accordingly.
func (f *Fit) residuals(d []float64) {
	blocks := f.countBlocks()
	for len(f.slopes) < blocks {
		f.slopes = append(f.slopes, nil)
	}
	f.Run(blocks, func(b int) {
		lo, hi := f.block(b)
		z, r, h := f.logOdds[lo:hi], f.Residual[lo:hi], f.Variance[lo:hi]
		for c, v := range d {
			f.blocks[c][b].AddTo(f.logOdds, v)
		}
		for i, t := range f.Truth[lo:hi] {
			p := elementary.Sigmoid(z[i])
			h[i] = p * (1 - p)
			if t {
				r[i] = 1 - p
			} else {
				r[i] = -p
			}
		}
		if f.Atoms != nil {
			for i, n := range f.Atoms[lo:hi] {
				r[i] *= n
				h[i] *= n
			}
		}
		g := f.slopes[b][:0]
		for c := range f.Columns {
			g = append(g, f.blocks[c][b].dot(f.Residual))
		}
		f.slopes[b] = g
	})
	clear(f.Gradient)
	for _, g := range f.slopes[:blocks] {
		for c, v := range g {
			f.Gradient[c] += v
		}
	}
}

// Add adds a column, of weight 0, to the model.
func (f *Fit) Add(c Column) {
	f.include(c)
	at := len(f.Columns) - 1
	f.Gradient[at] = c.dot(f.Residual)
	f.curve(at)
}

// include adds a column without its slope and its row of the Hessian.
func (f *Fit) include(c Column) {
	f.Columns, f.blocks, f.variances = append(f.Columns, Column{}), append(f.blocks, nil), append(f.variances, 0)
	f.Weights, f.Gradient = append(f.Weights, 0), append(f.Gradient, 0)
	f.set(len(f.Columns)-1, c)
}

func (f *Fit) set(at int, c Column) {
	f.Columns[at], f.blocks[at] = c, c.blocks(len(f.Truth))
	if n := float64(len(f.Truth)); n > 0 {
		sum, squares := c.Sums()
		f.variances[at] = squares/n - float64(sum/n*(sum/n))
	}
}

// Replace gives the last columns new values, and keeps the weights.
func (f *Fit) Replace(last []Column) {
	from := len(f.Columns) - len(last)
	for i, c := range last {
		f.set(from+i, c)
	}
	f.setWeights(f.Weights)
	f.curve(from)
}

// curve sets the Hessian's rows from one on.
func (f *Fit) curve(from int) {
	if f.Lean {
		return
	}
	for len(f.hessian) < len(f.Weights) {
		f.hessian = append(f.hessian, make([]float64, len(f.hessian)+1))
	}
	for _, row := range f.hessian[from:] {
		clear(row)
	}
	blocks := f.countBlocks()
	for first := 0; first < blocks && !f.stopped(); first += curveBlocks {
		n := min(curveBlocks, blocks-first)
		f.Run(n, func(k int) { f.parts[k] = f.curvePart(f.parts[k][:0], first+k, from) })
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
func (f *Fit) curvePart(part []float64, b, from int) []float64 {
	lo, hi := f.block(b)
	for c := from; c < len(f.hessian); c++ {
		clear(f.scratch[lo:hi])
		f.blocks[c][b].times(f.reference, f.scratch)
		for j := range c + 1 {
			part = append(part, f.blocks[j][b].dot(f.scratch))
		}
	}
	return part
}

// Refresh computes the Hessian at the present weights, as steps towards a distant optimum do by themselves.
func (f *Fit) Refresh() {
	if !f.Lean {
		f.reference = append(f.reference[:0], f.Variance...)
		f.curve(0)
	}
}

// Information returns the information that the rows have on the weights where the Hessian was computed last: a matrix, by rows.
func (f *Fit) Information() []float64 {
	n := len(f.Weights)
	out := make([]float64, n*n)
	for i, row := range f.hessian {
		for j, v := range row {
			out[i*n+j], out[j*n+i] = v, v
		}
	}
	return out
}

func (f *Fit) stopped() bool { return f.Stop() != nil }

// clone returns a copy that shares only columns and memory: one of the two may be used at a time.
func (f *Fit) clone() *Fit {
	other := *f
	for _, values := range [...]*[]float64{&other.Weights, &other.Gradient, &other.logOdds, &other.Residual, &other.Variance, &other.reference} {
		*values = slices.Clone(*values)
	}
	other.hessian = slices.Clone(f.hessian)
	for c, row := range f.hessian {
		other.hessian[c] = slices.Clone(row)
	}
	return &other
}

// BaseLogOdds returns the weight of [Ones] alone in a fit of the rows, adding half an atom of each truth value.
func (o *Observed) BaseLogOdds() float64 {
	n, t := float64(len(o.Truth)), 0.
	for _, v := range o.Truth {
		if v {
			t++
		}
	}
	return elementary.Log((t+.5)/(n-t+.5)) - Sum(o.Offset)/n
}
