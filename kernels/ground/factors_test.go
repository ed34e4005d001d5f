package ground_test

import (
	"fmt"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// Users who share articles: pairs that are kept as sums are as many as those that would be listed.
func TestNetwork_Factors(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for u := range 60 {
		fmt.Fprintf(&db, "edit(U%d, A%d)\nedit(U%d, A%d)\n", u, u%5, u, 5+u%2)
	}
	c := jointest.Load(t, "edit(user, article)\ntarget likes(user)\nedit(u, a) ^ edit(w, a) ^ likes(u) => likes(w)\nlikes(u)\n", db.String())
	p := ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Predicting)
	p.Factoring = ground.FactorAlways
	if !p.Factored(0, c.Subs[0]) || p.Factored(1, c.Subs[0]) {
		t.Error("the first formula alone is grounded through articles")
	}
	net, _, err := ground.NewGrounder(p).Ground(c.Subs[0])
	check.OK(t, err)
	got := net.Factors()
	pairs := int64(5*(12*11/2) + 2*(30*29/2))
	if f := got[0]; f.Pairs != 0 || f.Factored != pairs || f.Members != 120 || f.Unary != 60 || f.Others != 0 {
		t.Errorf("got %+v, want %d pairs as sums of 120 summands, 60 atoms", f, pairs)
	}
	if f := got[1]; f != (network.Factors{Unary: 60, Bytes: 60 * 16}) {
		t.Errorf("got %+v, want 60 atoms", f)
	}
	net.Bilinears = nil
	net.Incidences = nil
	net.Conjunctions = []network.Conjunction{{Lits: []network.Lit{0, 2, 4}, Coefs: []network.Coef{{Formula: 1, Mult: 1}}}}
	net.Incidences = []network.Incidence{{Start: []uint32{0, 3}, Atoms: []uint32{1, 2, 3}}, {Start: []uint32{0, 2}, Atoms: []uint32{0, 2}}}
	net.Bilinears = []network.Bilinear{{Left: 0, Right: 1, Coefs: []network.Coef{{Formula: 1, Mult: 2}}}}
	if f := net.Factors()[1]; f.Others != 1 || f.Factored != 5 || f.Members != 5 { // 3 x 2, without atom 2 with itself
		t.Errorf("got %+v, want 5 pairs of 5 summands and a conjunction", f)
	}
}
