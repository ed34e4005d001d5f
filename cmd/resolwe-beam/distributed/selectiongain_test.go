package distributed_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"

	"resolwe/cmd/resolwe-beam/distributed"
)

// gained prints everything that a selection by gain reports.
func gained(tb testing.TB, m *resolwe.Model, s *resolwe.Selection) string {
	tb.Helper()
	var b strings.Builder
	b.WriteString(report(tb, m, s))
	for _, g := range s.Gain {
		fmt.Fprintln(&b, g.Target, g.Subgraphs, g.Atoms, g.Sampled, g.BaseRate, g.Forward, g.Family, g.Shrink, g.Base, g.Size, g.Bias)
		for _, step := range append(g.Path, g.Tied...) {
			fmt.Fprintln(&b, mln.FormatRule(step.Formula), step.Gain, step.Support, step.TrueRate, step.After, len(step.Redundant))
		}
	}
	return b.String()
}

// A stream that is cut up, with its numbers and rows counted part by part in random orders, gives the same selection by gain as the
// whole, including formulas that compare numbers and formulas with several target literals.
func TestSelector_GainAsTheWhole(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, streamtest.Towns)
	compared, tied, sampled := false, false, false
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 62))
		subs := streamtest.Subgraphs(t, m, streamtest.TownsDB(seed, 60))
		for i, s := range subs {
			s.Time = subgraph.Time{Unix: int64(i / 2), Known: seed != 1} // determines the folds
		}
		opt := resolwe.SelectOptions{Run: resolwe.Run{Workers: 1 + rng.IntN(3)}}
		opt.Gain.Rows, opt.Gain.Seed = []int{0, 300, 40}[seed], seed
		want, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		parts := cut(t, m, subs, rng)
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		open := func(p part) *resolwe.Stream {
			return streamtest.Open(t, m, resolwe.StreamOptions{First: p.first}, p.path)
		}
		s, err := selecting.NewSelector(m, opt)
		check.OK(t, err)
		var numbers distributed.NumberCounts
		for _, p := range parts {
			c, err := s.CountNumbers(t.Context(), open(p))
			check.OK(t, err)
			data, _ := (&distributed.NumberCounts{NumberCounts: c}).MarshalBinary()
			var arrived distributed.NumberCounts
			check.OK(t, arrived.UnmarshalBinary(data))
			numbers.Add(&arrived)
		}
		s = s.WithNumbers(numbers.Boundaries())
		sum := &distributed.SelectionCounts{}
		var again []*resolwe.Stream
		for _, p := range parts {
			c, err := s.Count(t.Context(), open(p))
			check.OK(t, err)
			check.OK(t, sum.Add(travelled(t, c)))
		}
		got, err := s.Select(t.Context(), &travelled(t, &sum.SelectionCounts).SelectionCounts, func(positions []int) ([]*resolwe.Stream, error) {
			for _, p := range parts {
				again = append(again, open(p).Pick(positions))
			}
			return again, nil
		})
		check.OK(t, err)
		text := gained(t, m, want)
		check.MustNoDiff(t, cmp.Diff(text, gained(t, m, got)), "seed %d (-whole +parts)", seed)
		compared = compared || strings.Contains(text, ">=")
		check.Equal(t, "forward", want.Gain[0].Forward, seed == 0) // with few atoms there are few times
		tied = tied || len(want.Gain[0].Tied) > 0
		sampled = sampled || want.Gain[0].Sampled
	}
	if !compared || !tied || !sampled {
		t.Errorf("compared %v, tied %v, sampled %v: want all to be tested", compared, tied, sampled)
	}
}

func FuzzNumberCounts(f *testing.F) {
	m := streamtest.Parse(f, streamtest.Towns)
	s, err := selecting.NewSelector(m, resolwe.SelectOptions{})
	check.OK(f, err)
	c, err := s.CountNumbers(f.Context(), streamtest.InMemory(f, m, streamtest.TownsDB(1, 2)))
	check.OK(f, err)
	fuzzPart(f, nil, &distributed.NumberCounts{NumberCounts: c})
}
