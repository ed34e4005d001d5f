package gain

import (
	"fmt"
	"slices"
)

// Extra is a real-valued column, such as the mean of held-out probabilities of an atom's neighbours.
type Extra struct {
	Values   []float64 // by row, finite; it is not changed
	Literals int       // what the gain is divided by, as a rule's of so many literals; 0 is 1
}

// ExtraError reports an extra column with a number of values that is not the matrix's of rows.
type ExtraError struct{ Extra, Values, Rows int }

func (e *ExtraError) Error() string {
	return fmt.Sprintf("extra column %d has %d values for %d rows", e.Extra, e.Values, e.Rows)
}

// ExtraStep is an extra column of a path.
type ExtraStep struct {
	Extra int     // which one
	Gain  float64 // nats that the score test promised, not divided by literals
	After Figures // held out, of the paths up to this size
}

// ExtendedModel is a Model that extra columns add to.
type ExtendedModel struct {
	Model

	Extras       []int
	ExtraWeights []float64 // by Extras
}

// Extension is a path of extra columns that goes on where a Result's selection ends.
type Extension struct {
	ExtendedModel // fitted on all rows

	Path       []ExtraStep
	Size       int                  // the first steps of the path, which are selected
	Base       Figures              // held out, of none of the extra columns
	HeldOut    []float64            // log-odds of each row, by the model of its fold
	FoldModels [Folds]ExtendedModel // fitted without the rows of a fold, at the selected size; where that has none, or all, the selection

	scaled bool
	fits   [Folds + 1]*fit // of the folds' models and of the last, once they have been fitted again
}

// Extend adds extra columns to a selection, by the same gains and with the shrinkage of the result, in each fold to the
// fold's own model; all weights are fitted again. The size is the smallest that held-out rows do not tell from the best, and may be
// 0. Of the options, Formulas, Run and Stop count. It returns an [*OptionError], an [*ExtraError], or that of opt.Stop.
func (m *Matrix) Extend(res *Result, extras []Extra, opt Options) (*Extension, error) {
	opt.Shrink = m.shrinkOf(res)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	for i, e := range extras {
		if len(e.Values) != len(m.truth) {
			return nil, &ExtraError{i, len(e.Values), len(m.truth)}
		}
	}
	most := min(o.Formulas, len(extras))
	some := m.judged()
	var all *extraPath
	trials := make([]*extraTrial, Folds)
	err = o.each(1+Folds, func(task int) {
		if task == Folds {
			all = newExtraPath(m.view(m.all()), res.Model(), extras, most, &o)
			return
		}
		trials[task] = some.newExtraTrial(task, res, extras, most, &o)
	})
	if err != nil {
		return nil, err
	}
	units, after := make([][]float64, most+1), make([]Figures, most+1)
	err = o.each(most+1, func(size int) {
		z := some.before()
		for _, t := range trials {
			t.predict(z, size)
		}
		units[size] = some.byUnit(z)
		after[size] = some.figures(z, units[size])
	})
	if err != nil {
		return nil, err
	}
	size := frugal(units)
	x := &Extension{
		ExtendedModel: ExtendedModel{Model: *res.Model()}, Base: after[0], Size: min(size, len(all.steps)), HeldOut: m.before(), scaled: o.Scaled,
	}
	for i, s := range all.steps {
		s.After = after[i+1]
		x.Path = append(x.Path, s)
	}
	err = o.each(1+Folds, func(task int) {
		switch {
		case task < Folds:
			m.predict(x.HeldOut, task, trials[task].model(size), extras)
		case x.Size > 0:
			x.ExtendedModel = all.finish(x.Size, o.Shrink)
		}
	})
	if err != nil {
		return nil, err
	}
	for f, t := range trials {
		x.FoldModels[f] = x.ExtendedModel
		if model := t.model(size); model != nil {
			x.FoldModels[f] = *model
		}
	}
	return x, nil
}

// shrinkOf returns the shrinkage of a result for rows that are a sample of its own: the same share of what the rows tell.
func (m *Matrix) shrinkOf(res *Result) float64 {
	return res.Shrink * float64(len(m.truth)) / float64(len(res.HeldOut))
}

// frugal returns the smallest size that the best one, by the mean of its units, is not better than by a standard error of
// their difference.
func frugal(units [][]float64) int {
	best := 0
	for size, u := range units {
		if mean(u) > mean(units[best]) {
			best = size
		}
	}
	for size, u := range units[:best] {
		if d := difference(units[best], u); mean(d) <= standardError(d) {
			return size
		}
	}
	return best
}

// extraPath is a sequence of extra columns after a model.
type extraPath struct {
	fit *fit
	basis
	steps   []ExtraStep
	weights [][]float64 // by number of steps: the intercept, the model's, then the extras'
}

