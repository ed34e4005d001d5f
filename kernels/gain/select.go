package gain

import (
	"cmp"
	"fmt"
	"math"
)

// Options of a selection. Zero is the default.
type Options struct {
	Formulas  int     // columns at most; 60
	Depth     int     // literals of a rule at most; 3
	Support   int     // rows that a threshold or a rule must hold for, and not hold for, at least; 20
	Shrink    float64 // shrinkage of the weights; what held-out rows choose among 10, 30, 100, 300 and 1000
	Parsimony bool    // the smallest size whose held-out CLL is within one standard error of the best

	Families []Family // those that held-out rows choose from; all of them by default
	Scaled   bool     // of Extend: the weights of the selection keep their ratios

	slack  float64 // share of its gain that a refit after an addition may leave; .1
	period int     // rounds of a path from one in which all gains are computed to the next; 8

	// Run calls task(0) to task(n-1), any of them side by side; in turn by default.
	Run func(n int, task func(int))
	// Stop, unless nil, is asked now and then, by tasks side by side; from its first error on it returns one, which ends the
	// selection and is returned.
	Stop func() error
}

// each does tasks. Once Stop returns an error, which it returns, tasks end early, with results that mean nothing.
func (o *Options) each(n int, task func(int)) error {
	o.Run(n, func(i int) {
		if o.Stop() == nil {
			task(i)
		}
	})
	return o.Stop()
}

// OptionError reports an option that is out of its range.
type OptionError struct {
	Name  string
	Value float64
}

func (e *OptionError) Error() string { return fmt.Sprintf("%s is %g", e.Name, e.Value) }

func (o *Options) withDefaults() (Options, error) {
	d := *o
	for _, v := range []struct {
		name string
		at   *int
		or   int
	}{{"formulas", &d.Formulas, 60}, {"depth", &d.Depth, 3}, {"support", &d.Support, 20}} {
		if *v.at < 0 {
			return d, &OptionError{v.name, float64(*v.at)}
		}
		if *v.at == 0 {
			*v.at = v.or
		}
	}
	if !(d.Shrink >= 0) || math.IsInf(d.Shrink, 1) {
		return d, &OptionError{"shrink", d.Shrink}
	}
	for _, f := range d.Families {
		if f < FamilyLogs || f > FamilyRules {
			return d, &OptionError{"family", float64(f)}
		}
	}
	if d.slack == 0 {
		d.slack = .1
	}
	if d.period == 0 {
		d.period = 8
	}
	if d.Run == nil {
		d.Run = func(n int, task func(int)) {
			for i := range n {
				task(i)
			}
		}
	}
	if d.Stop == nil {
		d.Stop = func() error { return nil }
	}
	return d, nil
}

// shrinks are those that are tried.
func (o *Options) shrinks() []float64 {
	if o.Shrink > 0 {
		return []float64{o.Shrink}
	}
	return shrinks[:]
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

// Model says that the log-odds of a row are its offset, the bias, and the sum of weights times columns.
type Model struct {
	Columns []Column
	Bias    float64   // weight of the unit clause
	Weights []float64 // by column
}

// Result is a path and what of it was selected.
type Result struct {
	Family   Family
	Shrink   float64
	Path     []Step
	Size     int       // the first steps of the path, which are selected
	Bias     float64   // weight of the unit clause
	Weights  []float64 // of the selected, each for its column as Kind says
	Base     Figures   // held out, with the unit clause alone
	BaseRate float64   // share of true rows

	HeldOut    []float64    // log-odds of each row, by the model of its fold
	FoldModels [Folds]Model // fitted without the rows of a fold, at the selected size; where that has none, or all, the selection
}

// exactRows is the most rows for which paths grow as well as they can, and all families are tried on all folds. On larger data
// what is saved makes no difference that held-out rows could tell.
const exactRows = 1 << 15

// Select grows the paths and chooses among them. It returns an [*OptionError], a [*RowsError], or that of opt.Stop.
func (m *Matrix) Select(opt Options) (*Result, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := m.checkRows(); err != nil {
		return nil, err
	}
	if len(m.truth) <= exactRows { // where time is no matter
		o.slack, o.period = cmp.Or(opt.slack, .01), cmp.Or(opt.period, 1)
	}
	some := m.judged()
	var all *path
	c, err := some.choose(&o, func(f Family) { all = newPath(m.view(m.all()), f, &o, true) })
	if err != nil {
		return nil, err
	}
	c.size = min(c.size, len(all.found)) // that of all rows may be shorter than those of the folds
	res := &Result{Family: c.family, Shrink: o.shrinks()[c.shrink], BaseRate: m.BaseRate(), HeldOut: m.before()}
	after := make([]Figures, o.Formulas+1)
	err = o.each(1+Folds+len(after), func(task int) {
		switch fold, size := task-1, task-1-Folds; {
		case fold < 0:
			m.finish(res, all, c.size, o.Stop)
		case size < 0:
			m.predict(res.HeldOut, fold, c.trials[fold].model(c.size, c.shrink), nil)
		default:
			z := some.heldOut(c.trials, size, c.shrink)
			after[size] = some.figures(z, some.byUnit(z))
		}
	})
	if err != nil {
		return nil, err
	}
	res.Base = after[0]
	for i := range res.Path {
		res.Path[i].After = after[i+1]
	}
	for f, t := range c.trials {
		res.FoldModels[f] = *res.Model()
		if model := t.model(c.size, c.shrink); model != nil {
			res.FoldModels[f] = model.Model
		}
	}
	return res, nil
}

// Model returns the selected columns and their weights, which are the result's own.
func (res *Result) Model() *Model {
	all := &Model{Bias: res.Bias, Weights: res.Weights}
	for i := range res.Path[:res.Size] {
		all.Columns = append(all.Columns, res.Path[i].Column)
	}
	return all
}

// RowsError reports that there are no rows, or 2^22 and more.
type RowsError struct{ Rows int }

func (e *RowsError) Error() string {
	return fmt.Sprintf("selection by gain takes 1 to %d query atoms, not %d", 1<<22-1, e.Rows)
}

func (m *Matrix) checkRows() error {
	if len(m.truth) == 0 || len(m.truth) >= 1<<22 {
		return &RowsError{len(m.truth)}
	}
	return nil
}

// all returns the places of all rows.
func (m *Matrix) all() []int32 {
	all := make([]int32, len(m.truth))
	for i := range all {
		all[i] = int32(i) // #nosec G115 -- at most 2^22 rows
	}
	return all
}

// finish takes over a path on all rows and fits the weights of its first size columns.
func (m *Matrix) finish(res *Result, p *path, size int, stop func() error) {
	res.Size = min(size, len(p.found))
	for i := range p.found {
		s := Step{Column: p.found[i].column.export(), Gain: p.found[i].gain, Support: int64(len(p.entries[i].rows))}
		for _, at := range p.entries[i].rows {
			if m.truth[at] {
				s.TrueRate++
			}
		}
		s.TrueRate /= float64(s.Support)
		s.Redundant = p.redundant[i]
		res.Path = append(res.Path, s)
	}
	f := newFit(m.truth, m.offset)
	f.stop = stop
	for _, e := range p.entries[:res.Size] {
		f.add(e)
	}
	f.optimum(res.Shrink)
	res.Bias, res.Weights = f.w[0], f.w[1:]
}
