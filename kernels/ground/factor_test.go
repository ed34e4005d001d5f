package ground_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// meetingTask writes formulas whose two target atoms meet in shared entities, in every form that has a factored route,
// and facts dense enough that they do.
func meetingTask(r *rand.Rand) (model, db string) {
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
	products := 0
	for seed := range uint64(250) {
		r := rand.New(rand.NewPCG(seed, 31))
		model, db := meetingTask(r)
		c := load(t, model, db)
		for _, mode := range []ground.Mode{ground.Learning, ground.Predicting, ground.Conditioning} {
			listed := networkOf(t, c, mode, func(p *ground.Program) { p.Factoring = ground.FactorNever })
			if len(listed.Products) > 0 {
				t.Fatalf("seed %d: got products, want none", seed)
			}
			for name, set := range map[string]func(p *ground.Program){
				"forced": ground.ForceFactoring,
				"always": func(p *ground.Program) { p.Factoring = ground.FactorAlways },
			} {
				net := networkOf(t, c, mode, set)
				checkShape(t, net)
				products += len(net.Products)
				for range 10 {
					x := randomState(r, net.NumAtoms)
					if diff := cmp.Diff(countsOf(t, net, x), countsOf(t, listed, x)); diff != "" {
						t.Fatalf("seed %d, mode %d, %s, state %v (-got +want):\n%s\n%s", seed, mode, name, x, diff, c.Text)
					}
				}
			}
		}
	}
	if products < 500 {
		t.Errorf("got %d products in all: too few to tell", products)
	}
}

// The factored counts on the data are the oracle's.
func TestGrounder_FactoredCountsMatchNaive(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, seed uint64, c *task) {
		t.Helper()
		g := forced(c)
		for i, sub := range c.Subs {
			net, atoms, err := g.Ground(sub)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, c.Text)
			}
			got, want := countsOf(t, net, atoms.Data()), c.world(i).Counts(c.Model.Formulas)
			if diff := cmp.Diff(got, want); diff != "" {
				t.Fatalf("seed %d, %s (-got +want):\n%s\n%s", seed, sub.Name, diff, c.Text)
			}
		}
	}
	for seed := range uint64(200) {
		model, db := meetingTask(rand.New(rand.NewPCG(seed, 32)))
		check(t, seed, load(t, model, db))
	}
}

func forced(c *task) *ground.Grounder {
	p := ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)
	ground.ForceFactoring(p)
	return ground.NewGrounder(p)
}

func networkOf(t *testing.T, c *task, mode ground.Mode, set func(p *ground.Program)) *ground.Network {
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
func diffNetworks(want, got *ground.Network) string {
	if reflect.DeepEqual(filled(want), filled(got)) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// filled is a network without lists that are empty but not nil.
func filled(net *ground.Network) ground.Network {
	out := *net
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

func countsOf(t *testing.T, net *ground.Network, x []bool) []int64 {
	t.Helper()
	got := make([]int64, len(net.Constant))
	if err := mcsat.Counts(got, net, x); err != nil {
		t.Fatal(err)
	}
	return got
}
