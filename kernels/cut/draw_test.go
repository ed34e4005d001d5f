package cut_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/origin"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/cut"
)

// drawsIn cuts all centers with two cutters in turn, and returns the draws, and the atoms of target p by truth.
func drawsIn(tb testing.TB, recipe string, texts ...string) (draws []origin.Draw, atoms [2]int64) {
	tb.Helper()
	r := parse(tb, "target listed p(user)\n", recipe)
	u, tables := fill(tb, r, texts...)
	plan := compile(tb, r, u, tables)
	cutters := []*cut.Cutter{plan.NewCutter(), plan.NewCutter()}
	for i := range plan.Centers() {
		var s subgraph.Subgraph
		ok, err := cutters[i%2].Cut(&s, i)
		check.OK(tb, err)
		if ok {
			atoms[0] += int64(s.Relations[0].True.Len())
			atoms[1] += int64(s.Relations[0].False.Len())
		}
	}
	drawn := cut.Drawn{}
	for _, c := range cutters {
		drawn.Merge(c.Drawn())
	}
	return plan.Draws(drawn), atoms
}

// TestDraws works small draws by hand. A, B and C answer 1; A answers 2. All of A to F were asked.
func TestDraws(t *testing.T) {
	t.Parallel()
	const tables = "table asked(week, user) from \"a\" (a, b)\ntable yes(week, user) from \"y\" (a, b)\ncenter w :- asked(w, _)\n"
	const rows, answers = "1 A; 1 B; 1 C; 1 D; 1 E; 1 F; 2 A; 2 B; 2 C; 2 D", "1 A; 1 B; 1 C; 2 A"
	for _, row := range []struct {
		name, recipe string
		want         []origin.Draw
	}{
		{"all", "p(u) :- yes(@center, u)\n!p(u) :- asked(@center, u), !yes(@center, u)", nil},
		{
			"as many", "did(u) :- yes(@center, u)\np(u) :- did(u)\nother(u) :- asked(@center, u), !yes(@center, u)\nsample other 1 per did seed 1\n!p(u) :- other(u)",
			[]origin.Draw{{Target: "p", Truth: true, Eligible: 4, Kept: 4}, {Target: "p", Truth: false, Eligible: 6, Kept: 4}},
		},
		{
			"of other rows, each of which may stand for several", "did(u) :- yes(@center, u)\np(u) :- did(u)\n" +
				"other(w, u) :- asked(w, u), asked(@center, u), !yes(@center, u)\nsample other 9 per did seed 1\n!p(u) :- other(_, u)",
			[]origin.Draw{{Target: "p", Truth: true, Eligible: 4, Kept: 4}, {Target: "p", Truth: false, Eligible: 6, Kept: 6}},
		},
		{
			"of a center with a requirement", "did(u) :- yes(@center, u)\np(u) :- did(u)\nother(u) :- asked(@center, u), !yes(@center, u)\nsample other 1 per did seed 1\n" +
				"!p(u) :- other(u)\nrequire count(did) >= 2",
			[]origin.Draw{{Target: "p", Truth: true, Eligible: 3, Kept: 3}, {Target: "p", Truth: false, Eligible: 3, Kept: 3}},
		},
		{
			"by a helper", "did(u) :- yes(@center, u)\np(u) :- did(u)\nother(u) :- asked(@center, u), !yes(@center, u)\nsample other 1 per did seed 1\nsome(u) :- other(u)\n!p(u) :- some(u)",
			[]origin.Draw{{Target: "p", Truth: true, Eligible: 4, Kept: 4}, {Target: "p", Truth: false, Eligible: 6, Kept: 4}},
		},
	} {
		draws, _ := drawsIn(t, tables+row.recipe, rows, answers)
		check.Equal(t, row.name, draws, row.want)
	}
}

// TestDraws_Matched compares with counts by hand: candidates are matched by the number of other weeks in which they said yes. Those without
// any are in no stratum, but eligible.
func TestDraws_Matched(t *testing.T) {
	t.Parallel()
	const recipe = `table asked(week, user) from "a" (a, b)
table yes(week, user) from "y" (a, b)
center w :- asked(w, _)
candidate(u) :- asked(@center, u)
often(u, count(w)) :- candidate(u), yes(w, u), w != @center
did(u, n) :- yes(@center, u), often(u, n)
other(u, n) :- often(u, n), !did(u, n)
sample other 1 per did stratified seed 1
drawn(u, n) :- did(u, n)
sample drawn 1 per other stratified seed 1
p(u) :- yes(@center, u), drawn(u, _)
!p(u) :- other(u, _)
`
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var asked, answered []string
	yes := map[[2]int]bool{}
	const weeks, users = 6, 60
	for w := range weeks {
		for u := range users {
			if u > 0 && rng.IntN(5) == 0 {
				continue // not asked
			}
			asked = append(asked, fmt.Sprintf("w%d u%d", w, u))
			if yes[[2]int{w, u}] = rng.IntN(users) < u/2; yes[[2]int{w, u}] {
				answered = append(answered, fmt.Sprintf("w%d u%d", w, u))
			}
		}
	}
	want := map[origin.Draw]int64{} // eligible, by what is left of a draw without counts
	for _, row := range asked {
		var w, u int
		_, err := fmt.Sscanf(row, "w%d u%d", &w, &u)
		check.OK(t, err)
		n := 0
		for v := range weeks {
			if v != w && yes[[2]int{v, u}] {
				n++
			}
		}
		d := origin.Draw{Target: "p", Truth: yes[[2]int{w, u}]}
		if n > 0 {
			d.Stratum = strconv.Itoa(n)
		}
		want[d]++
	}
	draws, atoms := drawsIn(t, recipe, strings.Join(asked, "; "), strings.Join(answered, "; "))
	got, kept := map[origin.Draw]int64{}, [2]int64{}
	for _, d := range draws {
		got[origin.Draw{Target: d.Target, Truth: d.Truth, Stratum: d.Stratum}] = d.Eligible
		kept[map[bool]int{true: 0, false: 1}[d.Truth]] += d.Kept
	}
	check.Equal(t, "eligible", got, want)
	check.Is(t, kept, atoms, "kept")
}
