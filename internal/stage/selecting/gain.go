package selecting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/features"
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
	Family    string  // of features: logs, thresholds or rules
	Shrink    float64 // precision of the prior of a weight, for a feature of variance 1
	Base      HeldOut // of the base rate alone
	Path      []GainStep
	Size      int        // how many steps of the path are selected, from its beginning
	Tied      []GainStep // formulas with several target literals, all selected
	Bias      float64    // weight of the unit clause
	Gate      gain.Gate  // by how much held-out atoms are predicted better than by the base rate; NaN if there are no atoms
	Offered   int        // how many distinct columns could be selected, each cut of a count or value for itself

	gated bool // the gate did not pass

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
	without, opt := 0, s.gain.options(ctx, blocks)
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
			out.Gain[len(out.Gain)-1].gated = true
			out.say("%s: nothing was selected: nothing found that predicts better than the base rate: held-out log-likelihood %+.3g an atom, standard error %.2g",
				s.model.Schema.Predicates[of.Pred].Name, r.Gate.Mean, r.Gate.Error)
		}
		out.Stopped = out.Stopped || of.Result != nil && of.Result.Cut
	}
	if out.Stopped {
		out.stop("not all formulas were tried, and those chosen so far are selected")
	}
	out.warn(without)
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
		at.Formula = f
		s.Selected, s.Notes, s.Established = append(s.Selected, f), append(s.Notes, at.note(g)), append(s.Established, at.Established != nil)
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

// Argument is an argument of a predicate.
type Argument struct{ Predicate, At int }

func (a Argument) compare(b Argument) int {
	return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.At, b.At))
}

// numeric returns the variables of a candidate that stand for numbers and are not restricted otherwise, each with one argument
// where it occurs; none of a candidate whose value is measured.
func (s *Selector) numeric(c *mln.Candidate) (vars []mln.Term, places []Argument) {
	schema := s.model.Schema
	if s.opt.Gain.All && c.Valued(schema) != nil {
		return nil, nil
	}
	restricted := map[int]bool{}
	restrict := func(t mln.Term) {
		if t.Kind == mln.TermVariable {
			restricted[t.Var] = true
		}
	}
	for _, q := range c.Enforcer {
		mln.EachTerm(q, restrict)
	}
	for _, l := range c.Selector {
		if l.Atom == nil {
			mln.EachTerm(l.Expr(), restrict)
		}
	}
	for _, l := range c.Selector {
		if l.Atom == nil || l.Negated {
			continue
		}
		for arg, t := range l.Atom.Args {
			if t.Kind == mln.TermVariable && schema.IsNumber(t.Type) && !restricted[t.Var] {
				restrict(t)
				vars, places = append(vars, t), append(places, Argument{l.Atom.Pred, arg})
			}
		}
	}
	return vars, places
}

// NumberCounts count how often each number occurs at each argument for which selection by gain needs boundaries. Counts on streams
// that share no subgraph add up, in any order, to the counts on all of them.
type NumberCounts map[Argument]map[float64]uint64

// NewNumberCounts returns counts of 0. There are none if the candidates compare no numbers or the criterion is not Gain.
func (s *Selector) NewNumberCounts() NumberCounts {
	out := NumberCounts{}
	if s.opt.Criterion != Gain {
		return out
	}
	for _, c := range s.candidates {
		_, places := s.numeric(c)
		for _, p := range places {
			out[p] = map[float64]uint64{}
		}
	}
	return out
}

// CountNumbers counts on all subgraphs of a stream, opened for the selector's model.
func (s *Selector) CountNumbers(ctx context.Context, stream *run.Stream) (NumberCounts, error) {
	wanted := s.NewNumberCounts()
	if len(wanted) == 0 {
		return wanted, nil
	}
	budget := s.opt.Budget.Part(numbersShare)
	err := run.Each(ctx, stream, s.opt.Run.Silent(), func(sub *subgraph.Subgraph) error {
		for p, values := range wanted {
			d := sub.Domains[s.model.Schema.Predicates[p.Predicate].Args[p.At]]
			t := &sub.Relations[p.Predicate].True
			for i := range t.Len() {
				if v, ok := mln.ParseNumber(d.Names.Name(t.Cols[p.At][i])); ok { // otherwise grounding reports it
					values[v]++
				}
			}
		}
		return budget.Err()
	})
	if errors.Is(err, run.ErrSpent) { // the boundaries are those of the first ones
		err = nil
	}
	return wanted, err
}

// Boundaries returns, for each argument, the boundaries that divide its numbers into sixteen parts.
func (c NumberCounts) Boundaries() NumberBoundaries {
	var out NumberBoundaries
	for _, a := range slices.SortedFunc(maps.Keys(c), Argument.compare) {
		values := slices.Sorted(maps.Keys(c[a]))
		times := make([]uint64, len(values))
		for i, v := range values {
			times[i] = c[a][v]
		}
		if bounds := features.Quantiles(values, times, 16); len(bounds) > 0 {
			out = append(out, Boundaries{a, bounds})
		}
	}
	return out
}

// NumberBoundaries are the boundaries of several arguments.
type NumberBoundaries []Boundaries

// Boundaries divide the numbers of an argument, ascending.
type Boundaries struct {
	Argument Argument
	Values   []features.Boundary
}

// of returns the boundaries of an argument.
func (b NumberBoundaries) of(a Argument) []features.Boundary {
	i := slices.IndexFunc(b, func(b Boundaries) bool { return b.Argument == a })
	if i < 0 {
		return nil
	}
	return b[i].Values
}

// WithNumbers returns a selector with additional candidates: after each candidate that mentions numbers come those that also
// compare one of these with a boundary, as at least or at most.
func (s *Selector) WithNumbers(boundaries NumberBoundaries) *Selector {
	if len(boundaries) == 0 {
		return s
	}
	out := &Selector{model: s.model, opt: s.opt, warnings: s.warnings}
	for _, c := range s.candidates {
		out.candidates = append(out.candidates, c)
		if len(c.Enforcer) > 1 {
			continue
		}
		vars, places := s.numeric(c)
		for i, v := range vars {
			for _, bound := range boundaries.of(places[i]) {
				out.candidates = append(out.candidates, comparing(c, v, mln.AtLeast, bound.From), comparing(c, v, mln.AtMost, bound.Below))
			}
		}
	}
	out.gain = newGainTask(out.model, out.candidates, &out.opt)
	return out
}

// comparing returns a candidate that also compares one of its numbers.
func comparing(c *mln.Candidate, v mln.Term, op mln.Comparison, bound float64) *mln.Candidate {
	with := *c
	value := mln.Term{Kind: mln.TermConstant, Name: mln.FormatNumber(bound), Type: v.Type, Number: true}
	with.Selector = append(slices.Clone(c.Selector), mln.Literal{Compare: &mln.Compare{X: v, Op: op, Value: value}})
	return &with
}
