package gain

import (
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Selection by gain chooses formulas of several target literals on leastTiedAtoms query atoms, or on tiedSubgraphs subgraphs where
// these have more: what holds for few subgraphs need not hold for others. Beyond mostTiedAtoms it takes fewer, but at least fewestTied.
const (
	leastTiedAtoms, mostTiedAtoms = 10_000, 200_000
	tiedSubgraphs, fewestTied     = 128, 50
)

// tiedSample returns these rows.
func tiedSample(m *Matrix) *Matrix {
	return m.First(mostTiedAtoms, fewestTied).First(leastTiedAtoms, tiedSubgraphs).stacked()
}

// mostRefitted is the most rows of a sample that the first stage's weights are fitted on again, one by one.
const mostRefitted = 1 << 15

// mostTied bounds the formulas of several target literals for each target predicate.
func (o *Options) mostTied() int { return min(4, o.Formulas/4) }

// Tieable reports whether there are candidates of several target literals.
func Tieable(candidates []*mln.Candidate) bool {
	return slices.ContainsFunc(candidates, func(c *mln.Candidate) bool { return len(c.Enforcer) > 1 })
}

// Tying selects formulas of several target literals, after what was selected of the others: candidates as they are, and of two
// literals the conditionals and the means with either as the head. As features of an atom they are what it adds to the
// expected count while the other atoms stand at held-out probabilities (stacking: Kou and Cohen, 2007).
type Tying struct {
	Targets []*Selected // that have rows
	opt     Options
	schema  *mln.Schema
}

// second is the second stage of a target.
type second struct {
	sample    *Matrix // the first subgraphs of the target's
	formulas  []*mln.Formula
	first     [][]float64 // their features at the predictions of the first stage
	features  [][]float64 // of those that extension has, at logOdds
	logOdds   []float64   // held out, by row of sample
	extension *Result
	inferred  []float64 // log-odds of marginals inferred with it, each by the model of its fold
	after     Figures   // of these
	chosen    bool      // whether they are better than those without
}

// NewTying returns nil where there are no candidates of several target literals, or none are to be selected.
func NewTying(schema *mln.Schema, selected []*Selected, candidates []*mln.Candidate, opt Options) *Tying {
	y := &Tying{schema: schema, opt: opt.filled()}
	if y.opt.mostTied() == 0 {
		return nil
	}
	for _, s := range selected {
		if s.Result != nil {
			s.second = &second{sample: tiedSample(s.Matrix)}
			y.Targets = append(y.Targets, s)
		}
	}
	seen := map[string]bool{}
	add := func(f *mln.Formula, head *mln.Atom) {
		at := slices.IndexFunc(y.Targets, func(s *Selected) bool { return s.Pred == head.Pred })
		if key := mln.Canonical(f); !seen[key] && at >= 0 {
			seen[key] = true
			y.Targets[at].second.formulas = append(y.Targets[at].second.formulas, f)
		}
	}
	for _, c := range candidates {
		last := len(c.Enforcer) - 1
		if last == 1 {
			add(c.Shaped(mln.ShapeMean, 0), c.Enforcer[0])
			add(c.Shaped(mln.ShapeMean, 1), c.Enforcer[1])
			add(c.Conditional(0), c.Enforcer[0])
			add(c.Conditional(1), c.Enforcer[1])
		}
		if last > 0 {
			add(c.Joint(), c.Enforcer[last])
		}
	}
	if len(seen) == 0 {
		return nil
	}
	return y
}

// Names returns, by target, the names of the subgraphs with sampled rows in a fold, or for -1 of those with any that choose.
func (y *Tying) Names(fold int) (names []string) {
	has := func(f int8) bool { return int(f) == fold || fold < 0 && f != leftOut }
	for _, s := range y.Targets {
		m := s.second.sample
		for i := range m.Subgraphs {
			if slices.ContainsFunc(m.fold[m.Start[i]:m.Start[i+1]], has) {
				names = append(names, m.Subgraphs[i].Name)
			}
		}
	}
	return names
}

// Select selects the formulas. They stay where marginals that are inferred with them are better than those without. compute
// computes features on the sampled subgraphs; infer infers the marginals of those that have rows in a fold with its models, for
// Observe.
func (y *Tying) Select(compute func(*Features) error, infer func(fold int) error) error {
	if err := compute(y.every()); err != nil {
		return err
	}
	for _, most := range []int{y.opt.mostTied(), 1} {
		size, err := y.grow(most)
		if err != nil || size == 0 {
			return err
		}
		helps, err := y.settle(compute)
		if err == nil && helps {
			helps, err = y.judge(infer)
		}
		if err != nil {
			return err
		}
		if helps {
			for _, s := range y.Targets {
				s.second.chosen = true
			}
			return nil
		}
		if size == 1 { // as the next one would be
			return nil
		}
	}
	return nil
}

// waysToFit returns whether the first stage's weights are to be scaled: on all of its rows they are fitted again, on few of them
// both are tried.
func (s *Selected) waysToFit() []bool {
	switch rows := s.second.sample.Rows(); {
	case rows == s.Matrix.Rows():
		return []bool{false}
	case rows > mostRefitted:
		return []bool{true}
	}
	return []bool{false, true}
}

// grow fits second stages of at most a number of formulas: of means alone and of all kinds, with the first stage's weights either
// fitted again or all scaled. It keeps what predicts held-out atoms best, and returns the most formulas that a stage has.
func (y *Tying) grow(most int) (size int, err error) {
	opt := y.opt
	opt.Formulas = most
	for _, s := range y.Targets {
		g := s.second
		means := slices.Clone(g.first)
		for i, f := range g.formulas {
			if f.Shape != mln.ShapeMean {
				means[i] = make([]float64, g.sample.Rows()) // which gains nothing
			}
		}
		best := math.Inf(-1)
		for _, opt.Scaled = range s.waysToFit() {
			for _, columns := range [][][]float64{means, g.first} {
				x, err := g.sample.Extend(s.Result, columns, opt)
				if err != nil {
					return 0, err
				}
				if after, _ := g.sample.Judge(x.HeldOut); g.extension == nil || after.CLL > best {
					best, g.extension = after.CLL, x
				}
			}
		}
		g.logOdds, g.features = slices.Clone(s.heldOut()), slices.Clone(g.first)
		size = max(size, g.extension.Size)
	}
	return size, nil
}

// heldOut returns the log-odds of the sampled rows by the first stage.
func (s *Selected) heldOut() []float64 { return s.Result.HeldOut[:s.second.sample.Rows()] }

// Weights have settled once held-out probabilities differ by so little, as the root of the mean square. Where they do, a fit
// halves the distance at first, from about .1 on the data sets of BENCHMARKS.md.
const (
	settling  = 20
	settledAt = .005
)

// settle fits the weights again and again, each time at the held-out probabilities that the last ones lead to, until these stay
// as they are: then they are what inference has of the neighbours of an atom. It returns false where they do not, or predict
// held-out atoms no better than the first stages.
func (y *Tying) settle(compute func(*Features) error) (bool, error) {
	f := y.chosen()
	for range settling {
		change, gains := 0.0, false
		for _, s := range y.Targets {
			change = max(change, s.second.approach())
			m := s.second.sample
			gain := mean(m.likelihoods(s.second.extension.HeldOut)) - mean(m.likelihoods(s.heldOut()))
			gains = gains || gain > 0 // by the expected values of an atom's neighbours
		}
		if !gains || change < settledAt {
			return gains, nil
		}
		if err := compute(f); err != nil {
			return false, err
		}
		for _, s := range y.Targets {
			g := s.second
			var err error
			if g.extension, err = g.sample.Refit(g.extension, s.Result, g.features, y.opt); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// approach moves the log-odds of rows in folds half of the way to those of the extension, so that weights do not swing, and returns
// the root of the mean square of what the probabilities differed by before.
func (g *second) approach() float64 {
	sum, n := 0.0, 0
	for i, to := range g.extension.HeldOut {
		if g.sample.fold[i] < 0 {
			continue
		}
		d := elementary.Sigmoid(g.logOdds[i]) - elementary.Sigmoid(to)
		sum += float64(d * d)
		n++
		g.logOdds[i] = (g.logOdds[i] + to) / 2
	}
	return math.Sqrt(sum / float64(max(n, 1)))
}

// certain is how many standard errors a difference of leastUnits units or more exceeds 0 by where further folds are not asked.
const certain = 4.

// judge has the marginals inferred. It returns whether they are better than the probabilities of the first stage, by the mean
// log-likelihoods of a subgraph's atoms in a fold.
func (y *Tying) judge(infer func(fold int) error) (bool, error) {
	for _, s := range y.Targets {
		s.second.inferred = make([]float64, s.second.sample.Rows())
	}
	for fold := range Folds {
		if err := infer(fold); err != nil {
			return false, err
		}
		d := y.difference(fold + 1)
		if m, e := mean(d), standardError(d); fold == Folds-1 || len(d) >= leastUnits && m > certain*e {
			return m > 2*e && y.ranks(fold+1), nil
		}
	}
	return false, nil
}

// ranks reports whether average precision does not fall by more than its standard error, if there is one, with the marginals of the first
// folds.
func (y *Tying) ranks(folds int) bool {
	d := make([]float64, 0, len(y.Targets[0].second.sample.Subgraphs))
	for _, s := range y.Targets {
		m := *s.second.sample
		m.number(folds)
		_, with := m.rankings(s.second.inferred)
		_, without := m.rankings(s.heldOut())
		d = append(d, difference(with, without)...)
	}
	if len(d) < 2 {
		return features.Sum(d) >= 0
	}
	return mean(d) >= -standardError(d)
}

// difference returns what the marginals of the first folds are better by, of each unit, and notes how good they are.
func (y *Tying) difference(folds int) (d []float64) {
	for _, s := range y.Targets {
		m := *s.second.sample
		m.number(folds)
		var units []float64
		s.second.after, units = m.Judge(s.second.inferred)
		d = append(d, difference(units, m.likelihoods(s.heldOut()))...)
	}
	return d
}

// Observe takes the marginals of the atoms of known truth of a sampled subgraph, of which those of a fold count.
func (s *Selected) Observe(fold int, name string, marginals []float64) {
	first, n := s.rowsOf(name)
	if first >= len(s.second.inferred) {
		return
	}
	for k, p := range marginals[:min(n, len(marginals))] {
		if int(s.second.sample.fold[first+k]) == fold {
			p = min(max(p, 1e-9), 1-1e-9)
			s.second.inferred[first+k] = elementary.Log(p / (1 - p))
		}
	}
}
