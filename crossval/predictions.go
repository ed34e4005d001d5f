package crossval

import (
	"context"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/internal/stage/inferring"
)

// Predictions passes the query atoms of each test subgraph to emit, fold by fold, in stream order, with each system's probabilities for
// those that [resolwe.Marginals] says are predicted: p[k][i] is that of system k for the i-th of them. It reads the test subgraphs again; the
// model, the stream and the options of inference must be those of the cross-validation.
func (r *Result) Predictions(
	ctx context.Context, m *resolwe.Model, s *resolwe.Stream, opt resolwe.InferOptions, emit func(of *resolwe.Marginals, tested Tested, p [][]float64) error,
) error {
	next := 0 // of the tested subgraphs
	for fold := range r.Finished {
		first := next
		var list []int
		for ; next < len(r.Tested) && r.Tested[next].In == fold; next++ {
			list = append(list, r.Tested[next].Index)
		}
		at, atom, p := first, 0, make([][]float64, len(r.Systems))
		err := inferring.Fill(ctx, m, s.WithoutCandidates().Pick(list), opt, func(*resolwe.Marginals) error { return nil }, func(of *resolwe.Marginals) error {
			n := len(of.Predictions())
			for k := range r.Systems {
				atoms := r.Systems[k].Cases[fold].Atoms
				if atom+n > len(atoms) {
					return checkpoint.Differs("the stream")
				}
				p[k] = p[k][:0]
				for _, a := range atoms[atom : atom+n] {
					p[k] = append(p[k], a.P)
				}
			}
			tested := r.Tested[at]
			at, atom = at+1, atom+n
			return emit(of, tested, p)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
