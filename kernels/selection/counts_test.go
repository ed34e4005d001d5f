package selection_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/naive"
	"resolwe/kernels/selection"
)

var criteria = []selection.Criterion{selection.Paper, selection.Lift, selection.KL}

// compile prepares candidates and reports an error as the test's.
func compile(tb testing.TB, schema *mln.Schema, cands []*mln.Candidate, crit selection.Criterion) *selection.Task {
	tb.Helper()
	task, err := selection.Compile(schema, cands, crit)
	check.OK(tb, err)
	return task
}

// totals counts subgraphs as they are.
func totals(tb testing.TB, task *selection.Task, subs []*subgraph.Subgraph) string {
	tb.Helper()
	c := selection.NewCounter(task)
	for _, s := range subs {
		check.OK(tb, c.Add(s))
	}
	return fmt.Sprintf("%+v", c.Totals)
}

// pieces makes subgraphs of one world.
func pieces(m *mln.Model, seed uint64) []*subgraph.Subgraph {
	r := rand.New(rand.NewPCG(seed, 13))
	world := jointest.WikiCollabs(&m.Schema, r, jointest.Size{Articles: 150, Users: 300, Targets: 9})
	var subs []*subgraph.Subgraph
	for i := range 4 {
		subs = append(subs, jointest.Induce(&m.Schema, r, world, fmt.Sprint("s", i), 0.95))
	}
	return subs
}

// What subgraphs share may be left out of them.
func TestCounter_Shared(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		model, db := naive.RandomTask(rand.New(rand.NewPCG(seed, 14)), naive.TaskOptions{Subgraphs: 2})
		c := load(t, model, db)
		shared := jointest.Share(&c.Model.Schema, c.Subs, nil)
		for _, crit := range criteria {
			task := compile(t, &c.Model.Schema, c.cands, crit)
			if got, want := totals(t, task, shared), totals(t, task, c.Subs); got != want {
				t.Fatalf("seed %d, %v: got\n%s, want\n%s\n%s", seed, crit, got, want, c.Text)
			}
		}
	}
}

func TestCounter_Shared_WikiCollabs(t *testing.T) {
	t.Parallel()
	m, cands := wikiCollabs(t)
	task := compile(t, &m.Schema, cands, selection.Paper)
	for seed := range uint64(3) {
		subs := pieces(m, seed)
		shared := jointest.Share(&m.Schema, subs, nil)
		check.Is(t, totals(t, task, shared), totals(t, task, subs), "seed %d", seed)
	}
}
