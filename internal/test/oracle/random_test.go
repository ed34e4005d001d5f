package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
)

func TestRandomTask_Parses(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]oracle.TaskOptions{
		"candidates":   {},
		"known":        {Known: true, Entities: 3},
		"formulas":     {General: true},
		"hard":         {General: true, Hard: true},
		"counts":       {Counts: true, Formulas: 10},
		"trees, count": {General: true, Counts: true, Formulas: 10},
		"aggregates":   {Counts: true, Aggregates: true, Formulas: 10},
		"trees, aggr.": {General: true, Shapes: true, Counts: true, Aggregates: true, Formulas: 10},
		"many, larger": {General: true, Formulas: 20, Subgraphs: 5, Entities: 8, MaxAtoms: 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(150) {
				task := random(t, seed, 1, opt)
				if opt.General {
					checkSize(t, seed, task, max(opt.MaxAtoms, 9))
					continue
				}
				if _, warnings, err := mln.Candidates(task.Model); err != nil || len(warnings) > 0 {
					t.Fatalf("seed %d: candidates: %v %v\n%s", seed, err, warnings, task.Text)
				}
			}
		})
	}
}

func checkSize(t *testing.T, seed uint64, c *jointest.Task, most int) {
	t.Helper()
	for i := range c.Plain {
		w := c.World(i)
		check.AtMost(t, len(w.QueryAtoms(oracle.Rules{UnknownExist: true})), most, "seed %d, %s, query atoms", seed, c.Plain[i].Name)
	}
}

func TestRandomTask_IsVaried(t *testing.T) {
	t.Parallel()
	var texts strings.Builder
	for seed := range uint64(100) {
		for _, opt := range []oracle.TaskOptions{{}, {General: true, Hard: true}} {
			model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, 2)), opt)
			texts.WriteString(model + db)
		}
	}
	for _, part := range []string{
		"\nitem = {", "\nuser = {", "\ntarget act(item)\n", "\ntarget act(item, user)\n", "\ntarget listed pick(", "\ntarget listed rate(",
		"EXIST ", "FORALL ", " <=> ", " v ", " != ", " = ", "@center", "!act(", "\n?act(", "\n!act(", "\n?pick(", "\n!pick(", "\n!link(",
		"link(x, x)", "A9", "@entity", ").\n", "EXIST x", "EXIST q2, q3",
	} {
		check.AtLeast(t, strings.Count(texts.String(), part), 5, "%q, times", part)
	}
}

// Hard formulas may be satisfiable or not; both must occur.
func TestRandomTask_HardFormulas(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	for seed := range uint64(40) {
		c := random(t, seed, 3, oracle.TaskOptions{General: true, Hard: true, Formulas: 4})
		for i := range c.Plain {
			w := c.World(i)
			_, err := w.Enumerate(c.Model.Formulas, nil, oracle.Rules{UnknownExist: true})
			outcomes[fmt.Sprint(err)]++
		}
	}
	if outcomes["<nil>"] < 30 || outcomes[oracle.ErrUnsatisfiable.Error()] < 2 {
		t.Errorf("outcomes of inference: got %v, want at least 30 answers and 2 contradictions", outcomes)
	}
}

func TestRandomTask_SameSeed(t *testing.T) {
	t.Parallel()
	m1, d1 := oracle.RandomTask(rand.New(rand.NewPCG(5, 5)), oracle.TaskOptions{General: true})
	m2, d2 := oracle.RandomTask(rand.New(rand.NewPCG(5, 5)), oracle.TaskOptions{General: true})
	if m1 != m2 || d1 != d2 {
		t.Errorf("got different texts from equal seeds")
	}
}

// random generates a task.
func random(tb testing.TB, seed, stream uint64, opt oracle.TaskOptions) *jointest.Task {
	tb.Helper()
	model, db := oracle.RandomTask(rand.New(rand.NewPCG(seed, stream)), opt)
	return jointest.Load(tb, model, db)
}

// atomName formats an atom as in the cases.
func atomName(c *jointest.Task, a oracle.Atom) string {
	return fmt.Sprintf("%s(%s)", c.Model.Schema.Predicates[a.Pred].Name, strings.Join(a.Args, ", "))
}

func weights(fs []*mln.Formula) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = f.Weight
	}
	return out
}
