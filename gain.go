package resolwe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/gain"
)

// GainOptions are the parameters of selection by gain. The zero value is the default.
type GainOptions struct {
	Formulas  int     // at most so many for each target predicate, at least 1; 0 for 60
	Depth     int     // thresholds of a formula at most, at least 1; 0 for 3
	Support   int     // query atoms that a threshold must hold for, and as many that it must not, at least 1; 0 for 20
	Shrink    float64 // precision of the prior of a weight, for a feature of variance 1, above 0; 0 for what held-out atoms choose
	Parsimony bool    // the fewest formulas within one standard error of the best held-out log-likelihood
	Rows      int     // query atoms at most, in whole subgraphs, at least 1; 0 for 1,000,000
	Seed      uint64  // of the sample of subgraphs where there are more query atoms, and of inference; 0 is one like any other
	All       bool    // instead of a selection, the logarithms of all candidates of one target literal
}

const (
	mostFormulas = 10_000
	mostDepth    = 100
	mostRows     = 1<<22 - 1
	allShrink    = 10 // of GainOptions.All, where Shrink is 0
)

// fill puts the defaults in, and checks the parameters.
func (o *GainOptions) fill() error {
	o.Formulas, o.Depth, o.Support, o.Rows = cmp.Or(o.Formulas, 60), cmp.Or(o.Depth, 3), cmp.Or(o.Support, 20), cmp.Or(o.Rows, 1_000_000)
	switch {
	case o.Formulas < 1 || o.Formulas > mostFormulas:
		return &OptionError{"GainOptions.Formulas", fmt.Sprintf("1 to %d", mostFormulas)}
	case o.Depth < 1 || o.Depth > mostDepth:
		return &OptionError{"GainOptions.Depth", fmt.Sprintf("1 to %d", mostDepth)}
	case o.Support < 1:
		return &OptionError{"GainOptions.Support", "at least 1"}
	case o.Shrink != 0 && !(o.Shrink >= 1e-6 && o.Shrink <= 1e9):
		return &OptionError{"GainOptions.Shrink", "1e-6 to 1e9"}
	case o.Rows < 1 || o.Rows > mostRows:
		return &OptionError{"GainOptions.Rows", fmt.Sprintf("1 to %d", mostRows)}
	}
	return nil
}

// GainSelection is what was selected by gain for one target predicate.
type GainSelection struct {
	Target    string // the predicate
	Subgraphs int    // with atoms of known truth that were used
	Atoms     int    // of known truth, in these
	Sampled   bool   // whether there are more
	BaseRate  float64
	Family    string  // of features: logs, thresholds or rules
	Shrink    float64 // precision of the prior of a weight, for a feature of variance 1
	Base      HeldOut // of the base rate alone
	Path      []GainStep
	Size      int        // so many of the path, from its beginning, are selected
	Tied      []GainStep // formulas of several target literals, all of them selected
	Bias      float64    // weight of the unit clause
}

// HeldOut is how well atoms are predicted that a model has not seen, over five folds of the subgraphs, or of the atoms of
// fewer than ten subgraphs.
type HeldOut = gain.Figures

// GainStep is a formula of a path.
type GainStep struct {
	Formula   *mln.Formula   // with a weight where it is selected
	Gain      float64        // nats an atom that it added to the penalised log-likelihood when it was found
	Support   int64          // atoms for which its feature is not 0
	TrueRate  float64        // share of true ones among these
	After     HeldOut        // of the path up to this formula
	Redundant []*mln.Formula // candidates of which it left little gain
}

// After returns how well held-out atoms are predicted by the base rate and the first formulas of the path.
func (g *GainSelection) After(formulas int) HeldOut {
	if formulas == 0 {
		return g.Base
	}
	return g.Path[formulas-1].After
}

// HeldOut returns how well held-out atoms are predicted by what is selected.
func (g *GainSelection) HeldOut() HeldOut {
	if n := len(g.Tied); n > 0 {
		return g.Tied[n-1].After
	}
	return g.After(g.Size)
}

