package distributed_test

import (
	"bytes"
	"encoding"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/internal/test/streamtest"

	"resolwe/cmd/resolwe-beam/distributed"
)

// part is a file with a part of a stream.
type part struct {
	path           string
	first, records int
}

// cut packs subgraphs as files of random lengths.
func cut(tb testing.TB, m *resolwe.Model, subs []*subgraph.Subgraph, rng *rand.Rand) []part {
	tb.Helper()
	var out []part
	dir := tb.TempDir()
	for first := 0; first < len(subs); {
		n := 1 + rng.IntN(len(subs)-first)
		data := streamtest.Pack(tb, m.Schema, subs[first:first+n], rsg.WriterOptions{})
		out = append(out, part{streamtest.File(tb, dir, fmt.Sprintf("%05d.rsg", first), data), first, n})
		first += n
	}
	return out
}

// report prints everything that a selection reports.
func report(tb testing.TB, m *resolwe.Model, s *resolwe.Selection) string {
	tb.Helper()
	var b bytes.Buffer
	kept, note := s.Model(m)
	check.OK(tb, kept.Write(&b, note))
	fmt.Fprintln(&b, s.Subgraphs, s.Threshold, s.Criterion, s.Notes)
	for i := range s.Candidates {
		fmt.Fprintf(&b, "%+v\n", s.Candidates[i].Totals)
	}
	return b.String()
}

// travelled returns counts after sending them as bytes.
func travelled(tb testing.TB, c *selecting.SelectionCounts) *distributed.SelectionCounts {
	tb.Helper()
	data, err := (&distributed.SelectionCounts{SelectionCounts: *c}).MarshalBinary()
	check.OK(tb, err)
	var out distributed.SelectionCounts
	check.OK(tb, out.UnmarshalBinary(data))
	return &out
}

// A stream that is cut up, counted in ranges of its files in random order, and added in another order, gives the same selection as the
// whole.
func TestSelector_SelectsAsTheWhole(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 61))
		model, db := streamtest.Random(seed, oracle.TaskOptions{})
		if seed%2 == 0 {
			model, db = streamtest.Sharing, streamtest.SharingDB(seed, 12)
		}
		m := streamtest.Parse(t, model)
		subs := streamtest.Subgraphs(t, m, db)
		for _, crit := range []resolwe.Criterion{resolwe.Paper, resolwe.Lift, resolwe.KL, resolwe.LLR} {
			opt := resolwe.SelectOptions{Criterion: crit, Threshold: new(0.1), Run: resolwe.Run{Workers: 1 + rng.IntN(3)}}
			opt.Subgraphs = 1 + rng.IntN(len(subs)+2)
			want, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, subs), opt)
			check.OK(t, err)
			s, err := selecting.NewSelector(m, opt)
			check.OK(t, err)
			var counts []*distributed.SelectionCounts
			for _, p := range cut(t, m, subs, rng) {
				middle, end := p.first+rng.IntN(p.records+1), min(p.first+p.records, opt.Subgraphs)
				for _, within := range [][2]int{{p.first, min(middle, end)}, {middle, end}} {
					stream := streamtest.Open(t, m, resolwe.StreamOptions{First: p.first}, p.path).Range(within[0], within[1])
					check.Is(t, stream.Len(), max(0, within[1]-within[0]), "seed %d, %v of %d from %d, length", seed, within, p.records, p.first)
					c, err := s.Count(t.Context(), stream)
					check.OK(t, err)
					counts = append(counts, travelled(t, c))
				}
			}
			rng.Shuffle(len(counts), func(i, j int) { counts[i], counts[j] = counts[j], counts[i] })
			sum := &distributed.SelectionCounts{}
			for _, c := range counts {
				check.OK(t, sum.Add(c))
			}
			got, err := s.Select(t.Context(), &travelled(t, &sum.SelectionCounts).SelectionCounts, nil)
			check.OK(t, err)
			check.MustNoDiff(t, cmp.Diff(report(t, m, want), report(t, m, got)), "seed %d, %v (-whole +parts)", seed, crit)
		}
	}
}

// Counts of other candidates are refused.
func TestSelectionCounts_RefuseOthers(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.Sharing)
	subs := streamtest.Subgraphs(t, m, streamtest.SharingDB(1, 3))
	count := func(m *resolwe.Model) *distributed.SelectionCounts {
		s, err := selecting.NewSelector(m, resolwe.SelectOptions{Criterion: resolwe.Paper})
		check.OK(t, err)
		c, err := s.Count(t.Context(), resolwe.NewStream(m, subs))
		check.OK(t, err)
		return travelled(t, c)
	}
	counts := count(m)
	before, _ := counts.MarshalBinary()
	check.ErrorAs[*distributed.PartError](t, counts.Add(count(m.With(m.Formulas[1:]))), "error")
	if after, _ := counts.MarshalBinary(); !bytes.Equal(before, after) {
		t.Error("counts that were refused changed the sum")
	}
}

func FuzzSelectionCounts(f *testing.F) {
	m := streamtest.Parse(f, streamtest.Sharing)
	subs := streamtest.Subgraphs(f, m, streamtest.SharingDB(1, 2))
	var counts []*distributed.SelectionCounts
	for _, crit := range []resolwe.Criterion{resolwe.Paper, resolwe.KL, resolwe.Gain} {
		s, err := selecting.NewSelector(m, resolwe.SelectOptions{Criterion: crit})
		check.OK(f, err)
		c, err := s.Count(f.Context(), resolwe.NewStream(m, subs))
		check.OK(f, err)
		counts = append(counts, travelled(f, c))
	}
	fuzzPart(f, nil, counts...)
}

// fuzzPart checks that any bytes are either a *PartError or a part, which is written as it was read and is usable.
func fuzzPart[T any, P interface {
	*T
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}](f *testing.F, use func(*testing.T, P), seeds ...P) {
	f.Helper()
	for _, seed := range seeds {
		data, err := seed.MarshalBinary()
		check.OK(f, err)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, streamtest.Reseal(data)} {
			p := P(new(T))
			if err := p.UnmarshalBinary(text); err != nil {
				check.ErrorAs[*distributed.PartError](t, err, "error")
				continue
			}
			if again, _ := p.MarshalBinary(); !bytes.Equal(again, text) {
				t.Error("what was read is written otherwise")
			}
			if use != nil {
				use(t, p)
			}
		}
	})
}
