package grow

import (
	"slices"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/features"
	"resolwe/kernels/grow"
)

// origin is where a subgraph stands in the stream, and how many atoms of known truth it has, by predicate.
type origin struct {
	index int
	atoms []int
}

// columns returns a formula for the value of each candidate, another for a number that it states, and the index of the candidate behind
// each formula.
func (l *learner) columns() (formulas []*mln.Formula, of []int) {
	for i, c := range l.candidates {
		f := c.Joint()
		if c.Local() {
			f = c.Shaped(mln.ShapeLog, 0)
		}
		formulas, of = append(formulas, f), append(of, i)
		for _, lit := range c.Selector {
			if lit.Atom == nil || lit.Negated || len(c.Selector) > 1 {
				continue
			}
			for _, t := range lit.Atom.Args {
				if t.Kind == mln.TermVariable && l.model.Schema.IsNumber(t.Type) {
					with := *c
					least := mln.Term{Kind: mln.TermConstant, Name: "-1e300", Type: t.Type, Number: true}
					with.Selector = append(slices.Clone(c.Selector), mln.Literal{Compare: &mln.Compare{X: t, Op: mln.AtLeast, Value: least}})
					formulas, of = append(formulas, with.Joint()), append(of, i)
				}
			}
		}
	}
	return formulas, of
}

// gather collects the candidates' values for the atoms of a sample of subgraphs, and the base rates.
func (l *learner) gather() error {
	formulas, of := l.columns()
	m := l.model.With(formulas)
	opt := resolwe.FeatureOptions{Quantities: true, Run: l.opt.Stage("count")}
	columns, _ := resolwe.FeatureColumns(m, opt)
	sample := features.BuilderOptions{Seed: l.opt.Seed, Limit: max(mostCells/max(len(columns), 1), 1000)}
	for c, at := range columns {
		sample.Measures, l.rows.Candidates = append(sample.Measures, c), append(l.rows.Candidates, of[at])
	}
	rows := features.NewBuilder(len(columns), sample)
	counts := make([][2]float64, len(m.Schema.Predicates))
	var values []float64
	l.origins = map[string]origin{}
	err := inferring.Features(l.ctx, m, l.stream, opt, func(r *resolwe.FeatureRows) error {
		s := features.Subgraph{Name: strings.Clone(r.Subgraph), Values: make([][]float64, len(columns))}
		at := origin{r.Index, make([]int, len(counts))}
		for i := range r.Len() {
			t := r.Truth(i)
			if t == subgraph.Unknown {
				continue
			}
			pred, _ := r.Args(i)
			s.Truth = append(s.Truth, t == subgraph.True)
			at.atoms[pred]++
			counts[pred][0]++
			if t == subgraph.True {
				counts[pred][1]++
			}
			values = r.Values(i, values)
			for c, v := range values {
				s.Values[c] = append(s.Values[c], v)
			}
		}
		if len(s.Truth) > 0 {
			l.origins[s.Name] = at
		}
		return rows.Add(&s)
	})
	if err != nil {
		return err
	}
	if n := len(l.origins); n < leastSubgraphs {
		return &TooFewError{n}
	}
	l.odds = make([]float64, len(counts))
	for pred, n := range counts {
		if m.Schema.Predicates[pred].Role.IsTarget() {
			unit := mln.UnitClause(m.Schema, pred).WithWeight(elementary.Log((n[1] + .5) / (n[0] - n[1] + .5)))
			l.base, l.odds[pred] = append(l.base, unit), unit.Weight
		}
	}
	if l.rows.Matrix, err = rows.Matrix(); err != nil {
		return err
	}
	for i, s := range l.rows.Subgraphs {
		fold := []uint8{uint8(l.fold(s.Name))} // #nosec G115 -- below 5
		l.rows.Fold = append(l.rows.Fold, slices.Repeat(fold, l.rows.Start[i+1]-l.rows.Start[i])...)
	}
	return nil
}

// fold returns the fold of a subgraph.
func (l *learner) fold(name string) int {
	return int(features.Hash(l.opt.Seed+1, name) % grow.Folds) // #nosec G115 -- below 5
}

// sample returns a function that makes replays of the subgraphs of least hash.
func (l *learner) sample() (func() []*grow.Replay, error) {
	some := l.rows.Subgraphs[:min(len(l.rows.Subgraphs), samples)]
	positions := make([]int, len(some))
	for i, s := range some {
		positions[i] = l.origins[s.Name].index
	}
	slices.Sort(positions)
	var subs []*subgraph.Subgraph
	err := resolwe.Each(l.ctx, l.stream.Pick(positions), l.opt.Run.Silent(), func(sub *subgraph.Subgraph) error {
		subs = append(subs, sub.Clone())
		return nil
	})
	return func() (out []*grow.Replay) {
		for _, sub := range subs {
			out = append(out, grow.NewReplay(l.model.Schema, sub, l.centers))
		}
		return out
	}, err
}
