package resolwe

import (
	"context"

	"resolwe/internal/stage/learning"
)

// LearnOptions are the parameters of learning. The zero value learns to the optimum.
type LearnOptions = learning.Options

// LearnMethod is a way of learning.
type LearnMethod = learning.Method

// The methods of learning.
const (
	CD      = learning.CD
	PCD     = learning.PCD
	AdaGrad = learning.AdaGrad
	CDA     = learning.CDA
)

// Learned is the result of learning.
type Learned = learning.Learned

// Learn learns the weights of the model's formulas on a stream, by maximising the conditional log-likelihood with a Gaussian prior
// around the weights in the model, or 0 for formulas without one. Hard formulas stay hard. Unit clauses are added at the end for
// target predicates that have none.
//
// By default, learning continues to the optimum. If every component of the ground networks has at most 10 atoms or a small junction
// tree, expectations are exact. Learn then takes Newton steps on sums over the whole stream, which do not depend on its order,
// until the gradient is small (see Learned.Gradient). Otherwise it first does so with the pseudo-likelihood (Besag, 1975), and
// continues with persistent contrastive divergence until the weights settle (see Learned.Drift) or after 20 to 1000 passes, more on
// short streams.
//
// A stream is read once for each pass, except for the first subgraphs, whose ground networks fit into the cache. For a pipe, which
// is read once, the options must give the length. The objective is not computed if a component of a ground network has more than 20
// atoms and no small junction tree, if enumerating all components would take more than 2^28 states, if a pipe would have to be read
// again, or if learning was stopped.
//
// The error is an *OptionError, a *CheckpointError, a *SubgraphError, ErrReadOnce, or one of saving a checkpoint or reading the
// stream.
func Learn(ctx context.Context, m *Model, s *Stream, opt LearnOptions) (*Learned, error) {
	return learning.Learn(ctx, m, s, opt)
}
