package ground_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/ground"
)

// A grounder gives the same networks whatever it has grounded before.
func TestGrounder_Again(t *testing.T) {
	t.Parallel()
	m := jointest.WikiCollabsModel(t, "")
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 71))
		world := jointest.WikiCollabs(&m.Schema, r, jointest.Size{Articles: 80, Users: 60, Targets: 5})
		var subs []*subgraph.Subgraph
		for i := range 6 {
			subs = append(subs, jointest.Induce(&m.Schema, r, world, fmt.Sprint("s", i), 0.3+0.6*r.Float64()))
		}
		checkAgain(t, seed, m, subs)
	}
	for seed := range uint64(30) {
		text, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 72)), taskOptions["many"])
		c := jointest.Load(t, text, db)
		checkAgain(t, seed, c.Model, c.Subs)
	}
}

func checkAgain(t *testing.T, seed uint64, m *mln.Model, subs []*subgraph.Subgraph) {
	t.Helper()
	for name, set := range map[string]func(*ground.Program){
		"default": func(*ground.Program) {},
		"forced":  ground.ForceFactoring,
	} {
		for _, mode := range []ground.Mode{ground.Learning, ground.Conditioning} {
			p := ground.Compile(&m.Schema, m.Formulas, mode)
			set(p)
			g := ground.NewGrounder(p)
			for range 2 {
				for _, sub := range subs {
					want, atoms, err := ground.NewGrounder(p).Ground(sub)
					got, reused, err2 := g.Ground(sub)
					if errors.Is(err, ground.ErrViolated) && errors.Is(err2, ground.ErrViolated) {
						continue
					}
					if err != nil || err2 != nil {
						t.Fatalf("seed %d, %s: %v, %v", seed, sub.Name, err, err2)
					}
					diff := diffNetworks(want, got) + cmp.Diff(namesOf(atoms), namesOf(reused))
					if diff != "" {
						t.Fatalf("seed %d, %s, %s, mode %d (-want +got):\n%s", seed, sub.Name, name, mode, diff)
					}
				}
			}
		}
	}
}

// namesOf lists the free atoms with what the data says of them.
func namesOf(atoms *ground.Atoms) []string {
	var names []string
	for a, truth := range atoms.Data() {
		names = append(names, fmt.Sprint(atoms.Name(atoms.Query(a)), truth))
	}
	return names
}

// Where a listed target has all its atoms, entities and pairs are what the relations list.
func TestGrounder_WholeLists(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 73))
		model, db := bilinearTask(r, seed%2 == 0)
		model = strings.Replace(model, "target on(", "target listed on(", 1) +
			"0.3 knows(u, w) ^ on(t, u) => on(t, w)\n0.2 edit(z, u) ^ edit(z, w) ^ link(t, t2) ^ on(t, u) => on(t2, w)\n"
		c := jointest.Load(t, model, completed(r, db))
		listed := networkOf(t, c, ground.Learning, func(p *ground.Program) {
			p.Factoring = ground.FactorNever
			ground.ForceBinding(p)
		})
		for name, set := range map[string]func(*ground.Program){
			"forced": ground.ForceFactoring,
			"never":  func(p *ground.Program) { p.Factoring = ground.FactorNever },
		} {
			net := networkOf(t, c, ground.Learning, set)
			checkShape(t, net)
			for range 10 {
				x := randomState(r, net.NumAtoms)
				check.MustNoDiff(t, cmp.Diff(countsOf(t, net, x), countsOf(t, listed, x)), "seed %d, %s, state %v (-got +want) of\n%s", seed, name, x, c.Text)
			}
		}
		got, want := valuesOf(t, listed, dataOf(t, c)), c.World(0).Values(c.Model.Formulas)
		check.MustNoDiff(t, cmp.Diff(got, want, nearValues), "seed %d (-got +want) of\n%s", seed, c.Text)
	}
}

// completed states nearly all atoms of on(page, user), none of them unknown.
func completed(r *rand.Rand, db string) string {
	db = strings.ReplaceAll(db, "?on(", "!on(")
	var b strings.Builder
	for p := range strings.Count(db, "@entity page") {
		for u := range strings.Count(db, "@entity user") {
			if atom := fmt.Sprintf("on(P%d, U%d)", p, u); !strings.Contains(db, atom) && r.IntN(20) > 0 {
				fmt.Fprintln(&b, "!"+atom)
			}
		}
	}
	return db + b.String()
}

func dataOf(t *testing.T, c *jointest.Task) []bool {
	t.Helper()
	_, atoms, err := ground.NewGrounder(ground.Compile(&c.Model.Schema, c.Model.Formulas, ground.Learning)).Ground(c.Subs[0])
	check.OK(t, err)
	return atoms.Data()
}
