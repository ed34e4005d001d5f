package ground_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// indexedModel has formulas of each shape with an index-driven route.
const indexedModel = `
page(topic)
edit(topic, user)
talk(user, user)
active(user)
target listed likes(topic, user)

likes(t, u)
!likes(t, u)
active(u) => likes(t, u)
page(t) ^ active(u) ^ likes(t, u)
page(t) ^ edit(t, u) => likes(t, u)
edit(t, u) ^ talk(u, z) ^ likes(t, u)
edit(t, z) ^ talk(z, u) ^ active(z) => !likes(t, u)
page(z) ^ !edit(t, u) ^ likes(t, u)
talk(u, z) ^ likes(t, z) => likes(t, u)
talk(u, z) ^ likes(t, u) ^ likes(t, z)
talk(u, z) ^ !likes(t, z) => likes(t, u)
talk(u, z) => (likes(t, u) <=> likes(t, z))
talk(u, z) ^ talk(z, u) ^ !(likes(t, u) ^ likes(t, z))
page(p) ^ u != z ^ likes(t, u) ^ !likes(t, z)
1 mean: talk(u, z) ^ likes(t, u) ^ likes(t, z)
1 mean: talk(z, u) ^ likes(t, u) ^ likes(t, z)
1 mean: page(p) ^ talk(u, z) ^ likes(t, u) ^ likes(t, z)
1 mean: u != z ^ !likes(t, u) ^ likes(t, z)
1 mean: talk(u, z) ^ talk(z, u) ^ likes(t, u) ^ !likes(t, z)
0.5 log: talk(u, z) ^ edit(t, u) ^ likes(t, u)
`

// andUnary adds, for each formula over two atoms, the same one over a unary target, and facts of that.
func andUnary(r *rand.Rand, model, facts string) (string, string) {
	m, f := strings.Builder{}, strings.Builder{}
	fmt.Fprintf(&m, "target%s keen(user)\n", []string{"", " listed"}[r.IntN(2)])
	for line := range strings.Lines(model) {
		m.WriteString(line)
		if strings.Contains(line, "likes(t, u)") && strings.Contains(line, "likes(t, z)") {
			m.WriteString(strings.ReplaceAll(line, "likes(t, ", "keen("))
		}
	}
	for u := range 6 {
		if sign := r.IntN(5); sign < 4 {
			fmt.Fprintf(&f, "%skeen(U%d)\n", []string{"", "", "!", "?"}[sign], u)
		}
	}
	return m.String(), facts + f.String()
}

