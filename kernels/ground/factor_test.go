package ground_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// bilinearTask writes formulas whose two target atoms meet in shared entities, in every form that has a factored route,
// and facts dense enough that they do. With shapes, each has one.
func bilinearTask(r *rand.Rand, shapes bool) (model, db string) {
	pick := func(xs ...string) string { return xs[r.IntN(len(xs))] }
	var m, d strings.Builder
	m.WriteString("edit(page, user)\ntalk(page, user)\nknows(user, user)\nlink(page, page)\ngood(page)\nkind(user)\n")
	m.WriteString(pick("target act(user)\n", "target listed act(user)\n") + pick("target on(page, user)\n", "target listed on(page, user)\n"))
	path := func(x, y string) string {
		return pick(
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s)", x, y),
			fmt.Sprintf("edit(z, %s) ^ talk(z, %s)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ good(z)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ link(z, y)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ z != P1", x, y),
			fmt.Sprintf("knows(%s, k) ^ knows(k, %s)", x, y),
			fmt.Sprintf("knows(%s, k) ^ knows(%s, k) ^ kind(k)", x, y),
			fmt.Sprintf("edit(z, %s) ^ link(z, y) ^ edit(y, %s)", x, y),
			fmt.Sprintf("!knows(%s, k) ^ knows(k, %s)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ kind(%s)", x, y, x),
			fmt.Sprintf("edit(z, %s) ^ talk(z, %s) ^ edit(t, %s)", x, y, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ link(t, t)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ link(t, y)", x, y),
			fmt.Sprintf("edit(z, %s) ^ edit(z, %s) ^ %s != %s", x, y, x, y),
		)
	}
	for range 4 {
		e := path("u", "w")
		p := pick("act(u)", "on(t, u)", "!act(u)", "!on(t, u)", "on(P1, u)")
		q := pick("act(w)", "on(t, w)", "!on(t, w)", "on(t2, w)")
		if shapes {
			fmt.Fprintf(&m, "%.2f mean: %s ^ %s ^ %s\n", r.Float64()-.5, e, p, q)
			continue
		}
		fmt.Fprintln(&m, fmt.Sprintf("%.2f ", r.Float64()-.5)+pick(
			e+" ^ "+p+" => "+q, e+" ^ "+p+" ^ "+q, e+" => "+p+" v "+q, e+" => ("+p+" <=> "+q+")", p+" ^ "+e+" => !"+strings.TrimPrefix(q, "!")))
	}
	users, pages := 2+r.IntN(5), 2+r.IntN(3)
	for u := range users {
		fmt.Fprintf(&d, "@entity user U%d\n", u)
		for w := range users {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&d, "knows(U%d, U%d)\n", u, w)
			}
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&d, "kind(U%d)\n", u)
		}
		fmt.Fprintf(&d, "%sact(U%d)\n", pick("", "!", "?"), u)
	}
	for p := range pages {
		fmt.Fprintf(&d, "@entity page P%d\n", p)
		for u := range users {
			for _, e := range []string{"edit", "talk"} {
				if r.IntN(2) == 0 {
					fmt.Fprintf(&d, "%s(P%d, U%d)\n", e, p, u)
				}
			}
			if r.IntN(4) > 0 {
				fmt.Fprintf(&d, "%son(P%d, U%d)\n", pick("", "!", "?"), p, u)
			}
		}
		for q := range pages {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&d, "link(P%d, P%d)\n", p, q)
			}
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&d, "good(P%d)\n", p)
		}
	}
	return m.String(), d.String()
}

// Whatever is factored, and where, the counts of every state stay the same.
func TestGrounder_FactoredCountsMatchListed(t *testing.T) {
	t.Parallel()
	bilinears := 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 31))
		model, db := bilinearTask(r, seed%3 == 0)
		c := jointest.Load(t, model, db)
		for _, mode := range []ground.Mode{ground.Learning, ground.Predicting, ground.Conditioning} {
			listed := networkOf(t, c, mode, func(p *ground.Program) { p.Factoring = ground.FactorNever })
			if len(listed.Bilinears) > 0 {
				t.Fatalf("seed %d: got bilinear factors, want none", seed)
			}
			for name, set := range map[string]func(p *ground.Program){
				"forced": ground.ForceFactoring,
				"always": func(p *ground.Program) { p.Factoring = ground.FactorAlways },
			} {
				net := networkOf(t, c, mode, set)
				checkShape(t, net)
				bilinears += len(net.Bilinears)
				for range 10 {
					x := randomState(r, net.NumAtoms)
					check.MustNoDiff(t, cmp.Diff(countsOf(t, net, x), countsOf(t, listed, x)), "seed %d, mode %d, %s, state %v (-got +want) of\n%s", seed, mode, name, x, c.Text)
				}
			}
		}
	}
	check.AtLeast(t, bilinears, 500, "bilinear factors in all")
}

// The factored counts on the data are the oracle's.
func TestGrounder_FactoredCountsMatchNaive(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, seed uint64, c *jointest.Task) {
		t.Helper()
		g := forced(c)
		for i, sub := range c.Subs {
			net, atoms, err := g.Ground(sub)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, c.Text)
			}
			got, want := valuesOf(t, net, atoms.Data()), c.World(i).Values(c.Model.Formulas)
			check.MustNoDiff(t, cmp.Diff(got, want, nearValues), "seed %d, %s (-got +want) of\n%s", seed, sub.Name, c.Text)
		}
	}
	for seed := range uint64(200) {
		model, db := bilinearTask(rand.New(rand.NewPCG(seed, 32)), seed%2 == 0)
		check(t, seed, jointest.Load(t, model, db))
	}
}

