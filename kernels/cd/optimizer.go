package cd

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Optimizer turns the gradients of a stream into weights, by online Newton steps unless it follows another [Rule]:
//
//	w += c (t C + t I / (N sigma^2))^-1 (g - (w - mean) / (N sigma^2))
//
// where C is the mean information of the subgraphs seen, with more weight on later ones, and g a mini-batch's sum of gradients. The
// Gaussian prior is divided equally among the N subgraphs of a pass.
//
// The clock t stands still while gradients point along the preceding steps, since the weights are then still approaching, and advances when
// one points back (Kesten, 1958): steps are long until the weights are near the optimum, however far that is, and then decay like 1/t. The
// information follows the clock, so that measurements far from the current weights are forgotten.
type Optimizer struct {
	State

	rule   Rule
	mean   []float64
	fixed  []bool    // weights that do not change
	lambda float64   // 1 / sigma^2
	n      float64   // subgraphs in a pass
	total  int       // number of planned updates
	right  []float64 // sum of the gradients of the mini-batch, including the prior's
	step   []float64
	matrix []float64
}

// NewOptimizer starts at the given weights, which are also the prior's mean; fixed ones are not learned. sigma > 0 is the prior's standard
// deviation, n the number of subgraphs in a pass, and updates the total number of mini-batches.
func NewOptimizer(weights []float64, fixed []bool, sigma float64, n, updates int) *Optimizer {
	f := len(weights)
	return &Optimizer{
		State: State{
			Weights: slices.Clone(weights), Step: make([]float64, f), Average: make([]float64, f), Running: make([]float64, f),
			Information: make([]float64, f*f),
		},
		mean: weights, fixed: fixed, lambda: 1 / (sigma * sigma), n: float64(n), total: updates,
		matrix: make([]float64, f*f), right: make([]float64, f), step: make([]float64, f),
	}
}

// Limits on the change in one update, which the first few subgraphs alone cannot justify.
const (
	maxStep = 1.5 // of a weight
	// Of step . C step, half of which is the approximate distance in nats between a subgraph's distributions before and after.
	leastShift = 1   // for a subgraph
	maxShift   = 0.1 // and for each of its atoms
)

// maxDampings limits the attempts to find a step within these limits.
const maxDampings = 60

// forgetting is one more than the power of t that weights the t-th weights in the running average, which is thus available at any time
// (Shamir and Zhang, 2013).
const forgetting = 4

// gain multiplies the steps once the clock is past the first pass: being above 1, it makes the effect of the initial weights decay faster
// than 1/t.
const gain = 2

// Update takes a step along the sum of the gradients of a mini-batch of n subgraphs, in the given order; some gradients may already be
// sums.
func (o *Optimizer) Update(batch []*Gradient, subgraphs int) {
	size, loss := float64(subgraphs), 0.0
	clear(o.right)
	if o.rule != DualAscent { // its steps include the prior's part
		for i, w := range o.Weights {
			o.right[i] = -size / o.n * o.lambda * (w - o.mean[i])
		}
	}
	for _, g := range batch {
		loss += g.Loss
		elementary.Add(o.right, g.Value)
	}
	switch o.rule {
	case NewtonSteps:
		o.newtonStep(batch, size)
	case AdaptiveGradient:
		o.adapt()
	case DualAscent:
		o.ascend(loss, size)
	}
	o.Updates++
	for i, w := range o.Weights {
		o.Running[i] += (w - o.Running[i]) * forgetting / (float64(o.Updates) + forgetting - 1)
	}
	if 2*o.Updates > o.total {
		o.Averaged++
		for i, w := range o.Weights {
			o.Average[i] += (w - o.Average[i]) / o.Averaged
		}
	}
}

// newtonStep takes an online Newton step along the gradient in o.right, that of a mini-batch.
func (o *Optimizer) newtonStep(batch []*Gradient, size float64) {
	clear(o.matrix)
	atoms := 0
	for _, g := range batch {
		atoms += g.Atoms
		elementary.Add(o.matrix, g.Information)
	}
	if dot(o.Step, o.right) <= 0 || o.Clock == 0 { // o.right is the sum of the gradients
		o.Clock += size
	}
	recency := min(1, 2*size/(o.Clock+size))
	for i, v := range o.matrix {
		o.Information[i] += float64(recency * (v/size - o.Information[i]))
	}
	o.apply(leastShift + maxShift*float64(atoms)/size)
}

// apply takes the step along the gradient in o.right. A step that is too long, or shifts a subgraph's distribution too far, is damped
// (Levenberg, 1944), so that weights with little information do not hold up the others.
func (o *Optimizer) apply(farthest float64) {
	scale := 1.0
	if o.Clock > o.n {
		scale = gain
	}
	damping := o.lambda * max(1, o.Clock/o.n)
	for range maxDampings { // all of them only if rounding has lost the information: the next mini-batch adds more
		if o.solve(damping) && scale*longest(o.step) <= maxStep && scale*scale*o.shift() <= farthest {
			for i, d := range o.step {
				o.Step[i] = scale * d
				o.Weights[i] += o.Step[i]
			}
			return
		}
		damping *= 4
	}
}

// solve sets o.step to the step with a given damping. It returns false if rounding prevents that.
func (o *Optimizer) solve(damping float64) bool {
	f := len(o.Weights)
	copy(o.step, o.right)
	for i, v := range o.Information {
		o.matrix[i] = o.Clock * v
	}
	for i := range f {
		o.matrix[i*f+i] += damping
		if !o.fixed[i] {
			continue
		}
		o.step[i] = 0
		for j := range f {
			o.matrix[i*f+j], o.matrix[j*f+i] = 0, 0
		}
		o.matrix[i*f+i] = 1
	}
	return elementary.Solve(o.matrix, o.step)
}

// shift returns the square of the step's length in the metric of the information of a subgraph.
func (o *Optimizer) shift() float64 {
	sum := 0.0
	for i, a := range o.step {
		row := o.Information[i*len(o.step):][:len(o.step)]
		for j, b := range o.step {
			sum += float64(a * row[j] * b)
		}
	}
	return sum
}

// longest returns the largest absolute value.
func longest(values []float64) float64 {
	out := 0.0
	for _, v := range values {
		out = max(out, math.Abs(v))
	}
	return out
}

// Result returns the average of the weights over the last half of the planned updates, or the last weights if fewer were made and that half
// never began.
func (o *Optimizer) Result() []float64 {
	if o.Averaged == 0 {
		return o.Weights
	}
	return o.Average
}

// ResultSoFar returns an average of the weights with more weight on later ones: the result of a run stopped early, at any update.
func (o *Optimizer) ResultSoFar() []float64 {
	if o.Updates == 0 {
		return o.Weights
	}
	return o.Running
}
