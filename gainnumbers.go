package resolwe

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// Argument is an argument of a predicate.
type Argument struct{ Predicate, At int }

func (a Argument) compare(b Argument) int {
	return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.At, b.At))
}

// numeric returns the variables of a candidate that stand for numbers which nothing else restricts, each with a place.
func numeric(schema *mln.Schema, c *mln.Candidate) (vars []mln.Term, places []Argument) {
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
				vars, places = append(vars, t), append(places, Argument{l.Atom.Pred, arg})
			}
		}
	}
	return vars, places
}

// NumberCounts are how often each number stands at each argument that selection by gain looks for boundaries of. Those on
// streams that share no subgraph add up, in any order, to those on all of them.
type NumberCounts map[Argument]map[float64]uint64

// NewNumberCounts returns counts of 0: none where the candidates compare no numbers, or the criterion is another one.
func (s *Selector) NewNumberCounts() NumberCounts {
	out := NumberCounts{}
	if s.opt.Criterion != Gain {
		return out
	}
	for _, c := range s.candidates {
		_, places := numeric(s.model.Schema, c)
		for _, p := range places {
			out[p] = map[float64]uint64{}
		}
	}
	return out
}

// CountNumbers counts on all subgraphs of a stream, opened for the selector's model.
func (s *Selector) CountNumbers(ctx context.Context, stream *Stream) (NumberCounts, error) {
	wanted := s.NewNumberCounts()
	if len(wanted) == 0 {
		return wanted, nil
	}
	err := Each(ctx, stream, Run{Workers: s.opt.Run.Workers}, func(sub *subgraph.Subgraph) error {
		for p, values := range wanted {
			d := sub.Domains[s.model.Schema.Predicates[p.Predicate].Args[p.At]]
			t := &sub.Relations[p.Predicate].True
			for i := range t.Len() {
				if v, ok := mln.ParseNumber(d.Names.Name(t.Cols[p.At][i])); ok { // else grounding reports it
					values[v]++
				}
			}
		}
		return nil
	})
	return wanted, err
}

// Boundaries returns, for each argument, the values, ascending, that divide its numbers into sixteen parts: at most 15.
func (c NumberCounts) Boundaries() NumberBoundaries {
	var out NumberBoundaries
	for _, a := range slices.SortedFunc(maps.Keys(c), Argument.compare) {
		if bounds := sixteenths(c[a]); len(bounds) > 0 {
			out = append(out, Boundaries{a, bounds})
		}
	}
	return out
}

// NumberBoundaries are those of several arguments.
type NumberBoundaries []Boundaries

// Boundaries are numbers that those of an argument are compared with.
type Boundaries struct {
	Argument Argument
	Values   []float64
}

// of returns the boundaries of an argument.
func (b NumberBoundaries) of(a Argument) []float64 {
	i := slices.IndexFunc(b, func(b Boundaries) bool { return b.Argument == a })
	if i < 0 {
		return nil
	}
	return b[i].Values
}

// WithNumbers returns a selector that has, after each candidate which mentions numbers, those that also compare one of these
// with a boundary.
func (s *Selector) WithNumbers(boundaries NumberBoundaries) *Selector {
	if len(boundaries) == 0 {
		return s
	}
	out := &Selector{model: s.model, opt: s.opt, warnings: s.warnings}
	for _, c := range s.candidates {
		out.candidates = append(out.candidates, c)
		if len(c.Enforcer) > 1 {
			continue
		}
		vars, places := numeric(s.model.Schema, c)
		for i, v := range vars {
			for _, bound := range boundaries.of(places[i]) {
				with := *c
				value := mln.Term{Kind: mln.TermConstant, Name: mln.FormatNumber(bound), Type: v.Type, Number: true}
				with.Selector = append(slices.Clone(c.Selector), mln.Literal{Compare: &mln.Compare{X: v, Op: mln.AtLeast, Value: value}})
				out.candidates = append(out.candidates, &with)
			}
		}
	}
	out.gain = newGainTask(out.model, out.candidates, &out.opt)
	return out
}

// sixteenths returns the values, ascending, that divide a sample into sixteen parts: at most 15, and not the least value,
// which all others reach.
func sixteenths(values map[float64]uint64) []float64 {
	sorted := slices.Sorted(maps.Keys(values))
	total := uint64(0)
	for _, n := range values {
		total += n
	}
	var out []float64
	before := uint64(0)
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
