package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
)

// Numbers of cases on the page: all, if there are at most mostCases; else the most probable ones, the true ones that were least probable, and
// others drawn at random.
const (
	mostProbable  = 2000
	mostMissed    = 500
	mostDrawn     = 500
	mostCases     = mostProbable + mostMissed + mostDrawn
	mostUndecided = 500
	mostReasons   = 3 // for a case, and against it
)

// ranked returns the places in outOfFold, most probable first.
func (r *Report) ranked() []int {
	if len(r.order) != len(r.outOfFold) {
		r.order = make([]int, len(r.outOfFold))
		for i := range r.order {
			r.order[i] = i
		}
		slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(r.outOfFold[b].p[0], r.outOfFold[a].p[0]) })
	}
	return r.order
}

// picked returns the places in outOfFold of the cases to list, most probable first.
func (r *Report) picked() []int {
	order := r.ranked()
	if len(order) <= mostCases {
		return order
	}
	take := make([]bool, len(order)) // by rank
	for k := range mostProbable {
		take[k] = true
	}
	missed := 0
	for k := len(order) - 1; k >= mostProbable && missed < mostMissed; k-- {
		if r.outOfFold[order[k]].truth {
			take[k] = true
			missed++
		}
	}
	random := rand.New(rand.NewPCG(r.options.Cross.Seed, 0))
	for drawn := 0; drawn < mostDrawn; {
		if k := mostProbable + random.IntN(len(order)-mostProbable); !take[k] {
			take[k] = true
			drawn++
		}
	}
	out := make([]int, 0, mostCases)
	for k, i := range order {
		if take[k] {
			out = append(out, i)
		}
	}
	return out
}

// caseKey is a query atom: the position of its subgraph in the stream, and its number there.
type caseKey struct{ index, atom int }

// reasoner turns the features of cases into reasons, by one model.
type reasoner struct {
	speaker *render.Speaker
	schema  *mln.Schema
	columns []reasonColumn
	groups  int                // quantities
	means   map[int]*caseMeans // by target
	rest    render.Phrase      // what is left comes from; nil if nothing is left
	digits  int                // of numbers
}

// caseMeans are the means of the features of a target's cases.
type caseMeans struct {
	n   float64
	sum []float64 // by column
}

// reasonColumn is a formula of the model that has a feature.
type reasonColumn struct {
	formula *mln.Formula
	weight  float64 // of the log-odds, for each unit of the feature
	group   int     // its quantity
	number  bool    // it is about a number
	told    render.Told
}

func newReasoner(m *resolwe.Model, digits int) *reasoner {
	at, leftOut := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	w := &reasoner{speaker: render.NewSpeaker(m.Schema), schema: m.Schema, means: map[int]*caseMeans{}, digits: digits}
	groups := map[string]int{}
	for _, i := range at {
		f := m.Formulas[i]
		col := reasonColumn{formula: f, weight: f.Weight, told: w.speaker.Tell(f, false)}
		if headed, ok := f.Headed(m.Schema); ok {
			if _, head := headed.Head(); head.Negated {
				col.weight = -col.weight
			}
		}
		if f.Hard {
			col.weight, w.rest = 0, render.Join("rules of the model")
		}
		if f.Shape == mln.ShapeNone || f.Compares() {
			_, _, col.number = f.Quantity(m.Schema)
		}
		group, known := groups[col.told.Quantity]
		if !known {
			group = len(groups)
			groups[col.told.Quantity] = group
		}
		col.group = group
		w.columns = append(w.columns, col)
	}
	w.groups = len(groups)
	for _, e := range leftOut {
		w.rest = render.Join(render.Either(e.Tied, "answers of other cases", "rules of the model"))
		if e.Tied {
			break
		}
	}
	return w
}

// learn adds a case of the training data.
func (w *reasoner) learn(pred int, row []float64) {
	of := w.means[pred]
	if of == nil {
		of = &caseMeans{sum: make([]float64, len(w.columns))}
		w.means[pred] = of
	}
	of.n++
	for c, v := range row {
		of.sum[c] += v
	}
}

// explained are the features of a case.
type explained struct {
	pred    int
	names   []string
	row     []float64
	numbers []float64 // NaN where a formula is about none
}

// explain fills in the reasons of a case: what each quantity adds to the log-odds, beside the average case of the training data.
func (w *reasoner) explain(x *Case, of explained) {
	sums, most, largest := make([]float64, w.groups), make([]int, w.groups), make([]float64, w.groups)
	means := w.means[of.pred]
	for c := range w.columns {
		col, mean := &w.columns[c], 0.
		if means != nil {
			mean = means.sum[c] / means.n
		}
		x.Start += float64(col.weight * mean)
		v := float64(col.weight * (of.row[c] - mean))
		sums[col.group] += v
		if math.Abs(v) > largest[col.group] {
			most[col.group], largest[col.group] = c, math.Abs(v)
		}
	}
	order, total := make([]int, 0, w.groups), x.Start
	for g, v := range sums {
		if total += v; v != 0 {
			order = append(order, g)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(sums[b]), math.Abs(sums[a])) })
	taken := map[bool]int{}
	for _, g := range order {
		if against := sums[g] < 0; taken[against] == mostReasons {
			x.Smaller++
			x.Rest += sums[g]
		} else {
			taken[against]++
			x.Reasons = append(x.Reasons, ReasonContent{Words: w.words(&w.columns[most[g]], of.row[most[g]], of.numbers[most[g]]), Value: sums[g], formula: w.columns[most[g]].formula})
		}
	}
	if w.rest != nil {
		p := min(max(x.P, 1e-12), 1-1e-12)
		x.Reasons = append(x.Reasons, ReasonContent{Words: w.rest, Value: elementary.Log(p/(1-p)) - total})
	}
}

