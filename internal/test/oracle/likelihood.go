package oracle

import (
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// LogLikelihood returns the conditional log-likelihood of the data under the given weights; atoms of unknown truth do not exist. If
// the data violate a hard formula, it is negative infinity.
func LogLikelihood(w *World, fs []*mln.Formula, weights []float64) (float64, error) {
	d, err := w.Enumerate(fs, weights, Rules{})
	if err != nil {
		return 0, err
	}
	var data []bool
	for _, a := range w.QueryAtoms(Rules{}) {
		data = append(data, a.Truth == subgraph.True)
	}
	i := slices.IndexFunc(d.States, func(s State) bool { return slices.Equal(s.Atoms, data) })
	if i < 0 {
		return math.Inf(-1), nil
	}
	return d.States[i].Score - d.LogZ, nil
}
