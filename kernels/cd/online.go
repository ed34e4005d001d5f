package cd

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Rule is how an [Optimizer] turns the results of mini-batches into weights.
type Rule uint8

// The rules. The last two are for comparison with other systems.
const (
	NewtonSteps Rule = iota // see [Optimizer]
	// AdaptiveGradient gives each weight a rate of its own (AdaGrad with a diagonal matrix: Duchi, Hazan and Singer, 2011): with g a
	// mini-batch's sum of gradients less (w - mean) / (N sigma^2) a subgraph,
	//
	//	w += rate g / (1 + sqrt(sum of g^2 so far)).
	AdaptiveGradient
	// DualAscent ascends the dual of the max-margin problem by one coordinate for each mini-batch (CDA: Huynh and Mooney, 2011): for
	// the t-th one, of n subgraphs, with D and L the sums of what [Worker.Margin] sets, v = w - mean and s = n / (N sigma^2),
	//
	//	v = (t-1)/t v + min(1/(s t), max(0, L - D (mean + (t-1)/t v)) / D^2) D.
	DualAscent
)

// rate is that of AdaptiveGradient.
const rate = 1

// Follow makes an optimizer without updates follow a rule.
func (o *Optimizer) Follow(r Rule) *Optimizer {
	switch o.rule = r; r {
	case NewtonSteps:
	case AdaptiveGradient:
		o.Information = make([]float64, len(o.Weights)) // the sums of the squares
	case DualAscent:
		o.Information = nil
	}
	return o
}

// adapt takes a step along the gradient in o.right.
func (o *Optimizer) adapt() {
	for i, g := range o.right {
		if !o.fixed[i] {
			o.Information[i] += float64(g * g)
			o.Weights[i] += rate * g / (1 + math.Sqrt(o.Information[i]))
		}
	}
}

// ascend takes the step for a mini-batch whose differences are in o.right.
func (o *Optimizer) ascend(loss, size float64) {
	t, square := float64(o.Updates+1), 0.0
	for i, d := range o.right {
		if o.fixed[i] {
			o.right[i] = 0
			continue
		}
		o.Weights[i] = o.mean[i] + float64((t-1)/t*(o.Weights[i]-o.mean[i]))
		loss -= float64(d * o.Weights[i])
		square += float64(d * d)
	}
	if square == 0 {
		return
	}
	step := min(o.n/(size*o.lambda*t), max(0, loss)/square)
	for i, d := range o.right {
		o.Weights[i] += float64(step * d)
	}
}

// marginSweeps limits the search for the state of a component without a small junction tree.
const marginSweeps = 500

// margin is the memory of Worker.Margin.
type margin struct {
	solver  localsearch.Solver
	net     network.Network
	weights []float64
	state   []bool
}

// Margin sets dst.Value to n_i(data) - n_i(y) and dst.Loss to the number of atoms at which y differs from the data. Here y is the state
// that maximises that number plus the sum of w_i n_i(y), exactly or as found by [localsearch.Solver]. If the search finds no state that
// satisfies the hard constraints, both are 0. The score uses the weights as in a log-linear model. The error is a
// *loglinear.UnsatisfiableError.
func (w *Worker) Margin(dst *Gradient, ex *Example, weights []float64, next func(first uint32, try int) *rand.Rand) error {
	s := &w.margin
	if dst.Score != nil {
		w.use(ex, weights)
		if err := w.expect.Compute(&w.at.model, false); err != nil {
			return err
		}
		w.score(dst.Score, ex)
	}
	s.augment(ex, weights)
	opt := localsearch.DefaultOptions()
	opt.Tries, opt.Sweeps, opt.Stop = 1, marginSweeps, w.stopped
	s.state = grow.Zeroed(s.state, ex.Net.NumAtoms)
	_, holds, err := s.solver.Solve(&s.net, s.weights, s.state, opt, next)
	if err != nil {
		return err
	}
	dst.Value, dst.Atoms, dst.Loss = grow.Zeroed(dst.Value, len(weights)), ex.Net.NumAtoms, 0
	if !holds {
		return nil
	}
	for a, v := range s.state {
		if v != ex.Data[a] {
			dst.Loss++
		}
	}
	loglinear.AddCounts(dst.Value, ex.Net, ex.Data)
	w.sum = grow.Zeroed(w.sum, len(weights))
	loglinear.AddCounts(w.sum, ex.Net, s.state)
	for i, n := range w.sum {
		dst.Value[i] -= n
	}
	dst.scale(ex.Net.Scale)
	return nil
}

// augment adds to the network and weights of an example, up to a constant, a formula that counts atoms that differ from the data.
func (s *margin) augment(ex *Example, weights []float64) {
	old, net := s.net, ex.Net
	s.net = *net
	s.net.Unary, s.net.UnaryStart = old.Unary[:0], grow.Zeroed(old.UnaryStart, 1)
	for a, truth := range ex.Data {
		s.net.Unary = append(s.net.Unary, net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]]...)
		s.net.Unary = append(s.net.Unary, network.Coef{Formula: uint32(len(weights)), Mult: -int64(loglinear.Sign(truth))})
		s.net.UnaryStart = append(s.net.UnaryStart, uint32(len(s.net.Unary)))
	}
	s.net.Constant = slices.Concat(net.Constant, []int64{0})
	if net.Scale != nil {
		s.net.Scale = slices.Concat(net.Scale, []float64{1})
	}
	s.weights = append(append(s.weights[:0], weights...), 1)
}
