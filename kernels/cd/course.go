package cd

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/internal/wire"
)

// Course observes weights that fluctuate around an optimum, pass by pass, and detects when their average has settled. The zero value has
// observed nothing.
type Course struct {
	Drift float64 // see Settled; NaN, or 0 in the zero value, until known

	sum   []float64   // over the updates of the current pass
	count int         // number of these updates
	means [][]float64 // of the finished passes
	calm  int         // consecutive comparisons in which the averages hardly differed
}

// Bounds of [Course].
const (
	DriftTolerance = .01
	calmEnough     = 3
	checkEvery     = 4 // passes
)

// Add takes the weights after an update.
func (c *Course) Add(weights []float64) {
	if len(c.sum) == 0 {
		c.sum = make([]float64, len(weights))
	}
	elementary.Add(c.sum, weights)
	c.count++
}

// EndPass ends a pass, and returns the number of finished passes.
func (c *Course) EndPass() int {
	mean := make([]float64, len(c.sum))
	for i, s := range c.sum {
		mean[i] = s / float64(max(1, c.count))
	}
	c.means = append(c.means, mean)
	clear(c.sum)
	c.count = 0
	return len(c.means)
}

// Settled compares, after every fourth pass, the averages over the third and the last quarter of the passes: Drift is their largest
// difference in standard errors of a weight, which errs returns. It reports whether that was at most [DriftTolerance] three times in a row.
func (c *Course) Settled(errs func() []float64) bool {
	n := len(c.means)
	if n%checkEvery != 0 {
		return false
	}
	third, last := c.average(n/2, n/4*3), c.average(n/4*3, n)
	c.Drift = 0
	for i, e := range errs() {
		if d := math.Abs(last[i] - third[i]); d > 0 {
			c.Drift = max(c.Drift, d/e)
		}
	}
	c.calm++
	if !(c.Drift <= DriftTolerance) {
		c.calm = 0
	}
	return c.Calm()
}

// Calm returns the last result of Settled.
func (c *Course) Calm() bool { return c.calm >= calmEnough }

// Result returns the average over the last half of the passes; nil if none has finished.
func (c *Course) Result() []float64 {
	n := len(c.means)
	if n == 0 {
		return nil
	}
	return c.average(n/2, n)
}

// average returns the average over the passes from begin to before end.
func (c *Course) average(begin, end int) []float64 {
	out := make([]float64, len(c.sum))
	for _, m := range c.means[begin:end] {
		elementary.Add(out, m)
	}
	for i := range out {
		out[i] /= float64(end - begin)
	}
	return out
}

// Code writes or reads the observations.
func (c *Course) Code(w wire.Coder) {
	w.Code(&c.Drift, &c.count, &c.calm, &c.sum)
	wire.Items(w, &c.means, 8, func(m *[]float64) { w.Code(m) })
}

// Read reads the observations of a given number of weights, or marks the reader as bad.
func (c *Course) Read(r *wire.Reader, weights int) {
	c.Code(r)
	seen := c.count > 0 || len(c.means) > 0
	r.Refuse(seen && len(c.sum) != weights || !seen && len(c.sum) > 0 || !finite(c.sum))
	for _, m := range c.means {
		r.Refuse(len(m) != weights || !finite(m))
	}
}

// Begin starts an optimizer near the optimum, as after a pass: at weights, with the information of a whole stream there, F x F by rows or
// its diagonal. Without information, as for counts beyond all bounds, only the weights are set.
func (o *Optimizer) Begin(weights, information []float64) {
	f := len(weights)
	copy(o.Weights, weights)
	if len(information) == 0 {
		return
	}
	for i := range f {
		if len(information) == f {
			o.Information[i*f+i] = information[i] / o.n
			continue
		}
		for j := range f {
			o.Information[i*f+j] = information[i*f+j] / o.n
		}
	}
	o.Clock = o.n
}

// Errors returns the standard errors of the weights from the information of the passes so far, including the prior's; 0 for fixed weights.
func (o *Optimizer) Errors() []float64 {
	f := len(o.Weights)
	out, scale := make([]float64, f), make([]float64, f)
	for i := range f {
		scale[i] = 1 / math.Sqrt(float64(o.n*o.Information[i*f+i])+o.lambda)
	}
	setScaled(o.matrix, o.Information, o.n, scale, o.fixed, 1+1e-12)
	variances, ok := elementary.Variances(o.matrix, f)
	for i, a := range scale {
		switch {
		case o.fixed[i]:
		case ok:
			out[i] = a * math.Sqrt(variances[i])
		default: // lost in rounding
			out[i] = a
		}
	}
	return out
}