// byGain decides on counts.
func (s *Selector) byGain(ctx context.Context, c *SelectionCounts, again Again) (*Selection, error) {
	out := &Selection{Subgraphs: int(c.Subgraphs), Criterion: Gain, Warnings: slices.Clip(s.warnings)} // #nosec G115 -- a number of subgraphs
	t := s.gain.unused()
	if err := t.choose(c.Rows); err != nil {
		return nil, err
	}
	if !t.opt.All && again != nil {
		if err := t.tie(ctx, again, s.candidates); err != nil {
			return nil, err
		}
	}
	without := 0
	for _, to := range t.targets {
		out.addGain(t, to)
		without += to.without()
	}
	out.warn(without)
	return out, nil
}

// addGain adds what was selected for a target.
func (s *Selection) addGain(t *gainTask, to *gainTarget) {
	g := GainSelection{Target: t.model.Schema.Predicates[to.pred].Name}
	if r := to.result; r != nil {
		g.Subgraphs, g.Atoms, g.Sampled = to.matrix.Subgraphs(), to.matrix.Rows(), to.sampled
		g.BaseRate, g.Family, g.Shrink, g.Base, g.Size = r.BaseRate, r.Family.String(), r.Shrink, r.Base, r.Size
		for i := range r.Path {
			p := &r.Path[i]
			step := GainStep{
				Formula: to.formula(&p.Column), Gain: p.Gain / float64(g.Atoms), Support: p.Support, TrueRate: p.TrueRate, After: p.After,
			}
			for _, c := range p.Redundant {
				step.Redundant = append(step.Redundant, to.candidates[c].Joint())
			}
			g.Path = append(g.Path, step)
		}
		m := to.model()
		g.Bias, g.Tied = m.bias, to.tiedSteps()
		for i, f := range m.formulas {
			var step *GainStep
			if i < g.Size {
				step = &g.Path[i]
			} else {
				step = &g.Tied[i-g.Size]
			}
			step.Formula = f
			s.Notes = append(s.Notes, step.note(&g))
		}
		s.Selected = append(s.Selected, m.formulas...)
	}
	s.Gain = append(s.Gain, g)
}

// note describes a step in one line.
func (s *GainStep) note(g *GainSelection) string {
	text := fmt.Sprintf("P(Q | it) = %.4g for %d of %d atoms (base rate %.4g); gain %.3g nats an atom", s.TrueRate, s.Support, g.Atoms, g.BaseRate, s.Gain)
	if !math.IsNaN(s.After.CLL) {
		text += fmt.Sprintf("; held-out CLL %.6g", s.After.CLL)
	}
	return text
}

// withBiases adds the unit clauses of what was selected by gain, or their weights to those that are there.
func (s *Selection) withBiases(m *Model, formulas []*mln.Formula) []*mln.Formula {
	for i := range s.Gain {
		pred := slices.IndexFunc(m.Schema.Predicates, func(p mln.Predicate) bool { return p.Name == s.Gain[i].Target })
		formulas = withBias(m.Schema, formulas, pred, s.Gain[i].Bias)
	}
	return formulas
}

// withBias returns the formulas with a weight for the unit clause of a predicate.
func withBias(schema *mln.Schema, formulas []*mln.Formula, pred int, weight float64) []*mln.Formula {
	unit := mln.UnitClause(schema, pred)
	unit.Weight, unit.HasWeight = weight, true
	at := slices.IndexFunc(formulas, func(f *mln.Formula) bool {
		return !f.Hard && f.Shape == mln.ShapeNone && mln.Canonical(f) == mln.Canonical(unit)
	})
	if at < 0 {
		return append(slices.Clip(formulas), unit)
	}
	unit.Weight += formulas[at].Weight
	out := slices.Clone(formulas)
	out[at] = unit
	return out
}
