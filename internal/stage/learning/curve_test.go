package learning_test

import (
	"fmt"
	"math"
	"testing"

	"resolwe"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// Every subgraph is scored before it is learned from: in the first mini-batch by the weights of the model.
func TestLearn_Curve(t *testing.T) {
	t.Parallel()
	m := parse(t, tied)
	subs := subgraphs(t, m, tiedDB(6))
	opt := resolwe.LearnOptions{Objective: true, Batch: 4, Passes: 2, Curve: true}
	learned, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), opt)
	check.OK(t, err)
	check.MustIs(t, len(learned.Curve), 12, "points")
	fs := learned.Model.Formulas
	for i, w := range worlds(m, subs)[:4] {
		ll, err := oracle.LogLikelihood(w, fs, []float64{0, 0.7, 0})
		check.OK(t, err)
		p := learned.Curve[i]
		if p.Pass != 0 || p.Index != i || p.Atoms != 8 || !p.Exact || math.Abs(p.CLL-ll/8) > 1e-9 {
			t.Errorf("point %d: got %+v, want a log-likelihood of %v", i, p, ll/8)
		}
	}
	if first, last := learned.Curve[0], learned.Curve[11]; last.Pass != 1 || last.Index != 5 || first.CLL == learned.Curve[6].CLL {
		t.Errorf("got %+v first and %+v last", first, last)
	}

	plain := opt
	plain.Curve = false
	other, err := resolwe.Learn(t.Context(), m, resolwe.NewStream(m, subs), plain)
	if err != nil || len(other.Curve) > 0 || fmt.Sprint(weights(other.Model.Formulas)) != fmt.Sprint(weights(fs)) {
		t.Errorf("without a curve: got %+v, %v", other, err)
	}
}

// Subgraphs without a query atom, and those whose data breaks a hard formula, have no score.
func TestLearn_CurveLeavesOut(t *testing.T) {
	t.Parallel()
	m := parse(t, "e(a)\ntarget listed q(a)\n!(q(x) ^ e(x)).\nq(x)\n")
	opt := resolwe.LearnOptions{Objective: true, Passes: 1, Curve: true}
	db := "@subgraph a\n@entity a A\n@subgraph b\nq(A)\n@subgraph c\ne(A)\nq(B)\n!q(A)\n"
	learned, err := resolwe.Learn(t.Context(), m, inMemory(t, m, db), opt)
	check.OK(t, err)
	if len(learned.Curve) != 2 || learned.Curve[0].Index != 1 || learned.Curve[1].Index != 2 {
		t.Errorf("got %+v, want points for b and c", learned.Curve)
	}
	broken, err := resolwe.Learn(t.Context(), m, inMemory(t, m, "@subgraph a\ne(A)\nq(A)\n"), opt)
	if err != nil || len(broken.Curve) > 0 {
		t.Errorf("got %+v, %v, want no point", broken, err)
	}
}
