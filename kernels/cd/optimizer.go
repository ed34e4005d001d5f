package cd

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
)

// Optimizer turns the gradients of a stream into weights, by online Newton steps:
//
//	w += c (t C + t I / (N sigma^2))^-1 (g - (w - mean) / (N sigma^2))
//
// where C is the mean information of the subgraphs seen, the later ones weighing more, and g a mini-batch's sum of
// gradients. The Gaussian prior is spread over the N subgraphs of a pass in equal parts.
//
// The clock t stands still while the gradients point along the steps before them, since the weights are then still on
// their way, and goes on where one points back (Kesten, 1958): steps are long until the weights are near the optimum,
// however far that is, and then decay like 1/t. The information follows the clock, so that what was measured far from the
// present weights is forgotten.
type Optimizer struct {
	State

	mean   []float64
	fixed  []bool    // weights that never change
	lambda float64   // 1 / sigma^2
	n      float64   // subgraphs of a pass
	total  int       // updates that are planned
	right  []float64 // sum of the gradients of the mini-batch, with the prior's
	step   []float64
	matrix []float64
}

// NewOptimizer starts at the given weights, which are the prior's mean too; fixed ones are not learned. sigma > 0 is
// the prior's standard deviation, n the number of subgraphs of a pass and updates the number of all mini-batches.
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

// Bounds on what one update may change, which the first few subgraphs alone cannot justify.
const (
	maxStep = 1.5 // of a weight
	// Of step . C step, half of which is about how many nats a subgraph's distributions before and after lie apart.
	leastShift = 1   // for a subgraph
	maxShift   = 0.1 // and for each of its atoms
)

// maxDampings bounds the attempts to find a step of at most that length.
const maxDampings = 60

// forgetting is one more than the power of t by which the running average weighs the t-th weights, so that it can be had
// at any time (Shamir and Zhang, 2013).
const forgetting = 4

// gain is the factor of the steps once the clock is beyond the first pass: above 1, so that what the first weights left
// behind is forgotten faster than 1/t.
const gain = 2

// Update takes a step along the sum of the gradients of a mini-batch of n subgraphs, in the order given; some may be summed
// already.
func (o *Optimizer) Update(batch []*Gradient, subgraphs int) {
	size := float64(subgraphs)
	for i, w := range o.Weights {
		o.right[i] = -size / o.n * o.lambda * (w - o.mean[i])
	}
	clear(o.matrix)
	atoms := 0
	for _, g := range batch {
		atoms += g.Atoms
		for i, v := range g.Value {
			o.right[i] += v
		}
		for i, v := range g.Information {
			o.matrix[i] += v
		}
	}
	o.advance(size)
	recency := min(1, 2*size/(o.Clock+size))
	for i, v := range o.matrix {
		o.Information[i] += float64(recency * (v/size - o.Information[i]))
	}
	o.apply(leastShift + maxShift*float64(atoms)/size)
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

// advance moves the clock, for a mini-batch whose sum of gradients is in o.right.
func (o *Optimizer) advance(size float64) {
	along := 0.0
	for i, d := range o.Step {
		along += float64(d * o.right[i])
	}
	if along <= 0 || o.Clock == 0 {
		o.Clock += size
	}
}

// apply takes the step along the gradient in o.right. One that is longer, or shifts a subgraph's distribution further, than
// can be trusted is damped (Levenberg, 1944): what little information there is of some weights then does not hold up the
// others.
func (o *Optimizer) apply(farthest float64) {
	scale := 1.0
	if o.Clock > o.n {
		scale = gain
	}
	damping := o.lambda * max(1, o.Clock/o.n)
	for range maxDampings { // all of them only where rounding has lost the information: the next mini-batch adds more
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

// solve sets o.step to the step with so much damping. It returns false where rounding makes that impossible.
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

// Result returns the average of the weights over the last half of the updates; where fewer were made than planned and
// that half never came, the last weights.
func (o *Optimizer) Result() []float64 {
	if o.Averaged == 0 {
		return o.Weights
	}
	return o.Average
}

// ResultSoFar returns an average of the weights in which later ones weigh more: the result of a run that ends before its
// time, at any update.
func (o *Optimizer) ResultSoFar() []float64 {
	if o.Updates == 0 {
		return o.Weights
	}
	return o.Running
}
