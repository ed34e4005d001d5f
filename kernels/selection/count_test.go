package selection_test

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
	"resolwe/kernels/selection"
)

func TestCounter_MatchesNaive(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]oracle.TaskOptions{
		"small":      {},
		"known":      {Known: true, Entities: 3},
		"larger":     {Entities: 9, Formulas: 4, Subgraphs: 2},
		"tiny":       {Entities: 2, Formulas: 12, Subgraphs: 5},
		"counts":     {Entities: 4, Formulas: 12, Subgraphs: 3, Counts: true},
		"aggregates": {Entities: 4, Formulas: 12, Subgraphs: 3, Counts: true, Aggregates: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dense, sparse := 0, 0
			for seed := range uint64(80) {
				model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 11)), opt)
				d, s := checkCounts(t, load(t, model, db), seed)
				dense, sparse = dense+d, sparse+s
			}
			if dense < 200 || sparse < 5 {
				t.Errorf("got %d candidates counted by rows and %d by enumeration, want both", dense, sparse)
			}
		})
	}
}

// Counting asks whether to go on: where candidates are enumerated, where they are counted by rows, and in what they derive.
func TestCounter_Stops(t *testing.T) {
	t.Parallel()
	var facts strings.Builder
	for i := range 14 {
		for k := range i {
			fmt.Fprintf(&facts, "e(A%d, A%d)\n", k, i)
		}
		fmt.Fprintf(&facts, "q(A%d)\n", i)
	}
	chains := make([]string, 0, 14*15/2) // longer ones than there are
	for i := range 15 {
		for k := range i {
			chains = append(chains, fmt.Sprintf("e(x%d, x%d)", k, i))
		}
	}
	chain, stop := strings.Join(chains, " ^ "), errors.New("stop")
	for name, formula := range map[string]string{
		"enumerated": chain + " => q(x0)",
		"rows":       "q(a) ^ q(b) ^ q(c) ^ q(d) ^ q(g) ^ e(a, h) => q(h)",
		"derived":    "#{x1: " + chain + "} >= 2 => q(x0)",
	} {
		task := load(t, "e(a, a)\ntarget q(a)\n"+formula+"\n", facts.String())
		compiled, err := selection.Compile(&task.Model.Schema, task.cands, selection.Paper)
		check.OK(t, err)
		c := selection.NewCounter(compiled)
		c.Stop(func() error { return stop })
		check.ErrorIs(t, c.Add(task.Subs[0]), stop, "%s", name)
	}
}

// checkCounts holds the counts of a task against the oracle's, and tells how many candidates are counted either way.
func checkCounts(t *testing.T, c *task, seed uint64) (dense, sparse int) {
	t.Helper()
	for _, crit := range []selection.Criterion{selection.Paper, selection.Lift, selection.KL} {
		compiled, err := selection.Compile(&c.Model.Schema, c.cands, crit)
		check.OK(t, err)
		counter := selection.NewCounter(compiled)
		for k, cand := range c.cands {
			if compiled.Dense(k) {
				dense++
			} else {
				sparse++
			}
			for i, sub := range c.Subs {
				wantSelected, wantAll := c.World(i).Selection(cand)
				compare := func(what string, got, full []int64) {
					var want []int64
					for _, m := range compiled.Masks(k) {
						want = append(want, full[m])
					}
					check.MustNoDiff(t, cmp.Diff(got, want), "seed %d, %v, %s, %s in %s (-got +want) of\n%s", seed, crit, what, mln.FormatFormula(cand.Formula), sub.Name, c.Text)
				}
				selected, err := counter.Count(sub, k)
				check.OK(t, err)
				compare("selected", selected, wantSelected)
				if crit == selection.Paper {
					continue
				}
				all, err := counter.Defaults(sub, k)
				check.OK(t, err)
				compare("all", all, wantAll)
			}
		}
	}
	return dense, sparse
}

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
		model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 14)), oracle.TaskOptions{Subgraphs: 2})
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

// task is a model's candidates and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	*jointest.Task
	cands []*mln.Candidate
}

func load(tb testing.TB, model, db string) *task {
	tb.Helper()
	return newTask(tb, jointest.Load(tb, model, db))
}

func newTask(tb testing.TB, t *jointest.Task) *task {
	tb.Helper()
	cands, _, err := mln.Candidates(t.Model)
	if err != nil {
		tb.Fatalf("%v\n%s", err, t.Text)
	}
	return &task{t, cands}
}
