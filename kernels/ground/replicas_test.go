package ground_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
	"resolwe/kernels/network"
)

// likedFacts returns random facts in which the topics that have atoms have those of the same users.
func likedFacts(r *rand.Rand, topics, users int, signs []string) string {
	var b strings.Builder
	for u := range users {
		fmt.Fprintf(&b, "@entity user U%d\n", u)
		for z := range users {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "talk(U%d, U%d)\n", u, z)
			}
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "active(U%d)\n", u)
		}
	}
	known := make([]bool, users)
	for u := range known {
		known[u] = r.IntN(5) > 0
	}
	for t := range topics {
		fmt.Fprintf(&b, "@entity topic T%d\n", t)
		bare := r.IntN(4) == 0
		for u := range users {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "edit(T%d, U%d)\n", t, u)
			}
			if known[u] && !bare {
				fmt.Fprintf(&b, "%slikes(T%d, U%d)\n", signs[r.IntN(len(signs))], t, u)
			}
		}
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "page(T%d)\n", t)
		}
	}
	return b.String()
}

// A network that is built once and repeated is the one whose parts are built each.
func TestGrounder_Replicas(t *testing.T) {
	t.Parallel()
	const factors = `edit(p, u) ^ edit(p, z) ^ likes(t, u) => likes(t, z)
edit(p, u) ^ edit(p, z) ^ !likes(t, u) ^ likes(t, z)
talk(u, w) ^ talk(w, z) => likes(t, z) v likes(t, u)
edit(p, u) ^ page(p) ^ edit(p, z) => (likes(t, u) <=> likes(t, z))
1 mean: edit(p, u) ^ edit(p, z) ^ likes(t, u) ^ likes(t, z)
1 mean: talk(u, w) ^ talk(w, z) ^ !likes(t, z) ^ likes(t, u)
1 mean: talk(z, u) ^ active(v) ^ likes(t, u) ^ !likes(t, z)
`
	grounders := map[*ground.Program]int{} // their replicas
	for seed := range uint64(18) {
		r := rand.New(rand.NewPCG(seed, 81))
		signs := [][]string{{"", "!"}, {"", "!", "?"}}[seed%2]
		topics, users := 2+r.IntN(4), 1+r.IntN(20)
		model := indexedModel + factors
		if seed%3 == 0 {
			model = strings.Replace(model, "target listed", "target", 1)
		}
		c := jointest.Load(t, model, likedFacts(r, topics, users, signs))
		for name, set := range map[string]func(*ground.Program){
			"default": func(*ground.Program) {},
			"never":   func(p *ground.Program) { p.Factoring = ground.FactorNever },
			"always":  func(p *ground.Program) { p.Factoring = ground.FactorAlways },
			"forced":  ground.ForceFactoring,
		} {
			for _, mode := range []ground.Mode{ground.Learning, ground.Predicting, ground.Conditioning} {
				want := networkOf(t, c, mode, func(p *ground.Program) { set(p); ground.ForbidReplicas(p) })
				p := ground.Compile(&c.Model.Schema, c.Model.Formulas, mode)
				set(p)
				g := ground.NewGrounder(p)
				for range 2 {
					got, _, err := g.Ground(c.Subs[0])
					check.OK(t, err)
					check.MustNoDiff(t, diffNetworks(want, got), "seed %d, %s, mode %d (-want +got) of\n%s", seed, name, mode, c.Text)
				}
				grounders[p] = ground.Replicas(g)
			}
		}
	}
	several := 0
	for _, replicas := range grounders {
		if replicas > 1 {
			several++
		}
	}
	if got, want := several, len(grounders)/4; got < want {
		t.Errorf("got %d networks that are replicas, want at least %d", got, want)
	}
}

// Where a multiplicity is too large for entities and bundles, pairs are listed one by one, of each replica.
func TestGrounder_ReplicasOfLargeCounts(t *testing.T) {
	t.Parallel()
	var chain strings.Builder
	from := "u"
	for i := range 13 {
		fmt.Fprintf(&chain, "talk(%s, k%d) ^ ", from, i)
		from = fmt.Sprint("k", i)
	}
	model := "talk(user, user)\ntarget listed likes(topic, user)\n" + chain.String() + "talk(" + from + ", z) ^ likes(t, u) ^ likes(t, z)\n"
	var db strings.Builder
	for u := range 6 {
		for z := range 6 {
			fmt.Fprintf(&db, "talk(U%d, U%d)\n", u, z)
		}
		fmt.Fprintf(&db, "likes(T0, U%d)\n!likes(T1, U%d)\n", u, u)
	}
	c := jointest.Load(t, model, db.String())
	net := networkOf(t, c, ground.Learning, func(*ground.Program) {})
	const want = 2 * 13060694016 // 6^13, both ways
	if got := net.PairCoefs; len(got) != 30 || slices.ContainsFunc(got, func(k network.Coef) bool { return k.Mult != want }) {
		t.Errorf("got %v, want 30 times %d", got, want)
	}
	each := networkOf(t, c, ground.Learning, ground.ForbidReplicas)
	check.NoDiff(t, diffNetworks(each, net), "(-want +got)")
}
