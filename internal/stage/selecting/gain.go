package selecting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/stage/run"
	"resolwe/kernels/gain"
)

// GainOptions are the parameters of selection by gain. The zero value is the default.
type GainOptions struct {
	Formulas  int     // maximum for each target predicate, at least 1; 0 for 60
	Depth     int     // maximum thresholds in a formula, at least 1; 0 for 3
	Support   int     // minimum query atoms for which a threshold holds, and for which it fails, at least 1; 0 for 1% of the true ones, but 5 to 20
	Shrink    float64 // precision of the prior of a weight, for a feature of variance 1, above 0; 0 to let held-out atoms choose
	Inner     Inner   // how to form the folds that choose family, size and shrinkage
	Parsimony Parsimony
	Gate      *float64    // select nothing unless held-out atoms are predicted better than by the base rate by so many standard errors, at least 0; nil for 2
	Alone     bool        // of what is selected, take only the established formulas
	Rows      int         // maximum query atoms, in whole subgraphs, at least 1; 0 for 1,000,000
	Seed      uint64      // of the sample of subgraphs if there are more query atoms, and of inference; 0 for 1
	All       bool        // instead of selecting, take all candidates with one target literal: logarithms of counts, ranks of values
	Counts    *GainCounts // unless nil, counts shared by several selections: the first one stores them here
}

// Inner says how subgraphs are assigned to inner folds.
type Inner uint8

// The values of Inner. Forward folds follow the times of the subgraphs: of six blocks with about equally many atoms, each but the
// first is predicted from those before it. They need times for all subgraphs, 12 distinct times, and Support (20 unless stated) true
// atoms in the first block. Otherwise folds are random, and if there are times, Selection.Warnings says so.
const (
	InnerAuto    Inner = iota // forward if subgraphs have times
	InnerRandom               // at random, by hash of the name
	InnerForward              // forward; subgraphs without times are an error
)

// Parsimony says how many formulas of a path to take.
type Parsimony uint8

// The values of Parsimony.
const (
	ParsimonyAuto Parsimony = iota // ParsimonyOn if folds go forward, else ParsimonyOff
	ParsimonyOff                   // the number with the best held-out log-likelihood
	ParsimonyOn                    // the smallest number within one standard error of that
)

const (
	mostFormulas = 10_000
	mostDepth    = 100
	mostRows     = 1<<22 - 1
	gateErrors   = 2.
	allShrink    = 10 // for GainOptions.All, if Shrink is 0
)

// fill sets the defaults and checks the parameters.
func (o *GainOptions) fill() error {
	o.Formulas, o.Depth, o.Rows = cmp.Or(o.Formulas, 60), cmp.Or(o.Depth, 3), cmp.Or(o.Rows, 1_000_000)
	o.Seed = cmp.Or(o.Seed, 1)
	if o.Gate == nil {
		o.Gate = new(gateErrors)
	}
	switch {
	case o.Formulas < 1 || o.Formulas > mostFormulas:
		return &run.OptionError{Option: "GainOptions.Formulas", Reason: fmt.Sprintf("1 to %d", mostFormulas)}
	case o.Depth < 1 || o.Depth > mostDepth:
		return &run.OptionError{Option: "GainOptions.Depth", Reason: fmt.Sprintf("1 to %d", mostDepth)}
	case o.Support < 0:
		return &run.OptionError{Option: "GainOptions.Support", Reason: "at least 1"}
	case o.Shrink != 0 && !(o.Shrink >= 1e-6 && o.Shrink <= 1e9):
		return &run.OptionError{Option: "GainOptions.Shrink", Reason: "1e-6 to 1e9"}
	case !(*o.Gate >= 0) || math.IsInf(*o.Gate, 0):
		return &run.OptionError{Option: "GainOptions.Gate", Reason: "a number of at least 0"}
	case o.Inner > InnerForward:
		return &run.OptionError{Option: "GainOptions.Inner", Reason: "auto, random or forward"}
	case o.Parsimony > ParsimonyOn:
		return &run.OptionError{Option: "GainOptions.Parsimony", Reason: "auto, 0 or 1"}
	case o.Rows < 1 || o.Rows > mostRows:
		return &run.OptionError{Option: "GainOptions.Rows", Reason: fmt.Sprintf("1 to %d", mostRows)}
	}
	return nil
}

