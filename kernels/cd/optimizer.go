package cd

import "math"

// Optimizer turns the gradients of a stream into weights, by online Newton steps: after t subgraphs
//
//	w += c (C + t I / (N sigma^2))^-1 (g - (w - mean) / (N sigma^2))
//
// where C is t times the mean information of the subgraphs seen, the later ones weighing more, and g a mini-batch's sum
// of gradients. The steps decay like 1/t. The Gaussian prior is spread over the N subgraphs of a pass in equal parts.
type Optimizer struct {
	Weights []float64 // by formula; those of Fixed ones never change

	mean    []float64
	fixed   []bool
	lambda  float64 // 1 / sigma^2
	n       float64 // subgraphs of a pass
	seen    float64
	info    []float64 // running mean of the information
	total   int       // updates that are planned
	updates int
	average []float64 // of the weights over the last half of the updates
	count   float64
	step    []float64
	matrix  []float64
}

// NewOptimizer starts at the given weights, which are the prior's mean too; fixed ones are not learned. sigma > 0 is
// the prior's standard deviation, n the number of subgraphs of a pass and updates the number of all mini-batches.
func NewOptimizer(weights []float64, fixed []bool, sigma float64, n, updates int) *Optimizer {
	f := len(weights)
	return &Optimizer{
		Weights: append([]float64(nil), weights...), mean: weights, fixed: fixed,
		lambda: 1 / (sigma * sigma), n: float64(n), total: updates,
		info: make([]float64, f*f), average: make([]float64, f), step: make([]float64, f), matrix: make([]float64, f*f),
	}
}

// maxStep bounds the change of a weight by one update, which the first few subgraphs alone cannot justify.
const maxStep = 1

// gain is the factor of the steps after the first pass: above 1, so that what the first weights left behind is
// forgotten faster than 1/t.
const gain = 2

// Update takes a step along the sum of the gradients of a mini-batch, in the order given.
func (o *Optimizer) Update(batch []*Gradient) {
	size := float64(len(batch))
	for i, w := range o.Weights {
		o.step[i] = -size / o.n * o.lambda * (w - o.mean[i])
	}
	clear(o.matrix)
	for _, g := range batch {
		for i, v := range g.Value {
			o.step[i] += v
		}
		for i, v := range g.Information {
			o.matrix[i] += v
		}
	}
	o.seen += size
	recency := min(1, 2*size/(o.seen+size))
	for i, v := range o.matrix {
		o.info[i] += recency * (v/size - o.info[i])
		o.matrix[i] = o.seen * o.info[i]
	}
	o.apply()
	o.updates++
	if 2*o.updates > o.total {
		o.count++
		for i, w := range o.Weights {
			o.average[i] += (w - o.average[i]) / o.count
		}
	}
}

// apply solves for the step and takes it.
func (o *Optimizer) apply() {
	f := len(o.Weights)
	prior := o.lambda * max(1, o.seen/o.n)
	for i := range f {
		o.matrix[i*f+i] += prior
		if !o.fixed[i] {
			continue
		}
		o.step[i] = 0
		for j := range f {
			o.matrix[i*f+j], o.matrix[j*f+i] = 0, 0
		}
		o.matrix[i*f+i] = 1
	}
	if !solve(o.matrix, o.step) {
		return // information lost to rounding: the next mini-batch adds more
	}
	scale := 1.0
	if o.seen > o.n {
		scale = gain
	}
	largest := 0.0
	for _, d := range o.step {
		largest = max(largest, math.Abs(d)*scale)
	}
	if largest > maxStep {
		scale *= maxStep / largest
	}
	for i, d := range o.step {
		o.Weights[i] += scale * d
	}
}

// Result returns the average of the weights over the last half of the updates; where fewer were made than planned and
// that half never came, the last weights.
func (o *Optimizer) Result() []float64 {
	if o.count == 0 {
		return o.Weights
	}
	return o.average
}
