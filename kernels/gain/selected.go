package gain

import "resolwe/format/mln"

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