// GainSelection is what was selected by gain for one target predicate.
type GainSelection struct {
	Target    string  // the predicate
	Subgraphs int     // subgraphs used, which have atoms of known truth
	Atoms     int     // their atoms of known truth
	Sampled   bool    // whether these are a sample
	BaseRate  float64 // NaN if there are no atoms; so are Shrink and Base
	Forward   bool    // whether the inner folds go forward in time
	Family    string  // of features: logs, ranks, thresholds or rules
	Shrink    float64 // precision of the prior of a weight, for a feature of variance 1
	Base      HeldOut // of the base rate alone
	Path      []GainStep
	Size      int        // how many steps of the path are selected, from its beginning
	Tied      []GainStep // formulas with several target literals, all selected
	Bias      float64    // weight of the unit clause
	Gate      gain.Gate  // by how much held-out atoms are predicted better than by the base rate; NaN if there are no atoms
	Offered   int        // how many distinct columns could be selected, each cut of a count or value for itself

	// LogOdds are, by subgraph, the held-out log-odds of the target's atoms with known truth, in order. Each comes from the model
	// of an inner fold that has not seen the atom and has no formula with several target literals. They are kept only if
	// Options.LogOdds is set.
	LogOdds map[string][]float64
}

// HeldOut says how well atoms are predicted that a model has not seen, over five folds of the subgraphs (or of the atoms, with
// fewer than ten subgraphs); if folds go forward, over the subgraphs after the first block.
type HeldOut = gain.Figures

// GainStep is a formula of a path.
type GainStep struct {
	Formula   *mln.Formula   // with a weight if it is selected
	Gain      float64        // nats per atom that it added to the penalised log-likelihood when it was chosen
	Support   int64          // atoms for which its feature is not 0
	TrueRate  float64        // share of true atoms among these
	After     HeldOut        // of the path up to this formula
	Redundant []*mln.Formula // candidates that it left with little gain

	Established *Established // nil if the formula is not
	Growth      *Growth      // nil if it counts nothing that grows with subgraphs
}

// Established is what is known of an established formula: one that of all that could be selected would hardly look as good by chance.
type Established struct {
	Weight   float64    // in a model of the established formulas alone
	Interval [2]float64 // of that weight, wide enough to allow for the choice of the formula
	Miss     float64    // probability that such an interval misses
}

// After returns how well held-out atoms are predicted by the base rate and the first formulas of the path.
func (g *GainSelection) After(formulas int) HeldOut {
	if formulas == 0 {
		return g.Base
	}
	return g.Path[formulas-1].After
}

// HeldOut returns how well held-out atoms are predicted by the selected formulas.
func (g *GainSelection) HeldOut() HeldOut {
	if n := len(g.Tied); n > 0 {
		return g.Tied[n-1].After
	}
	return g.After(g.Size)
}

// Again reopens the subgraphs at some positions of a stream, as consecutive streams.
type Again func(positions []int) ([]*run.Stream, error)

// byGain selects formulas from counts.
func (s *Selector) byGain(ctx context.Context, c *SelectionCounts, again Again) (*Selection, error) {
	out := &Selection{Subgraphs: int(c.Subgraphs), Criterion: Gain, Warnings: slices.Clip(s.warnings), alone: s.opt.Gain.Alone} // #nosec G115 -- a number of subgraphs
	blocks, why, err := s.gain.blocks(c.Rows)
	if err != nil {
		return nil, err
	}
	if why != "" {
		out.NotForward = "inner folds are random, not forward in time: " + why
		out.Warnings = append(out.Warnings, mln.Diagnostic{Msg: out.NotForward})
	}
	selected, err := s.gain.choose(ctx, c.Rows, blocks, again)
	if errors.Is(err, run.ErrSpent) { // the others are there
		out.stop("formulas with several target literals were not judged, and are left out")
		err = nil
	}
	if err != nil {
		return nil, err
	}
	without, told, opt := 0, false, s.gain.options(ctx, blocks)
	for _, of := range selected {
		established, err := of.Establish(opt)
		if err == nil && s.opt.Gain.Alone && of.Result != nil {
			err = of.Alone(established, opt)
		}
		if err != nil {
			return nil, err
		}
		out.addGain(s.model, of, established)
		if s.opt.LogOdds {
			out.Gain[len(out.Gain)-1].LogOdds = of.LogOdds()
		}
		out.addDoubts(of)
		without += of.Without()
		if r := of.Result; r != nil && !s.opt.Gain.All && !r.Gate.Passes(*s.opt.Gain.Gate) {
			told = true
			out.say("%s: nothing was selected: nothing found that predicts better than the base rate: held-out log-likelihood %+.3g an atom, standard error %.2g",
				s.model.Schema.Predicates[of.Pred].Name, r.Gate.Mean, r.Gate.Error)
		}
		out.Stopped = out.Stopped || of.Result != nil && of.Result.Cut
	}
	if out.Stopped {
		out.stop("not all formulas were tried, and those chosen so far are selected")
	}
	out.warn(without, told)
	return out, nil
}

