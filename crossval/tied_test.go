package crossval_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// pairsDB has subgraphs of persons of whom each likes the one before, and buys mostly what that one buys.
func pairsDB(seed uint64, subgraphs int) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d fold=%d\n", s, s%2)
		buys := false
		for p := range 6 {
			if p == 0 || r.Float64() < .2 {
				buys = r.IntN(2) == 0
			}
			sign := "!"
			if buys {
				sign = ""
			}
			fmt.Fprintf(&b, "likes(P%d, P%d)\n%sbuys(P%d)\n", p, max(0, p-1), sign, p)
			if (r.Float64() < .8) == buys {
				fmt.Fprintf(&b, "old(P%d)\n", p)
			}
		}
	}
	return b.String()
}

// Where formulas of several target literals were selected on a sample of rows, gain learns their weights further, on all training
// subgraphs; where all rows were taken, the weights of selection stay.
func TestRun_TiedSampled(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "likes(p, p)\nold(p)\ntarget listed buys(p)\nold(x) => buys(x)\nlikes(x, y) ^ buys(y) => buys(x)\n")
	subs := streamtest.Subgraphs(t, m, pairsDB(3, 200))
	for _, rows := range []int{0, 540} {
		opt := crossval.Options{Seed: 1}
		var err error
		opt.Systems, err = crossval.Named("gain")
		check.OK(t, err)
		opt.Select.Gain.Rows, opt.Learn.Passes = rows, 2
		got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, subs), opt)
		check.OK(t, err)
		for fold := range 2 {
			var train, test []*subgraph.Subgraph
			for _, s := range subs {
				if s.Fold == fold {
					test = append(test, s)
				} else {
					train = append(train, s)
				}
			}
			sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, train), opt.Select)
			check.OK(t, err)
			check.Is(t, len(sel.Gain[0].Tied) > 0, true, "ties are selected")
			check.Is(t, sel.Gain[0].Sampled, rows > 0, "rows are sampled")
			want, _ := sel.Model(m)
			if rows > 0 {
				learned, err := resolwe.Learn(t.Context(), want, resolwe.NewStream(m, train), opt.Learn)
				check.OK(t, err)
				want = learned.Model
			}
			e, err := resolwe.Evaluate(t.Context(), want, resolwe.NewStream(m, test), opt.Infer)
			check.OK(t, err)
			check.Near(t, got.Systems[0].Folds[fold].CLL, e.CLL, 1e-9*math.Abs(e.CLL), "rows %d, fold %d: CLL", rows, fold)
			check.Is(t, got.Systems[0].Reached[fold].Learned, rows > 0, "rows %d, fold %d: learned", rows, fold)
		}
	}
}
