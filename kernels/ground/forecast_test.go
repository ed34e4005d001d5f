package ground_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
)

// A tautology is true in as many groundings as there are.
func tautology(e mln.Expr) mln.Expr { return &mln.Or{Xs: []mln.Expr{e, &mln.Not{X: e}}} }

func withBody(f *mln.Formula, body mln.Expr) *mln.Formula {
	g := *f
	g.Body, g.Shape = body, mln.ShapeNone
	return &g
}

// known returns a subgraph in which what is unknown is false.
func known(s *subgraph.Subgraph) *subgraph.Subgraph {
	out := *s
	out.Relations = slices.Clone(s.Relations)
	for i := range out.Relations {
		r := &out.Relations[i]
		cols := make([][]uint32, len(r.Unknown.Cols))
		for k, col := range r.Unknown.Cols {
			cols[k] = slices.Concat(col, r.False.Cols[k])
		}
		r.False, r.Unknown = subgraph.Table{Cols: cols}, subgraph.Table{}
	}
	return &out
}

// wanted counts by enumeration what a forecaster has to give.
func wanted(c *jointest.Task, w *oracle.World, i int, f *mln.Formula) ground.Groundings {
	count := func(body mln.Expr) int64 { return int64(w.Values([]*mln.Formula{withBody(f, body)})[0]) }
	selector, rest := ground.Split(&c.Model.Schema, f.Body)
	conjuncts := []mln.Expr{tautology(rest)}
	for _, l := range selector {
		conjuncts = append(conjuncts, l.Expr())
	}
	g := ground.Groundings{All: count(tautology(f.Body)), Body: count(&mln.And{Xs: conjuncts})}
	g.Most = g.Body
	own, others := map[int]bool{}, int64(1)
	onlyTargets := true
	var visit func(e mln.Expr)
	visit = func(e mln.Expr) {
		switch e := e.(type) {
		case *mln.Atom:
			onlyTargets = onlyTargets && c.Model.Schema.Predicates[e.Pred].Role.IsTarget()
		case *mln.Equal, *mln.Compare, *mln.Count, *mln.Exists, *mln.ForAll:
			onlyTargets = false
		}
		for _, x := range mln.Operands(e) {
			visit(x)
		}
	}
	visit(rest)
	mln.EachTerm(rest, func(t mln.Term) { own[t.Var] = own[t.Var] || t.Kind == mln.TermVariable })
	for v := range f.Free {
		if !own[v] {
			others *= int64(c.Subs[i].Domains[f.Vars[v].Type].Size)
		}
	}
	switch {
	case f.Compares() && others == 0:
		g.Most = -2 // not counted by these means
	case f.Compares():
		g.Most = g.All / others
	case onlyTargets && others > 0:
		g.Most = min(g.Body, g.All/others)
	}
	return g
}

func TestForecaster_MatchesNaive(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, seed uint64, c *jointest.Task) {
		t.Helper()
		for _, mode := range []ground.Mode{ground.Predicting, ground.Conditioning, ground.Learning} {
			f := ground.NewForecaster(&c.Model.Schema, c.Model.Formulas, mode)
			for i, sub := range c.Subs {
				w := c.World(i)
				if mode != ground.Learning { // where atoms of unknown truth exist
					w = oracle.NewWorld(&c.Model.Schema, c.Model.Constants, known(c.Plain[i]))
				}
				for k, got := range f.Count(sub) {
					want := wanted(c, w, i, c.Model.Formulas[k])
					if want.Most == -2 {
						want.Most = got.Most
					}
					if got != want {
						t.Errorf("seed %d, mode %d, %s, %s: got %+v, want %+v\n%s",
							seed, mode, sub.Name, mln.FormatFormula(c.Model.Formulas[k]), got, want, c.Text)
					}
				}
			}
		}
	})
}

// What a network keeps of a formula is no more than was forecast.
func TestForecaster_BoundsFactors(t *testing.T) {
	t.Parallel()
	eachTask(t, func(t *testing.T, seed uint64, c *jointest.Task) {
		t.Helper()
		f := ground.NewForecaster(&c.Model.Schema, c.Model.Formulas, ground.Predicting)
		g := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Predicting))
		for _, sub := range c.Subs {
			net, _, err := g.Ground(sub)
			if err != nil {
				continue // a violation, see TestGrounder_Violations
			}
			counts := f.Count(sub)
			bytes := 0.0
			for i, have := range net.Factors() {
				formula := c.Model.Formulas[i]
				atoms := int64(strings.Count(mln.FormatFormula(formula), "("))
				if formula.Hard {
					continue
				}
				if most := counts[i].Most; have.Pairs > most*atoms*atoms || have.Unary > most*atoms || have.Others > most<<min(atoms, 20) {
					t.Errorf("seed %d, %s, formula %d: got %+v, forecast %+v\n%s", seed, sub.Name, i, have, counts[i], c.Text)
				}
				bytes += have.Bytes
			}
			check.AtMost(t, bytes, float64(net.Bytes()), "seed %d, %s: bytes that formulas take of %d", seed, sub.Name, net.Bytes())
		}
	})
}

// Where there would be too many entities pairs are listed; those of a listed target are fewer than its types would
// have.
func TestProgram_Factored(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&db, "@entity article A%d\n@entity user U%d\n", i, i)
	}
	for i := range 10 {
		fmt.Fprintf(&db, "edit(U%d, A%d)\nlikes(A%d, U%d)\n", i, i%3, i%2, i)
	}
	const formula = "(article, user)\nedit(u, a) ^ edit(w, a) ^ likes(t, u) => likes(t, w)\n"
	for _, test := range []struct {
		target string
		want   bool
	}{{"target likes", false}, {"target listed likes", true}} {
		c := jointest.Load(t, "edit(user, article)\n"+test.target+formula, db.String())
		p := ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Predicting)
		check.Equal(t, test.target, p.Factored(0, c.Subs[0]), test.want)
	}
}

// A number that does not fit is none.
func TestForecaster_TooMany(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 100 {
		fmt.Fprintf(&db, "@entity a A%d\n", i)
	}
	db.WriteString("e(A1)\nq(A2)\n")
	vars := []string{"r", "s", "t", "u", "w", "x", "y", "z", "k", "l"}
	f := "e(" + strings.Join(vars, ") ^ e(") + ") ^ q(x)"
	c := jointest.Load(t, "e(a)\ntarget q(a)\n"+f+"\n", db.String())
	got := ground.NewForecaster(&c.Model.Schema, c.Model.Formulas, ground.Predicting).Count(c.Subs[0])
	if got[0] != (ground.Groundings{All: ground.TooMany, Body: 1, Most: 1}) {
		t.Errorf("got %+v", got[0])
	}
}

// Two of 9 pairs of people are friends: two ground formulas tie them.
func ExampleForecaster_Count() {
	model, sub := friends()
	fmt.Printf("%+v\n", ground.NewForecaster(&model.Schema, model.Formulas, ground.Predicting).Count(sub))
	// Output: [{All:9 Body:2 Most:2}]
}
