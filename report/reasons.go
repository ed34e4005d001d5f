package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
)

// Numbers of cases on the page: all, if there are at most mostCases; else the most probable ones, the true ones that were least probable, and
// others drawn at random.
const (
	mostProbable = 2000
	mostMissed   = 500
	mostDrawn    = 500
	mostCases    = mostProbable + mostMissed + mostDrawn
	mostReasons  = 3 // for a case, and against it
)

// picked returns the places in outOfFold of the cases to list, most probable first.
func (r *Report) picked() []int {
	order := make([]int, len(r.outOfFold))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.outOfFold[b].p[0], r.outOfFold[a].p[0]) })
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

// reasoner turns the features of cases into reasons, by one model.
type reasoner struct {
	speaker *render.Speaker
	model   *resolwe.Model
	columns []reasonColumn
	groups  map[string]int // by quantity
	n       int            // of groups
	mean    []float64      // by column
	cases   float64
}

// reasonColumn is a formula of the model that has a feature.
type reasonColumn struct {
	formula *mln.Formula
	weight  float64 // of the log-odds, for each unit of the feature
	group   int
	told    render.Told
}

func newReasoner(m *resolwe.Model) *reasoner {
	at, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	w := &reasoner{speaker: render.NewSpeaker(m.Schema), model: m, columns: make([]reasonColumn, len(at)), groups: map[string]int{}, mean: make([]float64, len(at))}
	for c, i := range at {
		f := m.Formulas[i]
		col := reasonColumn{formula: f, weight: f.Weight, told: w.speaker.Tell(f, false)}
		if headed, ok := f.Headed(m.Schema); ok {
			if _, head := headed.Head(); head.Negated {
				col.weight = -col.weight
			}
		}
		key := col.told.Quantity
		group, ok := w.groups[key]
		if !ok {
			group = w.n
			w.groups[key] = group
			w.n++
		}
		col.group = group
		w.columns[c] = col
	}
	return w
}

// explain fills in the reasons of a case: what each quantity adds to the log-odds, beside the mean of the cases that the model predicted.
func (w *reasoner) explain(x *Case, values []float64) {
	sums, most := make([]float64, w.n), make([]int, w.n)
	largest := make([]float64, w.n)
	for g := range most {
		most[g] = -1
	}
	for c := range w.columns {
		col := &w.columns[c]
		x.Start += float64(col.weight * w.mean[c])
		v := float64(col.weight * (values[c] - w.mean[c]))
		sums[col.group] += v
		if most[col.group] < 0 || math.Abs(v) > largest[col.group] {
			most[col.group], largest[col.group] = c, math.Abs(v)
		}
	}
	order := make([]int, 0, w.n)
	total := x.Start
	for g, v := range sums {
		if total += v; math.Abs(v) > 1e-12 {
			order = append(order, g)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(sums[b]), math.Abs(sums[a])) })
	taken := [2]int{}
	for _, g := range order {
		side := 0
		if sums[g] < 0 {
			side = 1
		}
		if taken[side] == mostReasons {
			x.Smaller++
			x.Rest += sums[g]
			continue
		}
		taken[side]++
		x.Reasons = append(x.Reasons, ReasonContent{Words: w.words(&w.columns[most[g]], values[most[g]]), Value: sums[g]})
	}
	p := min(max(x.P, 1e-12), 1-1e-12)
	x.Rest += elementary.Log(p/(1-p)) - total // what ties to other cases add
}

// words says what a case's own value of a quantity is.
func (w *reasoner) words(c *reasonColumn, value float64) render.Phrase {
	told := c.told
	switch {
	case told.Plain:
		return render.Join(render.Name(render.Clip(mln.FormatFormula(c.formula), render.MostName)))
	case c.formula.Compares():
		return render.Join(told.Name, render.Either(value <= 1./3, ": low", render.Either(value >= 2./3, ": high", ": middling")))
	case value == 0:
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
	place := map[[2]int]int{} // by tested subgraph and atom
	r.listed = make([]Case, len(picked))
	for k, i := range picked {
		p := &r.outOfFold[i]
		place[[2]int{p.tested, p.atom}] = k
		r.listed[k] = Case{P: p.p[0], True: p.truth}
	}
	models := r.Cross.Systems[0].Models
	if !r.Task {
		models = []*resolwe.Model{r.Final}
	}
	known := map[[2]int]bool{}
	for _, p := range r.outOfFold {
		known[[2]int{p.tested, p.atom}] = true
	}
	for fold, m := range models {
		if m == nil {
			continue
		}
		tested := map[int]int{} // by position in the stream
		var list []int
		for t := range r.Cross.Tested {
			if at := &r.Cross.Tested[t]; !r.Task || at.In == fold {
				tested[at.Index] = t
				list = append(list, at.Index)
			}
		}
		slices.Sort(list)
		w := newReasoner(m)
		values := map[int][]float64{} // by place in listed
		var row []float64
		run := r.options.Begin("reasons", len(list))
		err := inferring.Features(ctx, m, s.Pick(list), resolwe.FeatureOptions{Run: run}, func(rows *resolwe.FeatureRows) error {
			t := tested[rows.Index]
			for i := range rows.Len() {
				if !known[[2]int{t, i}] {
					continue
				}
				row = rows.Values(i, row)
				w.cases++
				for c, v := range row {
					w.mean[c] += v
				}
				k, ok := place[[2]int{t, i}]
				if !ok {
					continue
				}
				values[k] = slices.Clone(row)
				x := &r.listed[k]
				_, names := rows.Args(i)
				x.Name, x.Subgraph, x.Time, x.Fold = render.Join(render.Name(strings.Join(names, ", "))), strings.Clone(rows.Subgraph), r.Cross.Tested[t].Time, fold
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reasons of cases: %w", err)
		}
		for c := range w.mean {
			w.mean[c] /= max(1, w.cases)
		}
		for k := range r.listed {
			if v := values[k]; v != nil {
				w.explain(&r.listed[k], v)
			}
		}
	}
	return nil
}
