package cd

import (
	"resolwe/internal/elementary"
)

// Score measures how well weights predict a subgraph's data before learning from it. It is meaningless if the data violates a hard formula.
type Score struct {
	Atoms  int     // of the network
	Pseudo float64 // pseudo-log-likelihood (Besag, 1975): each atom given all others
	Joint  float64 // conditional log-likelihood, if Exact
	Exact  bool    // every component was small enough for exact solution
}

// clip bounds probabilities in the pseudo-log-likelihood, so that one atom cannot decide it.
const clip = 1e-6

// score sets dst to the score of an example under the model's current weights, once expectations have been computed. It does not change
// which atoms are exact and which are sampled.
func (w *Worker) score(dst *Score, ex *Example) {
	m := &w.at.model
	*dst = Score{Atoms: ex.Net.NumAtoms, Exact: len(m.Scope.Atoms) == 0}
	if dst.Exact {
		dst.Joint = w.logLikelihood(m, w.at.counts)
	}
	m.SetExact(0)
	w.visit.Visit(m, ex.Data, func(a uint32, h float64, _ []uint32, _ []float64) {
		p := elementary.Sigmoid(h)
		if !ex.Data[a] {
			p = 1 - p
		}
		dst.Pseudo += elementary.Log(max(clip, min(p, 1-clip)))
	})
	m.SetRoutes(w.at.routes)
}
