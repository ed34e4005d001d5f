package selection_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/kernels/join/jointest"
	"resolwe/kernels/selection"
)

// wikiCollabs is the paper's task.
func wikiCollabs(tb testing.TB) (*mln.Model, []*mln.Candidate) {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(jointest.ReadFile(tb, "../join/jointest/testdata/wikicollabs.mln")), mln.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	cands, _, err := mln.Candidates(m)
	if err != nil {
		tb.Fatal(err)
	}
	return m, cands
}

func BenchmarkCounter_Add(b *testing.B) {
	m, cands := wikiCollabs(b)
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Paper)
	for _, crit := range []selection.Criterion{selection.Paper, selection.Lift} {
		b.Run(crit.String(), func(b *testing.B) {
			task, err := selection.Compile(&m.Schema, cands, crit)
			if err != nil {
				b.Fatal(err)
			}
			c := selection.NewCounter(task)
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Add(sub); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// After the first subgraph of a size the counter has all its memory.
func TestCounter_DoesNotAllocate(t *testing.T) {
	m, cands := wikiCollabs(t)
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Size{Articles: 60, Users: 100, Targets: 5})
	for _, crit := range []selection.Criterion{selection.Paper, selection.LLR} {
		task, err := selection.Compile(&m.Schema, cands, crit)
		if err != nil {
			t.Fatal(err)
		}
		c := selection.NewCounter(task)
		if n := testing.AllocsPerRun(5, func() {
			if err := c.Add(sub); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%v: got %v allocations per subgraph, want none", crit, n)
		}
	}
}