func forced(c *jointest.Task) *ground.Grounder {
	p := ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)
	ground.ForceFactoring(p)
	return ground.NewGrounder(p)
}

func networkOf(t *testing.T, c *jointest.Task, mode ground.Mode, set func(p *ground.Program)) *network.Network {
	t.Helper()
	p := ground.Compile(&c.Model.Schema, c.Model.Formulas, mode)
	set(p)
	net, _, err := ground.NewGrounder(p).Ground(c.Subs[0])
	if err != nil {
		t.Fatalf("%v\n%s", err, c.Text)
	}
	return net
}

// diffNetworks describes how networks differ, empty lists and nil aside. Most do not, which is soon found.
func diffNetworks(want, got *network.Network) string {
	if reflect.DeepEqual(filled(want), filled(got)) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(network.Network{}, "Replicas"))
}

// filled is a network without lists that are empty but not nil, however it was put together.
func filled(net *network.Network) network.Network {
	out := *net
	out.Replicas = network.Replicas{}
	for _, f := range reflect.ValueOf(&out).Elem().Fields() {
		if f.Kind() == reflect.Slice && f.Len() == 0 {
			f.SetZero()
		}
	}
	return out
}

func randomState(r *rand.Rand, n int) []bool {
	x := make([]bool, n)
	for a := range x {
		x[a] = r.IntN(2) == 0
	}
	return x
}

// countsOf returns the true groundings in a state, by formula.
func countsOf(t *testing.T, net *network.Network, x []bool) []int64 {
	t.Helper()
	sums := make([]float64, len(net.Constant))
	loglinear.AddCounts(sums, net, x)
	got := slices.Clone(net.Constant)
	for f, n := range sums {
		if got[f] += int64(n); math.Abs(n) >= 1<<53 {
			t.Fatalf("formula %d: %v true groundings are not exact", f, n)
		}
	}
	return got
}

// valuesOf returns the counts of a state, or what they are worth.
func valuesOf(t *testing.T, net *network.Network, x []bool) []float64 {
	t.Helper()
	out := make([]float64, len(net.Constant))
	for i, n := range countsOf(t, net, x) {
		out[i] = float64(n)
		if net.Scale != nil {
			out[i] *= net.Scale[i]
		}
	}
	return out
}

// nearValues allows for the rounding of shapes' coefficients.
var nearValues = cmpopts.EquateApprox(0, 1e-9)

// checkShape tests what Network promises of the order of its terms.
func checkShape(t *testing.T, net *network.Network) {
	t.Helper()
	for i, p := range net.Pairs {
		if p.A >= p.B || i > 0 && (net.Pairs[i-1].A > p.A || net.Pairs[i-1].A == p.A && net.Pairs[i-1].B >= p.B) {
			t.Errorf("pair %d is %v: not in order", i, p)
		}
		if net.PairStart[i] >= net.PairStart[i+1] {
			t.Errorf("pair %d has no coefficient", i)
		}
	}
	if len(net.PairStart) != len(net.Pairs)+1 || len(net.UnaryStart) != net.NumAtoms+1 {
		t.Errorf("got %d and %d starts for %d pairs and %d atoms", len(net.PairStart), len(net.UnaryStart), len(net.Pairs), net.NumAtoms)
	}
	ascending := func(lits []network.Lit, least int) {
		check.AtLeast(t, len(lits), least, "%v, literals", lits)
		for i := 1; i < len(lits); i++ {
			if lits[i-1].Atom() >= lits[i].Atom() {
				t.Errorf("%v: not ascending", lits)
			}
		}
	}
	for _, c := range net.Conjunctions {
		ascending(c.Lits, 3)
	}
	for _, c := range net.Clauses {
		ascending(c, 1)
	}
}

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

// Samples of networks in which the shares of heads stand in incidence matrices have the distribution that the definition
// gives.
func TestGrounder_SharesInIncidences(t *testing.T) {
	t.Parallel()
	sum, n, weighted := 0.0, 0, 0
	for seed := uint64(0); n < 60; seed++ {
		model, db := bilinearTask(rand.New(rand.NewPCG(seed, 33)), true)
		c := jointest.Load(t, model, db)
		queries := c.World(0).QueryAtoms(oracle.Rules{UnknownExist: true})
		if len(queries) > 14 {
			continue
		}
		weights := make([]float64, len(c.Model.Formulas))
		for i, f := range c.Model.Formulas {
			f.Weight *= 3
			weights[i] = f.Weight
		}
		d, err := c.World(0).Enumerate(c.Model.Formulas, nil, oracle.Rules{UnknownExist: true})
		check.OK(t, err)
		net := networkOf(t, c, ground.Predicting, ground.ForceFactoring)
		for i := range net.Incidences {
			if net.Incidences[i].Mult != nil {
				weighted++
			}
		}
		var m loglinear.Model
		m.Reset(net, weights)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples = mcsat.MethodMCSAT, 4000
		got := make([]float64, net.NumAtoms)
		check.OK(t, check.Err(new(mcsat.Inference).Marginals(got, &m, opt, []*rand.Rand{rand.New(rand.NewPCG(seed, 1))})))
		for i, p := range d.Marginals() { // all atoms are free
			d := math.Abs(got[i] - p)
			if sum, n = sum+d, n+1; d > 0.05 {
				t.Errorf("seed %d, atom %d: got %v, want %v\n%s", seed, i, got[i], p, c.Text)
			}
		}
	}
	if sum/float64(n) > 0.005 || weighted < 5 {
		t.Errorf("got mean error %v of %d atoms, with %d weighted incidences", sum/float64(n), n, weighted)
	}
}
