package cd

import (
	"resolwe/internal/elementary"
	"resolwe/kernels/loglinear"
)

// Score says how well weights predict a subgraph's data before they have learned from it. It means nothing where the data
// breaks a hard formula.
type Score struct {
	Atoms  int     // of the network
	Pseudo float64 // pseudo-log-likelihood (Besag, 1975): of each atom given all others
	Joint  float64 // conditional log-likelihood, where Exact
	Exact  bool    // whether every component was small enough to be enumerated
}

// clip bounds probabilities in the pseudo-log-likelihood, so that one atom cannot decide it.
const clip = 1e-6

// score sets dst to the score of an example under the model's present weights, whose expectations have been computed.
// It leaves the model's division between exact and sampled atoms as it was.
func (w *Worker) score(dst *Score, ex *Example) {
	m := &w.at.model
	*dst = Score{Atoms: ex.Net.NumAtoms, Exact: len(m.Scope.Atoms) == 0}
	if dst.Exact {
		dst.Joint = -w.expect.LogZ
		for i, n := range w.at.counts {
			dst.Joint += float64(m.Weights[i] * n)
		}
	}
	m.SetExact(0)
	w.visit.Visit(m, ex.Data, func(a uint32, h float64, _ []uint32, _ []float64) {
		p := loglinear.Sigmoid(h)
		if !ex.Data[a] {
			p = 1 - p
		}
		dst.Pseudo += elementary.Log(max(clip, min(p, 1-clip)))
	})
	m.SetRoutes(w.at.routes)
}