// words says what a case's own value of a quantity is.
func (w *reasoner) words(c *reasonColumn, feature, number float64) render.Phrase {
	told := c.told
	switch {
	case told.Plain:
		return render.Join(render.Name(render.Clip(mln.FormatFormula(c.formula), render.MostName)))
	case c.number && !math.IsNaN(number):
		return render.Join(told.Name, ": "+told.Value(number, w.digits, true))
	case c.number:
		return render.Join(told.Name, ": none")
	case feature == 0:
		if other := w.speaker.Tell(c.formula, true); !other.Plain && other.Short != nil {
			return other.Short
		}
		return render.Join("not so: ", told.Short)
	}
	return told.Short
}

// explainCases lists cases with their reasons. Each is explained by the model that predicted it.
func (r *Report) explainCases(ctx context.Context, s *resolwe.Stream) error {
	picked := r.picked()
	r.listed = make([]Case, len(picked))
	folds := make([]map[caseKey]*Case, r.Cross.Finished)
	for k, i := range picked {
		p := &r.outOfFold[i]
		t := &r.Cross.Tested[p.tested]
		r.listed[k] = Case{P: p.p[0], True: p.truth, Fold: t.In, Subgraph: t.Name, Time: t.Time, shown: k < mostStatic}
		if folds[t.In] == nil {
			folds[t.In] = map[caseKey]*Case{}
		}
		folds[t.In][caseKey{t.Index, p.atom}] = &r.listed[k]
	}
	for fold, cases := range folds {
		m, train := r.Final, []int(nil)
		if r.Task {
			m, train = r.models[fold], r.Cross.Train(fold)
		}
		if err := r.explain(ctx, s, m, train, cases); err != nil {
			return err
		}
	}
	r.sortUndecided()
	cases := map[caseKey]*Case{}
	for i := range r.undecided {
		cases[r.undecided[i].key] = &r.undecided[i].Case
		r.undecided[i].shown = i < mostStatic
	}
	return r.explain(ctx, s, r.Final, nil, cases)
}

// explain names cases, and explains them by the model that predicted them, which was trained at some positions, or everywhere for nil.
// Without a model, or when the budget is over, it only names them.
func (r *Report) explain(ctx context.Context, s *resolwe.Stream, m *resolwe.Model, train []int, cases map[caseKey]*Case) error {
	if len(cases) == 0 {
		return nil
	}
	named := m == nil || r.options.Budget.Over()
	if named {
		m, train = r.Model.With(nil), []int{}
	}
	var list []int
	for k := range cases {
		list = append(list, k.index)
	}
	slices.Sort(list)
	own := s.Pick(slices.Compact(list))
	all := s
	if train != nil {
		list = slices.Concat(list, train)
		slices.Sort(list)
		all = s.Pick(slices.Compact(list))
	}
	w, fields := newReasoner(m, r.options.digits(6)), r.fields()
	values := map[caseKey]*explained{}
	var row []float64
	err := inferring.Features(ctx, m, all, resolwe.FeatureOptions{Run: r.options.Begin("reasons", all.Len())}, func(rows *resolwe.FeatureRows) error {
		_, trained := slices.BinarySearch(train, rows.Index)
		trained = trained || train == nil
		for i := range rows.Len() {
			key := caseKey{rows.Index, i}
			x, learned := cases[key], trained && rows.Truth(i) != subgraph.Unknown
			if x == nil && !learned {
				continue
			}
			pred, names := rows.Args(i)
			row = rows.Values(i, row)
			if learned {
				w.learn(pred, row)
			}
			if x != nil {
				x.Name, x.Values = w.speaker.Case(pred, names), fields.of(rows, i)
				values[key] = &explained{pred: pred, names: slices.Clone(names), row: slices.Clone(row)}
			}
		}
		return nil
	})
	if err == nil && !named {
		err = r.measureCases(ctx, m, own, values)
	}
	if err != nil {
		return fmt.Errorf("reasons of cases: %w", err)
	}
	if named {
		return nil
	}
	for key, of := range values {
		w.explain(cases[key], *of)
	}
	return r.behind(ctx, m, own, values, cases)
}

// measureCases adds the numbers that formulas are about.
func (r *Report) measureCases(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, values map[caseKey]*explained) error {
	opt := resolwe.FeatureOptions{Quantities: true, Run: r.options.Begin("reasons", s.Len())}
	return inferring.Features(ctx, uncompared(m), s, opt, func(rows *resolwe.FeatureRows) error {
		for i := range rows.Len() {
			if of := values[caseKey{rows.Index, i}]; of != nil {
				of.numbers = rows.Values(i, nil)
			}
		}
		return nil
	})
}
