package watch

import (
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
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

// enough is how many nats from the optimum learning from a block may end: about 1e-7 standard errors of the weights.
const enough = 5e-15

// Update learns from a block: the weights become the argmax of l(w) - (w - m)' P (w - m) / 2, where l is the block's log-likelihood, m
// the weights before, and P = g Precision + (1 - g) prior I with g = max(0, 1 - n / Horizon) for n subgraphs with atoms. The precision becomes
// P plus the information of the block at the optimum. Columns of the block beyond the weights are ignored.
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
	f := b.fit(e.Weights)
	f.Optimum(features.Prior{Mean: e.Weights, Precision: e.Precision}, enough)
	e.Weights = f.Weights
	elementary.Add(e.Precision, f.Information())
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