// indexedFacts returns random facts, with atoms that are true, false, unknown and not there.
func indexedFacts(r *rand.Rand) string {
	topics, users := 1+r.IntN(4), 1+r.IntN(6)
	var b strings.Builder
	line := func(p float64, format string, args ...any) {
		if r.Float64() < p {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	fmt.Fprintln(&b, "@entity topic T0\n@entity user U0")
	for t := range topics {
		line(0.6, "page(T%d)", t)
		for u := range users {
			line(0.4, "edit(T%d, U%d)", t, u)
			if sign := r.IntN(5); sign < 4 {
				line(1, "%slikes(T%d, U%d)", []string{"", "", "!", "?"}[sign], t, u)
			}
		}
	}
	for u := range users {
		line(0.5, "active(U%d)", u)
		for z := range users {
			line(0.4, "talk(U%d, U%d)", u, z)
		}
	}
	return b.String()
}

var directModes = map[string]ground.Mode{
	"learning": ground.Learning, "predicting": ground.Predicting, "conditioning": ground.Conditioning,
}

// The index-driven routes give the same network as binding the variables one by one.
func TestGrounder_Direct(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		model := indexedModel
		if seed%3 == 0 {
			model = strings.Replace(model, "target listed", "target", 1)
		}
		r := rand.New(rand.NewPCG(seed, 61))
		facts := indexedFacts(r)
		if seed%2 == 0 {
			model, facts = andUnary(r, model, facts)
		}
		c := jointest.Load(t, model, facts)
		for name, mode := range directModes {
			got := networkOf(t, c, mode, func(p *ground.Program) {
				check.MustIs(t, ground.Indexed(p), len(c.Model.Formulas), "direct route for formulas")
			})
			want := networkOf(t, c, mode, ground.ForceBinding)
			check.MustNoDiff(t, diffNetworks(want, got), "seed %d, %s (-want +got)", seed, name)
		}
	}
}

// A formula over many atoms of one entity gets the same terms as its variables bound one by one.
func TestGrounder_DirectRuns(t *testing.T) {
	t.Parallel()
	const topics, users = 3, 1500 // more than are written at a time
	r := rand.New(rand.NewPCG(1, 65))
	var db strings.Builder
	for t := range topics {
		fmt.Fprintf(&db, "page(T%d)\n", t)
		for u := range users {
			fmt.Fprintf(&db, "%slikes(T%d, U%d)\n", []string{"", "!"}[r.IntN(2)], t, u)
			if r.IntN(3) == 0 {
				fmt.Fprintf(&db, "edit(T%d, U%d)\n", t, u)
			}
		}
	}
	for u := range users {
		fmt.Fprintf(&db, "talk(U%d, U%d)\n", u, r.IntN(users))
		fmt.Fprintf(&db, "meet(U%d, U%d)\nmeet(U%d, U%d)\n", u, r.IntN(users/10), r.IntN(users/10), u)
	}
	c := jointest.Load(t, `page(topic)
edit(topic, user)
talk(user, user)
meet(user, user)
target listed likes(topic, user)

likes(t, u)
edit(t, u) => likes(t, u)
edit(t, z) ^ talk(z, u) ^ meet(u, z) => likes(t, u)
edit(t, z) ^ talk(u, z) ^ meet(z, u) => likes(t, u)
edit(t, u) ^ talk(u, z) ^ !likes(t, u)
edit(t, z) ^ talk(z, u) => likes(t, u)
edit(t, z) ^ talk(z, u) ^ !likes(t, u)
talk(u, z) ^ likes(t, u) => likes(t, z)
page(p) ^ edit(t, u) ^ likes(t, u)
`, db.String())
	for name, forbid := range map[string]func(*ground.Program){"replicas": func(*ground.Program) {}, "each": ground.ForbidReplicas} {
		got := networkOf(t, c, ground.Learning, forbid)
		want := networkOf(t, c, ground.Learning, ground.ForceBinding)
		check.NoDiff(t, diffNetworks(want, got), "%s (-want +got)", name)
	}
}

// Counts that are too large for bytes, or for 16 bits, are added up in more.
func TestGrounder_LargeSums(t *testing.T) {
	t.Parallel()
	const topics, kinds, users = 280, 260, 4 // 280 * 260 > 65535
	var db strings.Builder
	for p := range topics {
		for k := range kinds {
			fmt.Fprintf(&db, "kind(T%d, K%d)\n", p, k)
		}
		for u := range users {
			fmt.Fprintf(&db, "edit(T%d, U%d)\n", p, u)
		}
	}
	for u := range users {
		fmt.Fprintf(&db, "talk(U%d, U0)\n!likes(T0, U%d)\nlikes(T1, U%d)\n", u, u, u)
	}
	c := jointest.Load(t, `kind(topic, kind)
edit(topic, user)
talk(user, user)
target listed likes(topic, user)

kind(t, k) ^ kind(p, k) ^ edit(p, u) ^ likes(t, u)
edit(t, z) ^ edit(p, z) ^ edit(p, u) ^ likes(t, u)
kind(t, k) ^ kind(p, k) ^ edit(p, z) ^ talk(z, u) ^ likes(t, u)
`, db.String())
	shared := jointest.Share(&c.Model.Schema, c.Subs, nil)
	for name, sub := range map[string]*subgraph.Subgraph{"complete": c.Subs[0], "shared": shared[0]} {
		g := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning))
		net := groundNetwork(t, g, sub)
		for a := range net.NumAtoms {
			got := net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]]
			want := []network.Coef{{Formula: 0, Mult: topics * kinds}, {Formula: 1, Mult: topics * users}}
			if a%users == 0 { // to whom all talk
				want = append(want, network.Coef{Formula: 2, Mult: topics * kinds * users})
			}
			check.Equal(t, fmt.Sprintf("%s, atom %d", name, a), got, want)
		}
	}
}

// What a subgraph shares without its tables gives the same network as the tables.
func TestGrounder_Shared(t *testing.T) {
	t.Parallel()
	m := jointest.WikiCollabsModel(t, "")
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 62))
		world := jointest.WikiCollabs(&m.Schema, r, jointest.Size{Articles: 60, Users: 40, Targets: 5})
		var complete []*subgraph.Subgraph
		for i := range 3 {
			complete = append(complete, jointest.Induce(&m.Schema, r, world, fmt.Sprint("s", i), 0.8))
		}
		shared := jointest.Share(&m.Schema, complete, nil)
		g := ground.NewGrounder(ground.Compile(&m.Schema, m.Formulas, ground.Learning))
		for i := range complete {
			if got, want := groundNetwork(t, g, shared[i]), groundNetwork(t, g, complete[i]); !cmp.Equal(got, want) {
				t.Fatalf("seed %d, %s (-want +got):\n%s", seed, complete[i].Name, cmp.Diff(want, got))
			}
		}
	}
}

// Rows of products that are built together are those that each formula gets by itself.
func TestGrounder_Batches(t *testing.T) {
	t.Parallel()
	m := jointest.WikiCollabsModel(t, "")
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 64))
		world := jointest.WikiCollabs(&m.Schema, r, jointest.Size{Articles: 60, Users: 40, Targets: 5})
		sub := jointest.Induce(&m.Schema, r, world, "s", 0.9)
		shared := jointest.Share(&m.Schema, []*subgraph.Subgraph{sub}, nil)[0]
		bound := ground.Compile(&m.Schema, m.Formulas, ground.Learning)
		ground.ForceBinding(bound)
		want := groundNetwork(t, ground.NewGrounder(bound), sub)
		g := ground.NewGrounder(ground.Compile(&m.Schema, m.Formulas, ground.Learning))
		if got := groundNetwork(t, g, sub); !cmp.Equal(got, want) {
			t.Errorf("seed %d (-want +got):\n%s", seed, cmp.Diff(want, got))
		}
		if got := groundNetwork(t, g, shared); !cmp.Equal(got, want) {
			t.Errorf("seed %d, shared (-want +got):\n%s", seed, cmp.Diff(want, got))
		}
	}
}

