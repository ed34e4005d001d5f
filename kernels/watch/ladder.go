package watch

import (
	"math"

	"resolwe/internal/elementary"
)

// Expert is a logistic regression that forgets: dynamic logistic regression with a forgetting factor (McCormick, Raftery, Madigan and Burd,
// 2012), where each update goes to the optimum for a whole block.
type Expert struct {
	Horizon   float64 // subgraphs, +Inf for an expert that forgets nothing
	Weights   []float64
	Precision []float64 // matrix of the weights, by rows
}

// NewExpert returns an expert that starts at the given weights, which it copies, each with precision prior.
func NewExpert(horizon float64, weights []float64, prior float64) *Expert {
	k := len(weights)
	e := &Expert{Horizon: horizon, Weights: append([]float64(nil), weights...), Precision: make([]float64, k*k)}
	for i := range k {
		e.Precision[i*k+i] = prior
	}
	return e
}

// Rebased returns an expert over other columns. Column j was column from[j] and keeps its weight and precision; if from[j] is negative, it
// starts at weights[j] with precision prior.
func (e *Expert) Rebased(from []int, weights []float64, prior float64) *Expert {
	out, k := NewExpert(e.Horizon, weights, prior), len(from)
	for i, a := range from {
		if a < 0 {
			continue
		}
		out.Weights[i] = e.Weights[a]
		for j, b := range from {
			if b >= 0 {
				out.Precision[i*k+j] = e.Precision[a*len(e.Weights)+b]
			}
		}
	}
	return out
}

// Variances returns the variances of the weights, the diagonal of the inverse of the precision; all 0 if rounding makes it singular.
func (e *Expert) Variances() []float64 {
	out, ok := elementary.Variances(append([]float64(nil), e.Precision...), len(e.Weights))
	if !ok {
		return make([]float64, len(e.Weights))
	}
	return out
}

// Limits of the Newton steps for a block.
const (
	mostSteps = 50
	enough    = 1e-10 // ends them: twice the gain in nats that the quadratic model promises for a step
)

// Update learns from a block: the weights become the argmax of l(w) - (w - m)' P (w - m) / 2, where l is the block's log-likelihood, m
// the weights before, and P = g Precision + (1 - g) prior I with g = max(0, 1 - n / Horizon) for n subgraphs with atoms. The precision becomes P plus the
// information of the block, computed where the last step starts, within 1e-5 standard errors of the optimum. Columns of the block beyond
// the weights are ignored.
func (e *Expert) Update(b *Block, prior float64) {
	k := len(e.Weights)
	n := 0
	for i := range b.Members {
		if b.Members[i].Atoms > 0 {
			n++
		}
	}
	keep := max(0, 1-float64(n)/e.Horizon)
	for i := range e.Precision {
		e.Precision[i] *= keep
	}
	for i := range k {
		e.Precision[i*k+i] += float64((1 - keep) * prior)
	}
	steps := newton{block: b, start: append([]float64(nil), e.Weights...), precision: e.Precision, weights: e.Weights, information: make([]float64, k*k)}
	steps.climb()
	for i, v := range steps.information {
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

// solve replaces the gradient in step by the Newton step, solving the system scaled by the curvature along each weight. It returns the
// product of the two, 0 if the system has no solution.
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
			if int(c) >= k {
				break
			}
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

// penalty returns the part of the objective that keeps weights near those before, and sets slopes, unless nil, to its gradient.
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

// logLikelihood returns the log-likelihood of atoms with log-odds z, given the numbers of false and true ones.
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

// Share updates the weights of the experts, which sum to 1, by their losses on a subgraph, in nats per atom.
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

// Averaged returns the mean of the experts' weights, weighted by shares that sum to 1.
func Averaged(shares []float64, experts []*Expert) []float64 {
	out := make([]float64, len(experts[0].Weights))
	for k, e := range experts {
		for i, w := range e.Weights {
			out[i] += float64(shares[k] * w)
		}
	}
	return out
}
