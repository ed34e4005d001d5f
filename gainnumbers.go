package resolwe

import (
	"context"
	"maps"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// place is an argument of a predicate.
type place struct{ pred, arg int }

// numeric returns the variables of a candidate that stand for numbers which nothing else restricts, each with a place.
func numeric(schema *mln.Schema, c *mln.Candidate) (vars []mln.Term, places []place) {
	restricted := map[int]bool{}
	for _, q := range c.Enforcer {
		for _, t := range q.Args {
			restricted[t.Var] = true
		}
	}
	for _, l := range c.Selector {
		if l.Atom == nil {
			mln.EachTerm(l.Expr(), func(t mln.Term) { restricted[t.Var] = restricted[t.Var] || t.Kind == mln.TermVariable })
		}
	}
	for _, l := range c.Selector {
		if l.Atom == nil || l.Negated {
			continue
		}
		for arg, t := range l.Atom.Args {
			if t.Kind == mln.TermVariable && schema.Types[t.Type] == mln.NumberType && !restricted[t.Var] {
				restricted[t.Var] = true
				vars, places = append(vars, t), append(places, place{l.Atom.Pred, arg})
			}
		}
	}
	return vars, places
}

// withNumbers returns the candidates, each that mentions numbers followed by those that also compare one of these with a
// boundary: the sixteenths of the numbers that stand at its place in the stream.
func (s *Selector) withNumbers(ctx context.Context, stream *Stream) ([]*mln.Candidate, error) {
	wanted := map[place]map[float64]int{}
	for _, c := range s.candidates {
		_, places := numeric(s.model.Schema, c)
		for _, p := range places {
			wanted[p] = map[float64]int{}
		}
	}
	if len(wanted) == 0 {
		return s.candidates, nil
	}
	if stream.ReadOnce() {
		return s.candidates, nil
	}
	err := Each(ctx, stream, Run{Workers: s.opt.Run.Workers}, func(sub *subgraph.Subgraph) error {
		for p, values := range wanted {
			d := sub.Domains[s.model.Schema.Predicates[p.pred].Args[p.arg]]
			t := &sub.Relations[p.pred].True
			for i := range t.Len() {
				if v, ok := mln.ParseNumber(d.Names.Name(t.Cols[p.arg][i])); ok { // else grounding reports it
					values[v]++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []*mln.Candidate
	for _, c := range s.candidates {
		out = append(out, c)
		if len(c.Enforcer) > 1 {
			continue
		}
		vars, places := numeric(s.model.Schema, c)
		for i, v := range vars {
			for _, bound := range sixteenths(wanted[places[i]]) {
				with := *c
				value := mln.Term{Kind: mln.TermConstant, Name: mln.FormatNumber(bound), Type: v.Type, Number: true}
				with.Selector = append(slices.Clone(c.Selector), mln.Literal{Compare: &mln.Compare{X: v, Op: mln.AtLeast, Value: value}})
				out = append(out, &with)
			}
		}
	}
	return out, nil
}

// sixteenths returns the values, ascending, that divide a sample into sixteen parts: at most 15, and not the least value,
// which all others reach.
func sixteenths(values map[float64]int) []float64 {
	sorted := slices.Sorted(maps.Keys(values))
	total := 0
	for _, n := range values {
		total += n
	}
	var out []float64
	before := 0
	for i, v := range sorted {
		first := before * 16 / max(total, 1)
		before += values[v]
		last := before * 16 / max(total, 1)
		if next := i + 1; last > first && next < len(sorted) {
			out = append(out, sorted[next])
		}
	}
	return out
}