// A multiplicity beyond 2^31 - 1 is exact too, where pairs are neither factored nor listed together.
func TestGrounder_LargeMultiplicities(t *testing.T) {
	t.Parallel()
	const users = 80
	var db strings.Builder
	for u := range users {
		for w := range users {
			fmt.Fprintf(&db, "knows(U%d, U%d)\n", u, w)
		}
	}
	db.WriteString("likes(T0, U0)\nlikes(T0, U1)\n!likes(T0, U2)\n")
	c := jointest.Load(t, `knows(user, user)
target listed likes(topic, user)
1 knows(u, a) ^ knows(a, b) ^ knows(b, c) ^ knows(c, d) ^ knows(d, e) ^ knows(e, w) ^ likes(t, u) ^ likes(t, w)
`, db.String())
	for name, factoring := range map[string]ground.Factoring{"always": ground.FactorAlways, "never": ground.FactorNever} {
		net := networkOf(t, c, ground.Learning, func(p *ground.Program) { p.Factoring = factoring })
		got, want := countsOf(t, net, []bool{true, true, false})[0], int64(4*users*users*users*users*users)
		check.Is(t, got, want, "%s, groundings", name)
	}
}

// Products of several shared relations are those of their tables, whatever is kept from one subgraph to the next.
func TestGrounder_SharedChains(t *testing.T) {
	t.Parallel()
	const model = `edit(topic, user)
talk(user, user)
target listed likes(topic, user)

edit(t, z) ^ edit(p, z) ^ edit(p, u) => likes(t, u)
edit(t, z) ^ talk(z, k) ^ talk(k, u) => likes(t, u)
edit(t, z) ^ talk(z, k) ^ talk(k, l) ^ talk(l, u) => likes(t, u)
edit(t, z) ^ talk(z, k) ^ talk(k, l) ^ talk(l, n) ^ talk(n, u) => likes(t, u)
edit(t, z) ^ talk(z, u) ^ talk(u, z) => likes(t, u)
edit(t, z) ^ talk(z, k) ^ talk(k, u) ^ k != u => likes(t, u)
`
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 66))
		users := 10 + r.IntN(25)
		var db strings.Builder
		for u := range users {
			for z := range users {
				if r.IntN(users) < 1+u { // of some few, of others many
					fmt.Fprintf(&db, "talk(U%d, U%d)\n", u, z)
				}
			}
			for p := range 4 {
				fmt.Fprintf(&db, "%sedit(T%d, U%d)\n%slikes(T%d, U%d)\n", []string{"", "//"}[r.IntN(2)], p, u, []string{"", "!"}[r.IntN(2)], p, u)
			}
		}
		c := jointest.Load(t, model, db.String())
		var complete []*subgraph.Subgraph
		for i := range 4 {
			complete = append(complete, jointest.Induce(&c.Model.Schema, r, c.Subs[0], fmt.Sprint("s", i), 0.8))
		}
		shared := jointest.Share(&c.Model.Schema, complete, nil)
		g := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning))
		bound := ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)
		ground.ForceBinding(bound)
		for i := range complete {
			more := make([][]string, len(c.Model.Schema.Types)) // entities that the base lacks
			for typ := range more {
				more[typ] = []string{"X1", "X2"}[:r.IntN(3)]
			}
			got := groundNetwork(t, g, jointest.WithConstants(shared[i], more))
			want := groundNetwork(t, ground.NewGrounder(bound), jointest.WithConstants(complete[i], more))
			check.NoDiff(t, diffNetworks(want, got), "seed %d, %s (-want +got)", seed, complete[i].Name)
		}
	}
}

// A formula that reads evidence outside of its selector needs the tables.
func TestGrounder_SharedEvidence(t *testing.T) {
	t.Parallel()
	c := jointest.Load(t, indexedModel+"\n(likes(t, u) ^ edit(t, u)) v (likes(t, z) ^ talk(u, z))\n", indexedFacts(rand.New(rand.NewPCG(1, 63))))
	shared := jointest.Share(&c.Model.Schema, c.Subs, nil)
	g := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning))
	if got, want := groundNetwork(t, g, shared[0]), groundNetwork(t, g, c.Subs[0]); !cmp.Equal(got, want) {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func groundNetwork(t *testing.T, g *ground.Grounder, sub *subgraph.Subgraph) *network.Network {
	t.Helper()
	net, _, err := g.Ground(sub)
	check.OK(t, err)
	return net
}
