package flags

import (
	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/kernels/selection"
)

// Select are the parameters of selection.
type Select struct {
	K2        int      `help:"Evaluate on the first so many subgraphs." default:"30" name:"k2"`
	Theta     *float64 `help:"Threshold, at least 0; by default 0.4 for paper, 1.5 for lift, 0.05 nats for kl, 3.29 for llr." placeholder:"X"`
	Criterion string   `help:"What has to exceed theta: the probability that the formula holds where its evidence does (paper), that against the base rate (lift), their divergence (kl), or its significance (llr)." enum:"paper,lift,kl,llr" default:"paper"`
}

// Options returns the options of selection, complete but for Run.
func (a *Select) Options() (resolwe.SelectOptions, error) {
	crit, err := selection.ParseCriterion(a.Criterion)
	if err != nil {
		return resolwe.SelectOptions{}, console.UsageError(err.Error())
	}
	return resolwe.SelectOptions{Subgraphs: Stated(a.K2), Threshold: a.Theta, Criterion: crit}, nil
}
