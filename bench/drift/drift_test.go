package drift_test

import (
	"io"
	"math"
	"testing"

	"resolwe/bench/drift"
	"resolwe/examples"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

func schema(t *testing.T) *mln.Schema {
	t.Helper()
	src, err := examples.FS.ReadFile("drift/drift.mln")
	check.OK(t, err)
	m, err := mln.Parse("drift.mln", src, mln.Options{})
	check.OK(t, err)
	return &m.Schema
}

// rates returns the share of buyers among those who read and do not cook, and the reverse, in a part of a stream; and of readers.
func rates(t *testing.T, opt drift.Options, from, to int) (reads, cooks, readers float64) {
	t.Helper()
	s := schema(t)
	is := func(sub *subgraph.Subgraph, name string, i int) float64 {
		for _, id := range sub.Relations[s.Predicate(name)].True.Cols[0] {
			if int(id) == i {
				return 1
			}
		}
		return 0
	}
	var buyers, all [2]float64
	persons := 0.
	_, err := drift.Generate(s, opt, func(sub *subgraph.Subgraph) error {
		check.OK(t, facts.Write(io.Discard, sub, s))
		if sub.Index < from || sub.Index >= to {
			return nil
		}
		for i := range sub.Domains[0].Size {
			r, c, b := is(sub, "reads", i), is(sub, "cooks", i), is(sub, "buys", i)
			for k, in := range []float64{r * (1 - c), c * (1 - r)} {
				buyers[k] += in * b
				all[k] += in
			}
			persons++
			readers += r
		}
		return nil
	})
	check.OK(t, err)
	return buyers[0] / all[0], buyers[1] / all[1], readers / persons
}

// The causes are as documented, before and after the change.
func TestGenerate(t *testing.T) {
	t.Parallel()
	const at = 600
	for _, kind := range drift.Kinds {
		opt := drift.Options{Kind: kind, At: at, Subgraphs: 3 * at, Size: 1, Seed: 3}
		reads, cooks, _ := rates(t, opt, 0, at)
		if reads-cooks < .15 {
			t.Errorf("%s, before the change: got %.3f of readers and %.3f of cooks", kind, reads, cooks)
		}
		reads, cooks, readers := rates(t, opt, 2*at, 3*at)
		later := kind == "abrupt" || kind == "gradual"
		if math.Abs(reads-cooks) < .15 || (cooks > reads) != later || (readers > .4) != (kind == "covariate") {
			t.Errorf("%s, after the change: got %.3f of readers and %.3f of cooks, %.3f read", kind, reads, cooks, readers)
		}
	}
	opt := drift.Options{Kind: "recurring", At: at, Subgraphs: 2 * at, Size: 1, Seed: 3}
	if reads, cooks, _ := rates(t, opt, at, 2*at); cooks-reads < .15 {
		t.Errorf("recurring: got %.3f of readers and %.3f of cooks", reads, cooks)
	}
}
