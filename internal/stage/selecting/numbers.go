package selecting

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
	"resolwe/kernels/features"
)

// Argument is an argument of a predicate.
type Argument struct{ Predicate, At int }

// Compare orders arguments by predicate, then by position.
func (a Argument) Compare(b Argument) int {
	return cmp.Or(cmp.Compare(a.Predicate, b.Predicate), cmp.Compare(a.At, b.At))
}

// numeric returns the variables of a candidate that stand for numbers and are not restricted otherwise, each with one argument
// where it occurs; none of a candidate whose value is measured.
func (s *Selector) numeric(c *mln.Candidate) (vars []mln.Term, places []Argument) {
	schema := s.model.Schema
	if s.opt.Gain.All && c.Valued(schema) != nil {
		return nil, nil
	}
	restricted := map[int]bool{}
	restrict := func(t mln.Term) {
		if t.Kind == mln.TermVariable {
			restricted[t.Var] = true
		}
	}
	for _, q := range c.Enforcer {
		mln.EachTerm(q, restrict)
	}
	for _, l := range c.Selector {
		if l.Atom == nil {
			mln.EachTerm(l.Expr(), restrict)
		}
	}
	for _, l := range c.Selector {
		if l.Atom == nil || l.Negated {
			continue
		}
		for arg, t := range l.Atom.Args {
			if t.Kind == mln.TermVariable && schema.IsNumber(t.Type) && !restricted[t.Var] {
				restrict(t)
				vars, places = append(vars, t), append(places, Argument{l.Atom.Pred, arg})
			}
		}
	}
	return vars, places
}

// NumberCounts count how often each number occurs at each argument for which selection by gain needs boundaries. Counts on streams
// that share no subgraph add up, in any order, to the counts on all of them.
type NumberCounts map[Argument]map[float64]uint64

// NewNumberCounts returns counts of 0. There are none if the candidates compare no numbers or the criterion is not Gain.
func (s *Selector) NewNumberCounts() NumberCounts {
	out := NumberCounts{}
	if s.opt.Criterion != Gain {
		return out
	}
	for _, c := range s.candidates {
		_, places := s.numeric(c)
		for _, p := range places {
			out[p] = map[float64]uint64{}
		}
	}
	return out
}

// CountNumbers counts on all subgraphs of a stream, opened for the selector's model.
func (s *Selector) CountNumbers(ctx context.Context, stream *run.Stream) (NumberCounts, error) {
	wanted := s.NewNumberCounts()
	if len(wanted) == 0 {
		return wanted, nil
	}
	budget := s.opt.Budget.Part(numbersShare)
	err := run.Each(ctx, stream, s.opt.Run.Silent(), func(sub *subgraph.Subgraph) error {
		for p, values := range wanted {
			d := sub.Domains[s.model.Schema.Predicates[p.Predicate].Args[p.At]]
			t := &sub.Relations[p.Predicate].True
			for i := range t.Len() {
				if v, ok := mln.ParseNumber(d.Names.Name(t.Cols[p.At][i])); ok { // otherwise grounding reports it
					values[v]++
				}
			}
		}
		return budget.Err()
	})
	if errors.Is(err, run.ErrSpent) { // the boundaries are those of the first ones
		err = nil
	}
	return wanted, err
}

// Boundaries returns, for each argument, the boundaries that divide its numbers into sixteen parts.
func (c NumberCounts) Boundaries() NumberBoundaries {
	var out NumberBoundaries
	for _, a := range slices.SortedFunc(maps.Keys(c), Argument.Compare) {
		values := slices.Sorted(maps.Keys(c[a]))
		times := make([]uint64, len(values))
		for i, v := range values {
			times[i] = c[a][v]
		}
		if bounds := features.Quantiles(values, times, 16); len(bounds) > 0 {
			out = append(out, Boundaries{a, bounds})
		}
	}
	return out
}

// NumberBoundaries are the boundaries of several arguments.
type NumberBoundaries []Boundaries

// Boundaries divide the numbers of an argument, ascending.
type Boundaries struct {
	Argument Argument
	Values   []features.Boundary
}

// of returns the boundaries of an argument.
func (b NumberBoundaries) of(a Argument) []features.Boundary {
	i := slices.IndexFunc(b, func(b Boundaries) bool { return b.Argument == a })
	if i < 0 {
		return nil
	}
	return b[i].Values
}

// WithNumbers returns a selector with additional candidates: after each candidate that mentions numbers come those that also
// compare one of these with a boundary, as at least or at most.
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
		vars, places := s.numeric(c)
		for i, v := range vars {
			for _, bound := range boundaries.of(places[i]) {
				out.candidates = append(out.candidates, comparing(c, v, mln.AtLeast, bound.From), comparing(c, v, mln.AtMost, bound.Below))
			}
		}
	}
	out.gain = newGainTask(out.model, out.candidates, &out.opt)
	return out
}

// comparing returns a candidate that also compares one of its numbers.
func comparing(c *mln.Candidate, v mln.Term, op mln.Comparison, bound float64) *mln.Candidate {
	with := *c
	value := mln.Term{Kind: mln.TermConstant, Name: mln.FormatNumber(bound), Type: v.Type, Number: true}
	with.Selector = append(slices.Clone(c.Selector), mln.Literal{Compare: &mln.Compare{X: v, Op: op, Value: value}})
	return &with
}
