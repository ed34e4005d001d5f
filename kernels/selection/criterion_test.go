package selection_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/selection"
)

func TestDunning_PublishedValues(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		k11, k12, k21, k22 float64 // of both, the one, the other, neither
		want               float64
	}{
		"the swiss":   {110, 2442, 111, 29114, 270.7219},
		"can be":      {29, 13, 123, 31612, 263.8966},
		"all or none": {1, 0, 0, 1, 2.772589},
		"no relation": {10, 20, 30, 60, 0},
		"never":       {0, 10, 0, 20, 0},
		"always":      {10, 0, 20, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check.Near(t, selection.Dunning(c.k11, c.k11+c.k12, c.k21, c.k21+c.k22), c.want, 5e-5, "Dunning")
		})
	}
}

func TestParseCriterion(t *testing.T) {
	t.Parallel()
	for _, c := range []selection.Criterion{selection.Paper, selection.Lift, selection.KL, selection.LLR} {
		got, err := selection.ParseCriterion(c.String())
		if got != c || err != nil {
			t.Errorf("%v: got %v, %v", c, got, err)
		}
	}
	if got, err := selection.ParseCriterion("chi2"); got != 0 || err == nil {
		t.Errorf("chi2: got %v, %v, want an error", got, err)
	}
}

// counted adds up the first n subgraphs.
func counted(t *testing.T, c *task, crit selection.Criterion, n int) *selection.Counter {
	t.Helper()
	compiled, err := selection.Compile(&c.Model.Schema, c.cands, crit)
	check.OK(t, err)
	counter := selection.NewCounter(compiled)
	for _, sub := range c.Subs[:n] {
		check.OK(t, counter.Add(sub))
	}
	return counter
}

// However a stream is split among counters, and in whatever order, the totals are the same.
func TestCounter_MergeIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 13))
		model, db := oracle.RandomTask(r, oracle.TaskOptions{Subgraphs: 8})
		c := load(t, model, db)
		for _, crit := range []selection.Criterion{selection.Paper, selection.KL, selection.LLR} {
			compiled, err := selection.Compile(&c.Model.Schema, c.cands, crit)
			check.OK(t, err)
			shards := make([]*selection.Counter, 1+r.IntN(4))
			for i := range shards {
				shards[i] = selection.NewCounter(compiled)
			}
			for _, i := range r.Perm(len(c.Subs)) {
				check.OK(t, shards[r.IntN(len(shards))].Add(c.Subs[i]))
			}
			got := selection.NewCounter(compiled)
			for _, i := range r.Perm(len(shards)) {
				check.OK(t, got.Totals.Add(shards[i].Totals))
			}
			want := counted(t, c, crit, len(c.Subs))
			all := cmp.Exporter(func(reflect.Type) bool { return true })
			check.MustEqual(t, fmt.Sprintf("seed %d, %v", seed, crit), got.Totals, want.Totals, all)
		}
	}
}

// A candidate is refused where its target literals are too many to keep counts of their sets.
func TestCompile_TooManyTargets(t *testing.T) {
	t.Parallel()
	c := load(t, "target p(a)\np(x1) ^ p(x2) ^ p(x3) ^ p(x4) ^ p(x5) ^ p(x6) ^ p(x7)\n", "p(A)\n")
	_, err := selection.Compile(&c.Model.Schema, c.cands, selection.Paper)
	const want = "p(x1) ^ p(x2) ^ p(x3) ^ p(x4) ^ p(x5) ^ p(x6) ^ p(x7): 7 literals of target predicates, at most 6 can be counted"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestCounter_Trace(t *testing.T) {
	t.Parallel()
	c := load(t, "e(a)\ntarget p(a)\ne(x) => p(x)\n!e(x) ^ p(x)\n", "p(A)\n")
	compiled, err := selection.Compile(&c.Model.Schema, c.cands, selection.Paper)
	check.OK(t, err)
	counter := selection.NewCounter(compiled)
	var got []int
	counter.Trace = func(i int) { got = append(got, i) }
	check.OK(t, counter.Add(c.Subs[0]))
	check.Equal(t, "traced", got, []int{0, 1})
}
