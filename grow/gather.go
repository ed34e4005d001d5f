package grow

import (
	"cmp"
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

// block holds the atoms of known truth in a subgraph.
type block struct {
	hash   uint64
	name   string
	index  int
	truth  []bool
	preds  []int
	values [][]float32 // by column
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
	most, rows := max(mostCells/max(len(columns), 1), 1000), 0
	counts := make([][2]float64, len(m.Schema.Predicates))
	var values []float64
	subgraphs := 0
	err := inferring.Features(l.ctx, m, l.stream, opt, func(r *resolwe.FeatureRows) error {
		b := block{hash: features.Hash(l.opt.Seed, r.Subgraph), name: strings.Clone(r.Subgraph), index: r.Index, values: make([][]float32, len(columns))}
		for i := range r.Len() {
			t := r.Truth(i)
			if t == subgraph.Unknown {
				continue
			}
			pred, _ := r.Args(i)
			b.truth, b.preds = append(b.truth, t == subgraph.True), append(b.preds, pred)
			counts[pred][0]++
			if t == subgraph.True {
				counts[pred][1]++
			}
			values = r.Values(i, values)
			for c, v := range values {
				b.values[c] = append(b.values[c], float32(v))
			}
		}
		if len(b.truth) > 0 {
			subgraphs++
			l.blocks, rows = append(l.blocks, b), rows+len(b.truth)
			if rows > 2*most {
				rows = l.thin(most)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if subgraphs < leastSubgraphs {
		return &TooFewError{subgraphs}
	}
	l.thin(most)
	l.odds = make([]float64, len(counts))
	for pred, n := range counts {
		if m.Schema.Predicates[pred].Role.IsTarget() {
			unit := mln.UnitClause(m.Schema, pred).WithWeight(elementary.Log((n[1] + .5) / (n[0] - n[1] + .5)))
			l.base, l.odds[pred] = append(l.base, unit), unit.Weight
		}
	}
	for c, at := range columns {
		var all []float32
		for _, b := range l.blocks {
			all = append(all, b.values[c]...)
		}
		l.rows.Columns = append(l.rows.Columns, grow.NewColumn(of[at], all))
	}
	for i := range l.blocks {
		b := &l.blocks[i]
		b.values = nil
		l.rows.Truth = append(l.rows.Truth, b.truth...)
		l.rows.Fold = append(l.rows.Fold, slices.Repeat([]uint8{uint8(l.fold(b.name))}, len(b.truth))...) // #nosec G115 -- below 5
	}
	return nil
}

// fold returns the fold of a subgraph.
func (l *learner) fold(name string) int {
	return int(features.Hash(l.opt.Seed+1, name) % grow.Folds) // #nosec G115 -- below 5
}

// thin keeps the blocks of least hash with at most so many rows in all, and returns the number of rows.
func (l *learner) thin(most int) (rows int) {
	slices.SortFunc(l.blocks, func(a, b block) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) })
	for i := range l.blocks {
		if n := len(l.blocks[i].truth); i == 0 || rows+n <= most {
			rows += n
			continue
		}
		l.blocks = l.blocks[:i]
		break
	}
	return rows
}

// sample returns a function that makes replays of the subgraphs of least hash.
func (l *learner) sample() (func() []*grow.Replay, error) {
	some := l.blocks[:min(len(l.blocks), samples)]
	positions := make([]int, 0, len(some))
	for _, b := range some {
		positions = append(positions, b.index)
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
