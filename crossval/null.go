package crossval

import (
	"context"

	"resolwe"
)

// Null is what the first system reaches if the target has nothing to do with the rest, that is, what comes from how candidates were
// drawn.
type Null struct {
	System Outcome // named null: the first system, trained and tested on the null stream
	Base   Outcome // the base rates on the same folds
	MAP    Test    // of System against Base
}

// nullName is the name of the first system's row on the null stream.
const nullName = "null"

// leastExcess is the excess of average precision on a null stream over that of the base rates from which the draw is held to reveal
// the truth.
const leastExcess = .03

// Excess returns by how much the first system exceeds the base rates, with a 95% interval, and in which measure: MAP or, of a row task,
// the AUC-ROC of the pooled atoms, which is one half for base rates.
func (n *Null) Excess() (by float64, ci95 [2]float64, measure string) {
	if n.System.RowTask() {
		ci95 = n.System.Intervals.AUCROC
		return n.System.AUCROCPooled - .5, [2]float64{ci95[0] - .5, ci95[1] - .5}, "AUC-ROC"
	}
	return n.MAP.MeanDifference, n.MAP.CI95, "MAP"
}

// Tells reports whether the draw of candidates alone distinguishes true atoms from false ones, by .03 and two standard errors of MAP, or by
// .03 and the interval of the AUC-ROC of a row task.
func (n *Null) Tells() bool {
	by, ci95, _ := n.Excess()
	return by > leastExcess && (n.MAP.T > 2 || n.System.RowTask() && ci95[0] > 0)
}

// onNull runs the first system on the null stream.
func (o *Options) onNull(ctx context.Context, m *resolwe.Model) (*Null, error) {
	opt := *o
	own, err := Named("base")
	if err != nil {
		return nil, err
	}
	opt.Systems = append([]System{o.Systems[0]}, own...)
	if opt.auto {
		opt.Forward, opt.auto = 0, false
	}
	opt.Null, opt.Checkpoints, opt.Budget = nil, resolwe.Checkpoints{}, nil // ctx ends with the budget
	cv, err := Run(ctx, m, o.Null, opt)
	if err != nil {
		return nil, err
	}
	out := &Null{cv.Systems[0], cv.Systems[1], Test{}}
	for _, t := range cv.Tests {
		if t.Measure == "map" {
			out.MAP = t.Test
		}
	}
	out.System.Name = nullName
	return out, nil
}

// FewTested is the number of test subgraphs below which a test says little, because its unit, the subgraph, is too coarse.
const FewTested = 10

// Few reports whether there are too few test subgraphs for tests.
func (r *Result) Few() bool { return len(r.Tested) < FewTested }
