package flags

import (
	"cmp"
	"math"

	"resolwe"
	"resolwe/cmd/internal/console"
	"resolwe/internal/stage/selecting"
	"resolwe/kernels/selection"
)

// Select are the parameters of selection.
type Select struct {
	K2        *int     `help:"Select on the first N subgraphs; 0 for all. Default: all for gain, 30 for the other criteria." name:"k2" placeholder:"N"`
	Theta     *float64 `help:"Threshold, at least 0. Default: 0.4 for paper, 1.5 for lift, 0.05 nats for kl, 3.29 for llr." placeholder:"X"`
	Criterion string   `help:"How to choose formulas: by what they add to the likelihood of held-out atoms (gain), or by a value that must exceed theta: the probability that the formula holds if its evidence does (paper), the ratio of that to the base rate (lift), the divergence from it (kl), or its significance (llr)." enum:"gain,paper,lift,kl,llr" default:"gain"`
	Gain
}

// Gain are the parameters of selection by gain.
type Gain struct {
	Formulas  int     `help:"Maximum number of formulas for each target predicate (gain)." default:"60" placeholder:"N"`
	Depth     int     `help:"Maximum number of thresholds in a formula (gain)." default:"3" placeholder:"N" rare:""`
	Support   *int    `help:"Minimum number of query atoms for which a threshold must hold, and for which it must fail (gain). Default: 1% of the true ones, but 5 to 20." placeholder:"N"`
	Shrink    float64 `help:"Precision of the prior of the weights, for features of variance 1, above 0 (gain). By default, held-out atoms choose it." default:"0" placeholder:"X" rare:""`
	Inner     string  `help:"Inner folds, which provide the held-out atoms (gain): random, or forward in time, with each of five blocks predicted from those before it; auto is forward if subgraphs have times." enum:"auto,random,forward" default:"auto" rare:""`
	Parsimony string  `help:"1 takes the fewest formulas within one standard error of the best number, 0 the best; auto is 1 if inner folds go forward (gain)." enum:"auto,0,1" default:"auto"`
	Gate      float64 `help:"Select nothing unless held-out atoms are predicted better than by the base rate by this many standard errors; 0 selects in any case (gain)." default:"2" placeholder:"X" rare:""`
	Alone     bool    `help:"Take only formulas that are established: that would hardly look as good by chance, of all that could be selected (gain)." name:"established"`
	Rows      int     `help:"Maximum number of query atoms, in whole subgraphs; if there are more, a sample is drawn (gain)." default:"1000000" placeholder:"N" rare:""`
}

// Selection are the parameters of selection, and of discovery as its first step.
type Selection struct {
	Select `group:"Selection:"`
	Within `group:"Discovery:"`
}

// Options returns the options of selection, without Run.
func (a *Select) Options(seed uint64) (resolwe.SelectOptions, error) {
	crit, err := selection.ParseCriterion(a.Criterion)
	if err != nil {
		return resolwe.SelectOptions{}, console.UsageError(err.Error())
	}
	if crit == resolwe.Gain && a.Theta != nil {
		return resolwe.SelectOptions{}, console.UsageError("--theta is for --criterion paper, lift, kl or llr")
	}
	opt := resolwe.SelectOptions{Threshold: a.Theta, Criterion: crit}
	if a.K2 != nil {
		opt.Subgraphs = cmp.Or(*a.K2, math.MaxInt)
	}
	g := &opt.Gain
	g.Formulas, g.Depth, g.Support, g.Rows = Stated(a.Formulas), Stated(a.Depth), Given(a.Support), Stated(a.Rows)
	g.Shrink, g.Seed, g.Gate, g.Alone = a.Shrink, seed, &a.Gate, a.Alone
	g.Inner = map[string]selecting.Inner{"random": selecting.InnerRandom, "forward": selecting.InnerForward}[a.Inner]
	g.Parsimony = map[string]selecting.Parsimony{"0": selecting.ParsimonyOff, "1": selecting.ParsimonyOn}[a.Parsimony]
	return opt, nil
}
