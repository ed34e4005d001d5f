package ground_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
)

// Selectors with literals of three variables, alone and joined, of which one or none is an output.
func TestGrounder_WideSelectorsMatchNaive(t *testing.T) {
	t.Parallel()
	const model = `mark(page, user, tag)
		knows(user, user)
		good(page)
		target listed friend(user)
		0.1 mark(p, u, t) ^ mark(p, U0, t) => friend(u)
		0.2 mark(p, u, t) ^ mark(p, @center, t) ^ knows(u, w) => friend(w)
		0.3 mark(p, u, t) ^ mark(q, u, t) ^ p != q ^ knows(u, z) ^ knows(z, w) ^ friend(w)
		0.4 mark(p, u, t) ^ good(p) ^ knows(w, u) ^ mark(p2, w, t2) => friend(w)
		0.5 mark(p, u, t) ^ knows(u, w) ^ friend(u) => friend(w)
		0.6 mark(p, u, t) ^ knows(u, w) ^ mark(q, w, t) => friend(w)
		0.7 !mark(p, u, T0) ^ mark(p, u, t) ^ knows(u, z) ^ knows(w, z) => friend(w)
		0.8 mark(p, u, t) ^ mark(p, v2, t) ^ good(p) ^ knows(u, w) ^ knows(v2, w) => friend(w)
		0.9 mark(p, u, t) ^ u != U1 ^ knows(u, w) => friend(w) v friend(u)
		`
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 51))
		db := "@subgraph s center=U0\n"
		var b strings.Builder
		for u := range 4 {
			fmt.Fprintf(&b, "%sfriend(U%d)\n", []string{"", "!", "?"}[r.IntN(3)], u)
			for w := range 4 {
				if r.IntN(2) == 0 {
					fmt.Fprintf(&b, "knows(U%d, U%d)\n", u, w)
				}
			}
			for p := range 3 {
				for g := range 2 {
					if r.IntN(3) == 0 {
						fmt.Fprintf(&b, "mark(P%d, U%d, T%d)\n", p, u, g)
					}
				}
			}
		}
		c := jointest.Load(t, model, db+b.String()+"good(P0)\n")
		net, atoms, err := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)).Ground(c.Subs[0])
		check.OK(t, err)
		check.MustNoDiff(t, cmp.Diff(valuesOf(t, net, atoms.Data()), c.World(0).Values(c.Model.Formulas)), "seed %d (-got +want) of\n%s", seed, c.Text)
	}
}
