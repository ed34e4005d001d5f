package gain

import (
	"resolwe/format/mln"
)

// Selected is what was selected for a target.
type Selected struct {
	*Target
	Sampled bool // whether there are more rows
	Matrix  *Matrix
	Result  *Result // nil without rows

	at     map[string]int // by name of a subgraph with rows, its place among them
	second *second        // nil where no formulas of several target literals were looked for
}

// Choose selects on rows of the task, which are not to be used any more, so that as many formulas are left for those of several
// target literals as there may be candidates of; or, with opt.All, makes a model of all logarithms. The errors are those of
// Builder.Matrix and Matrix.Select.
func (t *Task) Choose(rows *Rows, candidates []*mln.Candidate, opt Options) ([]*Selected, error) {
	if !opt.All && tieable(candidates) {
		opt.Formulas -= opt.mostTied()
	}
	out := make([]*Selected, len(t.Targets))
	for i, to := range t.Targets {
		s := &Selected{Target: to, Sampled: rows.Builders[i].Sampled(), at: map[string]int{}}
		out[i] = s
		var err error
		rows.Builders[i].blocks = opt.Blocks
		if s.Matrix, err = rows.Builders[i].Matrix(); err != nil {
			return nil, err
		}
		for i, name := range s.Matrix.names {
			s.at[name] = i
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

// rowsOf returns the first of a subgraph's rows, and their number.
func (s *Selected) rowsOf(name string) (first, n int) {
	i, ok := s.at[name]
	if !ok {
		return 0, 0
	}
	return s.Matrix.start[i], s.Matrix.start[i+1] - s.Matrix.start[i]
}

// Without returns how many candidates have no grounding for any row.
func (s *Selected) Without() (n int) {
	for c := range s.Candidates {
		if !s.Matrix.Occurs(c) {
			n++
		}
	}
	return n
}

// Chosen returns the model that is selected.
func (s *Selected) Chosen() *Model {
	if s.second != nil && s.second.chosen {
		return &s.second.extension.Model
	}
	return &s.Result.Model
}

// FoldModel returns the model with formulas of several target literals that has not seen a fold.
func (s *Selected) FoldModel(fold int) *Model { return &s.second.extension.FoldModels[fold] }

// Formulas returns those of a model, with weights.
func (s *Selected) Formulas(m *Model) (out []*mln.Formula) {
	for i := range m.Columns {
		var f mln.Formula
		if c := &m.Columns[i]; c.Kind == KindExtra {
			f = *s.second.formulas[c.Extra]
		} else {
			f = *s.Formula(c)
		}
		f.Weight, f.HasWeight = m.Weights[i], true
		out = append(out, &f)
	}
	return out
}

// Tied returns the formulas of several target literals that are selected, as steps, and the number of rows that they were chosen
// by.
func (s *Selected) Tied() (steps []Step, rows int) {
	if s.second == nil || !s.second.chosen {
		return nil, 0
	}
	x := s.second.extension
	if steps = x.Path[:x.Size]; len(steps) > 0 { // else another target has some
		steps[len(steps)-1].After = s.second.after
	}
	return steps, len(s.second.sample.used())
}

// Kind says what a column is.
type Kind uint8

// The kinds of columns.
const (
	KindRule  Kind = iota // whether all literals hold: a threshold, or several and their negations
	KindLog               // log2(1 + n)
	KindExtra             // values of its own
)

// Literal says that a candidate has at least AtLeast groundings for an atom, or, negated, that it has fewer; or of a measure that
// it is at least Bound, or at most. A negated one holds too where the measure has no value.
type Literal struct {
	Candidate int
	AtLeast   int64 // one of the thresholds; of a measure a level: the first one, or the last
	Negated   bool
	AtMost    bool
	Bound     float64
}

// holds reports whether a count or value of a level that is not 0 is one that the literal, but for its negation, asks for.
func (l *Literal) holds(lv uint8) bool {
	if l.AtMost {
		return int64(lv) <= l.AtLeast
	}
	return lv >= level(l.AtLeast)
}

// Column is a feature of a query atom.
type Column struct {
	Kind     Kind
	Literals []Literal // in the order in which they were found; a log has one, of which only the candidate counts
	Extra    int       // of that kind: which
}

// Model says that the log-odds of a row are its offset, the bias, and the sum of weights times columns.
type Model struct {
	Columns []Column
	Bias    float64   // weight of the unit clause
	Weights []float64 // by column
}

// Step is a column of a path.
type Step struct {
	Column
	Gain     float64 // nats that the score test promised, not divided by literals
	Support  int64   // rows for which it is not 0
	TrueRate float64 // share of true rows among those
	After    Figures // held out, of the paths up to this size

	// Redundant are the candidates, none of the column's own, that could have gained at least half as much before it was
	// added, by a column of theirs alone, and less than a tenth of that after it.
	Redundant []int
}

// Result is a path and what of it was selected.
type Result struct {
	Model // what is selected, fitted on all rows

	Path     []Step
	Size     int     // the first steps of the path, which are selected
	Base     Figures // held out, of none of them
	Shrink   float64
	Family   Family  // of Select
	BaseRate float64 // share of true rows, of Select

	HeldOut    []float64    // log-odds of each row, by the model of its fold
	FoldModels [Folds]Model // fitted without the rows of a fold, at the selected size; where that has none, or all, the selection

	scaled bool
	fits   [Folds + 1]*fit // of the folds' models and of the last, once they have been fitted again
}
