package crossval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const doubtful = `leak(a)
clue(a)
noise(a, b)
target listed q(a)
leak(x) => q(x)
clue(x) => q(x)
noise(x, y) => q(x)
`

// streamOf returns subgraphs of ten atoms, three of them true. leak is stated of half of the true ones only, clue of most true ones and
// some others, noise of any.
func streamOf(t *testing.T, m *resolwe.Model, random *rand.Rand, subgraphs int, leak, clue float64) *resolwe.Stream {
	t.Helper()
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d\n", s)
		for i := range 10 {
			truth := i < 3
			fmt.Fprintf(&b, "%sq(A%d)\n", map[bool]string{false: "!"}[truth], i)
			if truth && random.Float64() < leak {
				fmt.Fprintf(&b, "leak(A%d)\n", i)
			}
			if p := random.Float64(); truth && p < clue || !truth && p < 1-clue {
				fmt.Fprintf(&b, "clue(A%d)\n", i)
			}
			for k := range random.IntN(4) {
				fmt.Fprintf(&b, "noise(A%d, B%d)\n", i, k)
			}
		}
	}
	return streamtest.InMemory(t, m, b.String())
}

func systemsOf(t *testing.T, names ...string) []crossval.System {
	t.Helper()
	out, err := crossval.Named(names...)
	check.OK(t, err)
	return out
}

// TestNull compares the row of a null stream with a run on that stream alone, and checks when the draw is reported to reveal the truth.
func TestNull(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, doubtful)
	random := rand.New(rand.NewPCG(1, 2))
	stream := streamOf(t, m, random, 40, 0, .7)
	for clue, tells := range map[float64]bool{.5: false, .7: true} {
		null := streamOf(t, m, random, 40, 0, clue)
		opt := crossval.Options{Systems: systemsOf(t, "gain", "single"), Null: null}
		var totals, counted []int // with the null stream, progress begins anew
		opt.Begin = func(total int) { totals, counted = append(totals, total), append(counted, 0) }
		opt.Run.Progress = func(n int) { counted[len(counted)-1] += n }
		got, err := crossval.Run(t.Context(), m, stream, opt)
		check.OK(t, err)
		want, err := crossval.Run(t.Context(), m, null, crossval.Options{Systems: systemsOf(t, "gain", "base")})
		check.OK(t, err)
		check.Equal(t, "name", got.Null.System.Name, "null")
		check.Equal(t, "figures", got.Null.System.Figures, want.Systems[0].Figures)
		check.Equal(t, "of the base rates", got.Null.Base.Figures, want.Systems[1].Figures)
		check.Equal(t, "test", got.Null.MAP, want.Tests[0].Test)
		check.Equal(t, "the draw tells", got.Null.Tells(), tells)
		check.Equal(t, "systems", len(got.Systems), 2)
		check.Equal(t, "runs with progress", len(totals), 2)
		check.Equal(t, "progress", counted, totals)
	}
	_, err := crossval.Run(t.Context(), m, stream, crossval.Options{Systems: systemsOf(t, "base"), Null: stream})
	check.ErrorAs[*resolwe.OptionError](t, err, "error")
}

// TestDoubts checks that a relation stated only for true atoms, and a formula that reveals the truth, each raise one doubt, which a
// checkpoint keeps.
func TestDoubts(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, doubtful)
	random := rand.New(rand.NewPCG(3, 4))
	for _, tt := range []struct {
		leak, clue float64
		want       string
	}{
		{0, .7, ""},
		{.5, .7, "leak(x) is stated only for true atoms, "},
		{0, .99, "clue(x) ^ q(x) alone has AUC-ROC 0.98"},
	} {
		stream := streamOf(t, m, random, 40, tt.leak, tt.clue)
		opt := crossval.Options{Systems: systemsOf(t, "gain", "single", "base")}
		var saved [][]byte
		opt.Checkpoints.Save = func(data []byte) error {
			saved = append(saved, data)
			return nil
		}
		got, err := crossval.Run(t.Context(), m, stream, opt)
		check.OK(t, err)
		var texts []string
		selecting.TellDoubts(got.Doubts, func(text string) { texts = append(texts, text) })
		all := "\n" + strings.Join(texts, "\n")
		if tt.want == "" && len(texts) > 0 || !strings.Contains(all, "\n"+tt.want) || tt.want != "" && !strings.Contains(all, ": it may be the answer in disguise") {
			t.Errorf("got %q, want %q", all, tt.want)
		}
		opt.Checkpoints.Resume = saved[5]
		again, err := crossval.Run(t.Context(), m, stream, opt)
		check.OK(t, err)
		check.Equal(t, "doubts after a checkpoint", again.Doubts, got.Doubts)
		if got.Few() {
			t.Errorf("%d test subgraphs are too few", len(got.Tested))
		}
	}
	few, err := crossval.Run(t.Context(), m, streamOf(t, m, random, 9, 0, .7), crossval.Options{Systems: systemsOf(t, "base")})
	check.OK(t, err)
	check.Equal(t, "too few", few.Few(), true)
}