// newExtraPath grows a path on a view.
func newExtraPath(v *view, base *Model, extras []Extra, most int, o *Options) *extraPath {
	p := &extraPath{basis: basis{base, o.Scaled}}
	p.fit = p.start(v)
	f := p.fit
	f.stop = o.Stop
	candidates := make([]entries, len(extras))
	for i := range extras {
		candidates[i] = extras[i].entries(v.rows)
	}
	shrink := growth(len(v.rows))
	f.refit(shrink, leastGain*o.slack, refits)
	p.weights = append(p.weights, p.expand(f.at(o.Shrink, nearer)))
	for len(p.steps) < most {
		best, ok := p.round(extras, candidates)
		if !ok {
			break
		}
		p.steps = append(p.steps, best)
		f.add(candidates[best.Extra])
		f.refit(shrink, max(best.Gain, leastGain)*o.slack, refits)
		p.weights = append(p.weights, p.expand(f.at(o.Shrink, nearer)))
	}
	return p
}

// entries returns the values on rows, which may be the extra's own.
func (e *Extra) entries(rows []int32) entries {
	if len(rows) == len(e.Values) {
		return entries{dense: e.Values}
	}
	values := make([]float64, len(rows))
	for at, i := range rows {
		values[at] = e.Values[i]
	}
	return entries{dense: values}
}

// round returns the best of the columns for the residuals, the first of equal ones, none that says what another does that is
// taken; ok is false where none gains anything.
func (p *extraPath) round(extras []Extra, candidates []entries) (best ExtraStep, ok bool) {
	f := p.fit
	n := float64(len(f.truth))
	all := moments{r: f.g[0], h: sum(f.h), n: n}
	of := make([]moments, len(extras))
	for i := range extras {
		of[i] = candidates[i].score(f)
	}
	score := leastGain
	for i, e := range extras {
		gain := of[i].gain(all, growth(len(f.truth)))
		s := gain / (1 + float64(perLiteral*float64(max(e.Literals, 1)-1)))
		taken := slices.ContainsFunc(p.steps, func(s ExtraStep) bool { return of[s.Extra] == of[i] })
		if s > score && !taken {
			score, best, ok = s, ExtraStep{Extra: i, Gain: gain}, true
		}
	}
	return best, ok
}

// score returns the moments of a dense column.
func (e *entries) score(f *fit) (m moments) {
	m = e.moments()
	for i, v := range e.dense {
		hv := float64(f.h[i] * v)
		m.r += float64(f.r[i] * v)
		m.h += hv
		m.hh += float64(hv * v)
	}
	return m
}

// modelOf returns the path's model by weights of newExtraPath.
func (p *extraPath) modelOf(w []float64) ExtendedModel {
	x := ExtendedModel{Model: Model{p.base.Columns, w[0], w[1 : 1+len(p.base.Columns)]}, ExtraWeights: w[1+len(p.base.Columns):]}
	for _, s := range p.steps[:len(x.ExtraWeights)] {
		x.Extras = append(x.Extras, s.Extra)
	}
	return x
}

// finish fits the weights of the first size extra columns.
func (p *extraPath) finish(size int, shrink float64) ExtendedModel {
	old := p.fit
	f := newFit(old.truth, old.offset)
	f.stop = old.stop
	for _, e := range old.columns[:p.columns()+size] {
		f.add(e)
	}
	f.optimum(shrink)
	return p.modelOf(p.expand(f.w))
}

// extraTrial is a path that has not seen a fold.
type extraTrial struct {
	*extraPath         // nil where the fold has no rows, or all
	rows       []int32 // the fold's
	offset     []float64
	columns    []entries // on those: the model's, then the extras
}

func (m *Matrix) newExtraTrial(fold int, res *Result, extras []Extra, most int, o *Options) *extraTrial {
	rows, others := m.divide(fold)
	t := &extraTrial{}
	if len(rows) == 0 || len(others) == 0 {
		return t
	}
	base := &res.FoldModels[fold]
	v := m.view(rows)
	t.rows, t.offset = rows, v.offsets()
	t.extraPath = newExtraPath(m.view(others), base, extras, most, o)
	for i := range base.Columns {
		c := m.column(&base.Columns[i])
		t.columns = append(t.columns, v.entries(&c))
	}
	for _, s := range t.steps {
		t.columns = append(t.columns, extras[s.Extra].entries(rows))
	}
	t.fit = nil
	return t
}

// at returns the weights after size extra columns, or all where there are fewer.
func (t *extraTrial) at(size int) []float64 { return t.weights[min(size, len(t.steps))] }

// model returns the model then, nil where the fold has no rows, or all.
func (t *extraTrial) model(size int) *ExtendedModel {
	if t.extraPath == nil {
		return nil
	}
	x := t.modelOf(t.at(size))
	return &x
}

// predict sets those of z, by row of the matrix, that are the fold's.
func (t *extraTrial) predict(z []float64, size int) {
	if t.extraPath == nil {
		return
	}
	own := make([]float64, len(t.rows))
	logOdds(own, t.at(size), t.offset, t.columns)
	for at, i := range t.rows {
		z[i] = own[at]
	}
}
