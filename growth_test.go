package resolwe_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const games = `of(game, person)
won(game)
luck(person, coin)
age(person, number)
target listed likes(person)
of(g, p) ^ won(g) => likes(p)
luck(p, c) => likes(p)
share{g: won(g) | of(g, p)} >= 0.5 => likes(p)
`

// gamesDB has subgraphs with more and more games, in which persons like what they win six times, and a coin of which they find two. It
// returns the subgraphs' mean wins and their numbers of facts too.
func gamesDB(seed uint64, subgraphs int) (db string, wins, facts []float64) {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	for s := range subgraphs {
		const persons = 12
		fmt.Fprintf(&b, "@subgraph s%d\n", s)
		all, total := 0, 0
		for p := range persons {
			won, coins := 0, r.IntN(5)
			for g := range 5 + s/2 {
				fmt.Fprintf(&b, "of(G%d_%d, P%d)\n", p, g, p)
				total++
				if r.IntN(5) < 2 {
					fmt.Fprintf(&b, "won(G%d_%d)\n", p, g)
					won++
				}
			}
			for c := range coins {
				fmt.Fprintf(&b, "luck(P%d, C%d)\n", p, c)
			}
			fmt.Fprintf(&b, "age(P%d, %d)\n", p, 20+p)
			odds := -3.
			if won >= 6 {
				odds += 3
			}
			if coins >= 2 {
				odds += 2
			}
			sign := "!"
			if r.Float64() < 1/(1+math.Exp(-odds)) {
				sign = ""
			}
			fmt.Fprintf(&b, "%slikes(P%d)\n", sign, p)
			all, total = all+won, total+won+coins+1
		}
		wins, facts = append(wins, float64(all)/persons), append(facts, float64(total))
	}
	return b.String(), wins, facts
}

// spearman is the correlation of ranks, by definition.
func spearman(a, b []float64) float64 {
	ranks := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i, x := range v {
			for _, y := range v {
				if y < x {
					out[i]++
				} else if y == x {
					out[i] += .5
				}
			}
			out[i] -= float64(len(v)) / 2
		}
		return out
	}
	dot := func(x, y []float64) (sum float64) {
		for i := range x {
			sum += x[i] * y[i]
		}
		return sum
	}
	x, y := ranks(a), ranks(b)
	return dot(x, y) / math.Sqrt(dot(x, x)*dot(y, y))
}

// Selected formulas that count what grows with the subgraphs are in doubt, with the share of the same; others are not, nor is anything
// where subgraphs are few.
func TestSelect_Growth(t *testing.T) {
	t.Parallel()
	const seed = 5
	for _, subgraphs := range []int{19, 32} {
		db, wins, facts := gamesDB(seed, subgraphs)
		m := parse(t, games)
		sel, err := resolwe.Select(t.Context(), m, resolwe.NewStream(m, streamtest.Subgraphs(t, m, db)), resolwe.SelectOptions{Gain: resolwe.GainOptions{Inner: selecting.InnerRandom}})
		check.OK(t, err)
		found := map[string]int{}
		for _, step := range sel.Gain[0].Path[:sel.Gain[0].Size] {
			text := mln.FormatFormula(step.Formula)
			counts := strings.Contains(text, "won") && !strings.Contains(text, "share") && step.Formula.Shape != mln.ShapeRelative
			if counts {
				found["wins"]++
			} else {
				found["others"]++
			}
			if grows := counts && subgraphs >= 20; grows != (step.Growth != nil) {
				t.Errorf("seed %d, %d subgraphs: %s: in doubt: %v, want %v", seed, subgraphs, text, step.Growth != nil, grows)
			} else if grows {
				check.Near(t, step.Growth.Correlation, spearman(wins, facts), 1e-12, "correlation of %s", text)
				check.Is(t, step.Growth.Share, "share{g: won(g) | of(g, p)} >= 0.5 ^ likes(p)", "share")
			}
		}
		check.Equal(t, "some of each", found["wins"] > 0 && found["others"] > 0, true)
		warned := 0
		for _, w := range sel.Warnings {
			warned += strings.Count(w.Msg, "counts what grows with the subgraph")
		}
		check.Equal(t, "warnings", warned > 0, subgraphs >= 20)
		m = parse(t, games+"age(p, n) => likes(p)\n") // all of it, numbers too
		_, err = resolwe.Select(t.Context(), m, resolwe.NewStream(m, streamtest.Subgraphs(t, m, db)), resolwe.SelectOptions{Gain: resolwe.GainOptions{All: true}})
		check.OK(t, err)
	}
}
