package gain

import (
	"resolwe/format/mln"
	"resolwe/kernels/features"
)

// Selected is the result of selection for a target.
type Selected struct {
	*Target
	Sampled bool // there are more rows than were used
	Matrix  *Matrix
	Result  *Result // nil without rows

	at     map[string]int // by name of a subgraph with rows, its index among them
	alone  *Model         // of the established columns; nil for the selection
	second *second        // nil if no formulas with several target literals were searched
}

// Choose selects on rows of the task, which must not be used again unless they are kept. It reserves formulas for those with several target
// literals if there are such candidates. With opt.All, it builds a model of all candidates instead. The errors are those of NewMatrix
// and Matrix.Select.
func (t *Task) Choose(rows *Rows, candidates []*mln.Candidate, opt Options) ([]*Selected, error) {
	if !opt.All && Tieable(candidates) {
		opt.Formulas -= opt.mostTied()
	}
	opt = opt.filled()
	pace := opt.Pace
	out := make([]*Selected, len(t.Targets))
	for i, to := range t.Targets {
		opt.Pace = pace.part(1 / float64(len(t.Targets)-i))
		s := &Selected{Target: to, Sampled: rows.Builders[i].Sampled(), at: map[string]int{}}
		out[i] = s
		values := map[int][]float64{}
		for k, c := range to.Measures {
			values[c] = rows.Builders[i].Values(k)
		}
		var err error
		if s.Matrix, err = NewMatrix(rows.Builders[i], opt.Blocks); err != nil {
			return nil, err
		}
		s.Matrix.ranks, s.Matrix.about, s.Matrix.values = to.ranks(), to.about, values
		if !opt.All {
			s.Matrix.scale(to)
		}
		for i := range s.Matrix.Subgraphs {
			s.at[s.Matrix.Subgraphs[i].Name] = i
		}
		switch {
		case s.Matrix.Rows() == 0:
		case opt.All:
			s.Result, err = s.Matrix.Ridge(opt)
		default:
			s.Result, err = s.Matrix.Select(opt)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// rowsOf returns the first row of a subgraph, and the number of its rows.
func (s *Selected) rowsOf(name string) (first, n int) {
	i, ok := s.at[name]
	if !ok {
		return 0, 0
	}
	return s.Matrix.Start[i], s.Matrix.Start[i+1] - s.Matrix.Start[i]
}

// LogOdds returns the held-out log-odds of the rows of each subgraph; empty if there are no rows.
func (s *Selected) LogOdds() map[string][]float64 {
	out := make(map[string][]float64, len(s.at))
	for name := range s.at {
		if first, n := s.rowsOf(name); s.Result != nil && n > 0 {
			out[name] = s.Result.HeldOut[first : first+n]
		}
	}
	return out
}

// Without returns the number of candidates without a grounding for any row.
func (s *Selected) Without() (n int) {
	for c := range s.Candidates {
		if !s.Matrix.Occurs(c) {
			n++
		}
	}
	return n
}

// Chosen returns the selected model.
func (s *Selected) Chosen() *Model {
	if s.alone != nil {
		return s.alone
	}
	if s.second != nil && s.second.chosen {
		return &s.second.extension.Model
	}
	return &s.Result.Model
}

// FoldModel returns the model with several-target formulas that was fitted without a fold.
func (s *Selected) FoldModel(fold int) *Model { return &s.second.extension.FoldModels[fold] }

// Formulas returns the formulas of a model, with weights.
func (s *Selected) Formulas(m *Model) (out []*mln.Formula) {
	for i := range m.Columns {
		var f *mln.Formula
		if c := &m.Columns[i]; c.Kind == KindExtra {
			f = s.second.formulas[c.Extra]
		} else {
			f = s.Formula(c)
		}
		out = append(out, f.WithWeight(m.Weights[i]))
	}
	return out
}

// Tied returns the selected formulas with several target literals, as steps, and the number of rows on which they were chosen.
func (s *Selected) Tied() (steps []Step, rows int) {
	if s.second == nil || !s.second.chosen {
		return nil, 0
	}
	x := s.second.extension
	if steps = x.Path[:x.Size]; len(steps) > 0 { // otherwise only another target has some
		steps[len(steps)-1].After = s.second.after
	}
	return steps, len(s.second.sample.used())
}

// Kind is the kind of a column.
type Kind uint8

// The kinds of columns.
const (
	KindRule     Kind = iota // whether all literals hold: a threshold, or several and their negations
	KindLog                  // log2(1 + n)
	KindExtra                // values given by the caller
	KindValue                // whether a measure has a value
	KindRank                 // the place of a measure's value among knots, 0 without one (mln.ShapeRank)
	KindRelative             // how far a count or a measure's value is above its mean in the subgraph (mln.ShapeRelative)
)

// Literal says that a candidate has at least AtLeast groundings for an atom or, negated, fewer; for a measure, that its value is at least
// Bound, or at most. A negated literal also holds if the measure has no value.
type Literal struct {
	Candidate int
	AtLeast   int64 // one of the thresholds; for a measure a level: the first one, or the last
	Negated   bool
	AtMost    bool
	Bound     float64
}

// holds reports whether a nonzero level satisfies the literal, ignoring its negation.
func (l *Literal) holds(lv uint8) bool {
	if l.AtMost {
		return int64(lv) <= l.AtLeast
	}
	return lv >= features.Level(l.AtLeast)
}

// Column is a feature of a query atom.
type Column struct {
	Kind     Kind
	Literals []Literal // in the order found; for a log only the candidate of its one literal matters
	Extra    int       // for KindExtra: its index
	Numbers  []float64 // for KindRank the knots; for KindRelative of a measure the standard deviation
}

// Model says that the log-odds of a row are its offset plus the bias plus the weighted sum of columns.
type Model struct {
	Columns []Column
	Bias    float64   // weight of the unit clause
	Weights []float64 // by column
}

// weights returns the bias and the weights of the columns.
func (m *Model) weights() []float64 { return append([]float64{m.Bias}, m.Weights...) }

// Step is a column of a path.
type Step struct {
	Column
	Gain     float64 // predicted by the score test, in nats, not divided for literals
	Support  int64   // number of rows for which it is not 0
	TrueRate float64 // share of true rows among those
	After    Figures // held out, for the paths up to this size

	// Redundant are the candidates, other than the column's own, that alone could have gained at least half as much as the column before it
	// was added, and less than a tenth of that afterwards.
	Redundant []int
}

// Result is a path and the part of it that was selected.
type Result struct {
	Model // the selection, fitted on all rows

	Path     []Step
	Size     int     // number of first steps of the path that are selected
	Base     Figures // held out, without any of them
	Shrink   float64
	Family   Family  // of Select
	BaseRate float64 // share of true rows, of Select
	Cut      bool    // Options.Pace ended paths, of any target
	Gate     Gate    // of Select; if it does not pass, nothing is selected
	Offered  int     // distinct columns that could be selected, of Select

	HeldOut    []float64    // log-odds of each row, by the model of its fold
	FoldModels [Folds]Model // fitted without a fold's rows, at the selected size; the selection if the fold has no rows, or all

	scaled bool
	fits   [Folds + 1]*features.Fit // of the folds' models and of the last, once they have been fitted again
}