// addGain adds the formulas selected for a target.
func (s *Selection) addGain(m *run.Model, of *gain.Selected, established []gain.Finding) {
	g := GainSelection{Target: m.Schema.Predicates[of.Pred].Name, BaseRate: math.NaN(), Shrink: math.NaN(), Base: noFigures, Gate: noGate}
	if r := of.Result; r != nil {
		g.Subgraphs, g.Atoms, g.Sampled = len(of.Matrix.Subgraphs), of.Matrix.Rows(), of.Sampled
		g.BaseRate, g.Family, g.Shrink, g.Base, g.Size = r.BaseRate, r.Family.String(), r.Shrink, r.Base, r.Size
		g.Forward, g.Gate, g.Offered = of.Matrix.Forward(), r.Gate, of.Offered()
		for i := range r.Path {
			p := &r.Path[i]
			step := newGainStep(p, g.Atoms)
			step.Formula = of.Formula(&p.Column)
			if i < r.Size {
				step.Growth = s.growth(of, &p.Column, step.Formula)
			}
			for _, c := range p.Redundant {
				step.Redundant = append(step.Redundant, of.Candidates[c].Joint())
			}
			g.Path = append(g.Path, step)
		}
		tied, rows := of.Tied()
		for i := range tied {
			g.Tied = append(g.Tied, newGainStep(&tied[i], rows))
		}
		s.take(&g, of, established)
	}
	s.Gain = append(s.Gain, g)
}

// take adds the chosen formulas of a target to what is selected, and to their steps.
func (s *Selection) take(g *GainSelection, of *gain.Selected, established []gain.Finding) {
	chosen := of.Chosen()
	g.Bias = chosen.Bias
	step := func(column int) *GainStep {
		if column < g.Size {
			return &g.Path[column]
		}
		return &g.Tied[column-g.Size]
	}
	for _, e := range established {
		step(e.Column).Established = &Established{e.Weight, e.Interval, e.Miss}
	}
	for i, f := range of.Formulas(chosen) {
		at := step(i)
		if s.alone {
			at = step(established[i].Column)
		}
		f.Standing = mln.StandingAlso
		if at.Established != nil {
			f.Standing = mln.StandingEstablished
		}
		at.Formula = f
		s.Selected, s.Notes = append(s.Selected, f), append(s.Notes, at.note(g))
	}
	if s.alone {
		g.Tied = slices.DeleteFunc(g.Tied, func(s GainStep) bool { return s.Established == nil })
	}
}

var ( // of a target without an atom of known truth
	noGate    = gain.Gate{Mean: math.NaN(), Error: math.NaN()}
	noFigures = HeldOut{CLL: math.NaN(), MAP: math.NaN(), AUC: math.NaN()}
)

func newGainStep(s *gain.Step, atoms int) GainStep {
	return GainStep{Gain: s.Gain / float64(atoms), Support: s.Support, TrueRate: s.TrueRate, After: s.After}
}

// note describes a step in one line.
func (s *GainStep) note(g *GainSelection) string {
	text := fmt.Sprintf("P(Q | E) = %.4g on %d of %d atoms (base rate %.4g); gain %.3g nats an atom", s.TrueRate, s.Support, g.Atoms, g.BaseRate, s.Gain)
	if !math.IsNaN(s.After.CLL) {
		text += fmt.Sprintf("; held-out CLL %.6g", s.After.CLL)
	}
	return text
}

// withBiases adds the unit clauses of a selection by gain, or adds their weights to existing ones.
func (s *Selection) withBiases(m *run.Model, formulas []*mln.Formula) []*mln.Formula {
	for i := range s.Gain {
		pred := slices.IndexFunc(m.Schema.Predicates, func(p mln.Predicate) bool { return p.Name == s.Gain[i].Target })
		formulas = withBias(m.Schema, formulas, pred, s.Gain[i].Bias)
	}
	return formulas
}

// withBias returns the formulas with a weight for the unit clause of a predicate.
func withBias(schema *mln.Schema, formulas []*mln.Formula, pred int, weight float64) []*mln.Formula {
	unit := mln.UnitClause(schema, pred).WithWeight(weight)
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
