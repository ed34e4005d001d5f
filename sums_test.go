package resolwe_test

import (
	"errors"
	"math"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// What selection sums over a stream, selected, true and expected groundings, is what enumeration counts in one subgraph after another.
func TestSelect_Sums(t *testing.T) {
	t.Parallel()
	sums := 0
	for seed := range rounds(t, 100) {
		text, db := random(seed, oracle.TaskOptions{Subgraphs: 1 + int(seed%5), Counts: seed%3 == 2, Aggregates: seed%6 == 2})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, subs), resolwe.SelectOptions{Criterion: resolwe.Lift})
		check.OKf(t, err, "seed %d", seed)
		ws := worlds(m.With(mln.Given(m.Formulas)), subs)
		for _, c := range sel.Candidates {
			full := 1<<len(c.Candidate.Enforcer) - 1
			for k := -1; k < len(c.Conditional); k++ { // -1 for the joint
				got, given := &c.Joint, 0 // given are the literals that are true in the groundings counted
				if k >= 0 {
					got, given = &c.Conditional[k], full&^(1<<k)
				}
				var n, yes int64
				var expected float64
				for _, w := range ws {
					selected, all := w.Selection(c.Candidate)
					n, yes = n+selected[given], yes+selected[full]
					if all[given] > 0 {
						expected += float64(selected[given]) * float64(all[full]) / float64(all[given])
					}
				}
				if int64(got.Selected) != n || int64(got.True) != yes || math.Abs(got.Expected.Value()-expected) > 1e-9*(1+expected) {
					t.Errorf("seed %d, %s, variant %d: got %d, %d and %v, want %d, %d and %v of\n%s%s",
						seed, mln.FormatFormula(c.Candidate.Formula), k, got.Selected, got.True, got.Expected.Value(), n, yes, expected, text, db)
				}
				if yes > 0 {
					sums++
				}
			}
		}
	}
	check.AtLeast(t, sums, int(rounds(t, 100)), "sums above 0")
}

// The marginals of a stream, summed by predicate, are the numbers of true atoms that enumeration expects; given the data, they are so
// beside what is stated.
func TestInfer_Sums(t *testing.T) {
	t.Parallel()
	atoms, seeds := 0, rounds(t, 50)
	for seed := range seeds {
		text, db := random(1000+seed, oracle.TaskOptions{
			General: true, Shapes: seed%2 == 0, Hard: seed%3 == 0, Counts: seed%5 > 2, Aggregates: seed%5 == 3, Subgraphs: 1 + int(seed%5),
		})
		m := parse(t, text)
		subs := subgraphs(t, m, db)
		rules := oracle.Rules{UnknownExist: true, Given: seed%2 == 1}
		want, got := make([]float64, len(m.Schema.Predicates)), make([]float64, len(m.Schema.Predicates))
		var impossible error
		for _, w := range worlds(m, subs) {
			d, err := w.Enumerate(m.Formulas, nil, rules)
			if impossible = errors.Join(impossible, err); err != nil {
				continue
			}
			for i, p := range d.Marginals() {
				want[w.QueryAtoms(rules)[i].Pred] += p
			}
		}
		err := inferring.Infer(t.Context(), m, resolwe.NewStream(m, subs), resolwe.InferOptions{Given: rules.Given}, func(r *resolwe.Marginals) error {
			for i, p := range r.P {
				pred, _ := r.Args(i)
				got[pred] += p
				atoms++
			}
			return nil
		})
		check.Is(t, err != nil, impossible != nil, "seed %d: got %v, want %v", seed, err, impossible)
		for pred := range want {
			if err == nil && !(math.Abs(got[pred]-want[pred]) < 1e-8) {
				t.Errorf("seed %d, %s: got %v, want %v of\n%s%s", seed, m.Schema.Predicates[pred].Name, got[pred], want[pred], text, db)
			}
		}
	}
	check.AtLeast(t, atoms, 3*int(seeds), "atoms")
}
