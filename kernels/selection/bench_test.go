package selection_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
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
			c := selection.NewCounter(compile(b, &m.Schema, cands, crit))
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Add(sub); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// So with the reading of a file.
func TestCounter_ReadsWithoutAllocating(t *testing.T) {
	m, cands := wikiCollabs(t)
	var data bytes.Buffer
	w, err := subgraph.NewWriter(&data, &m.Schema, subgraph.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range pieces(m, 3) {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := subgraph.Open(data.Bytes(), "x.rsg", subgraph.ReaderOptions{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	c := selection.NewCounter(compile(t, &m.Schema, cands, selection.Paper))
	var b subgraph.Buffer
	if n := testing.AllocsPerRun(5, func() {
		for i := range f.Len() {
			s, err := f.AtInto(&b, i)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Add(s); err != nil {
				t.Fatal(err)
			}
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
					if err := c.Add(s); err != nil {
						t.Fatal(err)
					}
				}
			}); n > 0 {
				t.Errorf("%s, %v: got %v allocations per run, want none", name, crit, n)
			}
		}
	}
}
