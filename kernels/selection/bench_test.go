package selection_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/selection"
)

// wikiCollabs is the paper's task.
func wikiCollabs(tb testing.TB) (*mln.Model, []*mln.Candidate) {
	tb.Helper()
	m := jointest.WikiCollabsModel(tb, "")
	cands, _, err := mln.Candidates(m)
	check.OK(tb, err)
	return m, cands
}

func BenchmarkCounter_Add(b *testing.B) {
	m, cands := wikiCollabs(b)
	sub := jointest.WikiCollabs(&m.Schema, rand.New(rand.NewPCG(1, 1)), jointest.Paper)
	for _, crit := range []selection.Criterion{selection.Paper, selection.Lift} {
		b.Run(crit.String(), func(b *testing.B) {
			c := selection.NewCounter(compile(b, &m.Schema, cands, crit))
			b.ReportAllocs()
			for b.Loop() {
				check.OK(b, c.Add(sub))
			}
		})
	}
}

// So with the reading of a file.
func TestCounter_ReadsWithoutAllocating(t *testing.T) {
	m, cands := wikiCollabs(t)
	var data bytes.Buffer
	w, err := rsg.NewWriter(&data, &m.Schema, rsg.WriterOptions{})
	check.OK(t, err)
	for _, s := range pieces(m, 3) {
		check.OK(t, w.Write(s))
	}
	check.OK(t, w.Close())
	f, err := rsg.Open(data.Bytes(), "x.rsg", rsg.ReaderOptions{Shared: true})
	check.OK(t, err)
	c := selection.NewCounter(compile(t, &m.Schema, cands, selection.Paper))
	var b rsg.Buffer
	if n := testing.AllocsPerRun(5, func() {
		for i := range f.Len() {
			s, err := f.AtInto(&b, i)
			check.OK(t, err)
			check.OK(t, c.Add(s))
		}
	}); n > 0 {
		t.Errorf("got %v allocations per run, want none", n)
	}
}

// After the first subgraphs of a size the counter has all its memory, whether or not they share relations.
func TestCounter_DoesNotAllocate(t *testing.T) {
	m, cands := wikiCollabs(t)
	complete := pieces(m, 2)
	for name, subs := range map[string][]*subgraph.Subgraph{
		"complete": complete,
		"shared":   jointest.Share(&m.Schema, complete, nil),
	} {
		for _, crit := range []selection.Criterion{selection.Paper, selection.LLR} {
			c := selection.NewCounter(compile(t, &m.Schema, cands, crit))
			if n := testing.AllocsPerRun(5, func() {
				for _, s := range subs {
					check.OK(t, c.Add(s))
				}
			}); n > 0 {
				t.Errorf("%s, %v: got %v allocations per run, want none", name, crit, n)
			}
		}
	}
}
