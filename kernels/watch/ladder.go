package watch

import (
	"math"

	"resolwe/internal/elementary"
)

// Expert is a logistic regression that forgets: dynamic logistic regression with a forgetting factor (McCormick, Raftery, Madigan
// and Burd, 2012), of which a step takes the optimum of a whole block.
type Expert struct {
	Horizon   float64 // subgraphs, +Inf for an expert that forgets nothing
	Weights   []float64
	Precision []float64 // of the weights, by rows
}

// NewExpert returns an expert that begins at given weights, which it copies, with precision prior each.
func NewExpert(horizon float64, weights []float64, prior float64) *Expert {
	k := len(weights)
	e := &Expert{Horizon: horizon, Weights: append([]float64(nil), weights...), Precision: make([]float64, k*k)}
	for i := range k {
		e.Precision[i*k+i] = prior
	}
	return e
}

// What ends the Newton steps of a block.
const (
	mostSteps = 50
	enough    = 1e-10 // twice the gain in nats that the quadratic model promises
)

// Update learns from a block: the weights become the argmax of l(w) - (w - m)' P (w - m) / 2, where l is the block's log-likelihood, m
// the weights before, and P = g Precision + (1 - g) prior I with g = max(0, 1 - subgraphs / Horizon). The precision becomes P plus the
// information of the block, taken at the last step's beginning, which lies within 1e-5 standard errors of the optimum.
func (e *Expert) Update(b *Block, prior float64) {
	k := len(e.Weights)
	keep := max(0, 1-float64(len(b.Members))/e.Horizon)
	for i := range e.Precision {
		e.Precision[i] *= keep
	}
	for i := range k {
		e.Precision[i*k+i] += float64((1 - keep) * prior)
	}
	n := newton{block: b, start: append([]float64(nil), e.Weights...), precision: e.Precision, weights: e.Weights, information: make([]float64, k*k)}
	n.climb()
	for i, v := range n.information {
		e.Precision[i] += v
	}
}

// newton maximises the penalised log-likelihood of a block.
type newton struct {
	block                        *Block
	start, precision             []float64
	weights, information, slopes []float64 // slopes are the gradient
}

func (n *newton) climb() {
	k := len(n.weights)
	n.slopes = make([]float64, k)
	system, step, before := make([]float64, k*k), make([]float64, k), make([]float64, k)
	for range mostSteps {
		value := n.evaluate()
		copy(step, n.slopes)
		copy(system, n.information)
		for i, v := range n.precision {
			system[i] += v
		}
		promised := n.solve(system, step)
		if !(promised > 0) { // lost in rounding
			return
		}
		copy(before, n.weights)
		for length := 1.; length > 1e-9; length *= .5 {
			for i, v := range step {
				n.weights[i] = before[i] + float64(length*v)
			}
			if promised <= 1e-3 || n.value() >= value+float64(1e-4*float64(length*promised)) {
				break
			}
		}
		if promised <= enough {
			return
		}
	}
}

// solve makes the gradient a Newton step, in units of the curvature along each weight, and returns the product of both. It is 0 where
// the system has no solution.
func (n *newton) solve(system, step []float64) float64 {
	k := len(step)
	scale := make([]float64, k)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(system[i*k+i])
	}
	for i := range k {
		step[i] *= scale[i]
		for j := range i + 1 {
			system[i*k+j] *= scale[i] * scale[j]
		}
	}
	if !elementary.Solve(system, step) {
		return 0
	}
	sum := 0.
	for i := range step {
		step[i] *= scale[i]
		sum += float64(step[i] * n.slopes[i])
	}
	return sum
}

// evaluate sets the gradient and the information at the weights, and returns the objective.
func (n *newton) evaluate() float64 {
	k := len(n.weights)
	clear(n.information)
	sum := n.penalty(n.slopes)
	for r, count := range n.block.Counts {
		z := n.block.logOdds(r, n.weights)
		p := elementary.Sigmoid(z)
		atoms := float64(count[0] + count[1])
		slope, curve := float64(count[1])-float64(atoms*p), float64(float64(atoms*p)*(1-p))
		sum += logLikelihood(z, count)
		columns, values := n.block.row(r)
		for i, c := range columns {
			n.slopes[c] += float64(slope * values[i])
			row, v := n.information[int(c)*k:int(c)*k+k], float64(curve*values[i])
			for j, d := range columns[:i+1] {
				row[d] += float64(v * values[j])
			}
		}
	}
	for i := range k {
		for j := range i {
			n.information[j*k+i] = n.information[i*k+j]
		}
	}
	return sum
}

// value returns the objective alone.
func (n *newton) value() float64 {
	sum := n.penalty(nil)
	for r, count := range n.block.Counts {
		sum += logLikelihood(n.block.logOdds(r, n.weights), count)
	}
	return sum
}

// penalty returns what the weights before take from the objective, and sets its gradient where there is room for one.
func (n *newton) penalty(slopes []float64) (sum float64) {
	k := len(n.weights)
	for i := range k {
		row := 0.
		for j, v := range n.precision[i*k : i*k+k] {
			row += float64(v * (n.weights[j] - n.start[j]))
		}
		if slopes != nil {
			slopes[i] = -row
		}
		sum -= float64(float64(row*(n.weights[i]-n.start[i])) / 2)
	}
	return sum
}

// logLikelihood returns that of equal atoms, of which counts are false and true.
func logLikelihood(z float64, counts [2]int32) float64 {
	soft := elementary.Log1p(elementary.Exp(-math.Abs(z)))
	lost := float64(float64(counts[0])*(max(z, 0)+soft)) + float64(float64(counts[1])*(max(-z, 0)+soft))
	return -lost
}

// The weights of the experts: fixed share (Herbster and Warmuth, 1998).
const (
	learningRate = 5
	fixedShare   = .001
)

// Share updates the weights of the experts, which sum to 1, by their losses on a subgraph in nats an atom.
func Share(weights, losses []float64) {
	sum := 0.
	for k, v := range losses {
		weights[k] = float64(weights[k] * elementary.Exp(-learningRate*v))
		sum += weights[k]
	}
	for k := range weights {
		weights[k] = float64(weights[k]/sum*(1-fixedShare)) + fixedShare/float64(len(weights))
	}
}

// Averaged returns the mean of the experts' weights, with weights that sum to 1.
func Averaged(shares []float64, experts []*Expert) []float64 {
	out := make([]float64, len(experts[0].Weights))
	for k, e := range experts {
		for i, w := range e.Weights {
			out[i] += float64(shares[k] * w)
		}
	}
	return out
}
