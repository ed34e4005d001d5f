package selection_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/wire"
	"resolwe/kernels/selection"
)

// Sums of a part of the subgraphs each, that have travelled as bytes, are the totals of one counter, in any order.
func TestSums(t *testing.T) {
	t.Parallel()
	m, cands := wikiCollabs(t)
	subs := pieces(m, 6)
	for _, crit := range criteria {
		task := compile(t, &m.Schema, cands, crit)
		want := totals(t, task, subs)
		sum := task.NewSums()
		for _, i := range rand.New(rand.NewPCG(1, uint64(crit))).Perm(len(subs)) {
			c := selection.NewCounter(task)
			check.OK(t, c.Add(subs[i]))
			w := wire.NewWriter("")
			c.Totals.Write(w)
			r := wire.NewReader(w.Sealed(), "")
			part := selection.ReadSums(r)
			if !r.Done() {
				t.Error("not all was read")
			}
			check.OK(t, sum.Add(part))
		}
		check.Equal(t, fmt.Sprintf("%v", crit), fmt.Sprintf("%+v", sum), want)
	}
}

func TestSums_Others(t *testing.T) {
	t.Parallel()
	m, cands := wikiCollabs(t)
	sum := compile(t, &m.Schema, cands, selection.Paper).NewSums()
	for name, other := range map[string]selection.Sums{
		"fewer":     compile(t, &m.Schema, cands[1:], selection.Paper).NewSums(),
		"criterion": compile(t, &m.Schema, cands, selection.KL).NewSums(),
	} {
		check.ErrorIs(t, sum.Add(other), selection.ErrSums, "%s", name)
	}
	for name, numbers := range map[string][]uint64{
		"cut": {1, 0, 0, 5}, "a literal alone": {1, 1, 0}, "too many literals": {1, 200, 0}, "patterns": {1, 2, 3}, "no words": {1, 0, 0},
		"half a shape": {1, 0},
	} {
		w := wire.NewWriter("")
		for _, v := range numbers {
			w.Uint(v)
		}
		r := wire.NewReader(w.Sealed(), "")
		if selection.ReadSums(r); r.Good() {
			t.Errorf("%s: no error", name)
		}
	}
}
