package resolwe_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const visiting = `number points, noise, days, latest
visits_user(visit, user)
visits_shop(visit, shop)
visits_points(visit, points)
visits_noise(visit, noise)
visits_days(visit, days)
visits_latest_user(visit, latest)
visits_last_shop(user, shop)
target listed returns(user)
`

// visit is a row: the first is the latest.
type visit struct {
	days   int
	points float64
	shop   int
}

// visits draws subgraphs of users with visits, of whom those return for whom cause holds, but for a few.
func visits(seed uint64, subgraphs int, cause func([]visit) bool) string {
	r := rand.New(rand.NewPCG(seed, 21))
	var b strings.Builder
	for s := range subgraphs {
		fmt.Fprintf(&b, "@subgraph s%d\n", s)
		for u := range 5 {
			var of []visit
			user, days := fmt.Sprintf("U%d_%d", s, u), 0
			level := 10 * r.Float64()
			for k := range r.IntN(15) {
				days += 1 + r.IntN(60)
				v := visit{days, math.Round(10*(level+4*r.NormFloat64())) / 10, r.IntN(3)}
				of = append(of, v)
				row := fmt.Sprintf("V%d_%d", u, k)
				fmt.Fprintf(&b, "visits_user(%s, %s)\nvisits_shop(%s, S%d)\nvisits_points(%s, %v)\n", row, user, row, v.shop, row, v.points)
				fmt.Fprintf(&b, "visits_noise(%s, %d)\nvisits_days(%s, %d)\nvisits_latest_user(%s, %d)\n", row, r.IntN(20), row, v.days, row, k+1)
				if k == 0 {
					fmt.Fprintf(&b, "visits_last_shop(%s, S%d)\n", user, v.shop)
				}
			}
			mark := "!"
			if holds := cause(of); holds != (r.IntN(20) == 0) {
				mark = ""
			}
			fmt.Fprintf(&b, "%sreturns(%s)\n", mark, user)
		}
	}
	return b.String()
}

func average(of []visit) float64 {
	sum := 0.0
	for _, v := range of {
		sum += v.points
	}
	return sum / float64(len(of))
}

func lately(of []visit) (n int, sum float64) {
	for _, v := range of {
		if v.days <= 90 {
			n, sum = n+1, sum+v.points
		}
	}
	return n, sum
}

// selectVisits discovers and selects.
func selectVisits(tb testing.TB, db string, workers int) (*resolwe.Discovery, *resolwe.Selection) {
	tb.Helper()
	m := streamtest.Parse(tb, visiting)
	s := streamtest.InMemory(tb, m, db)
	run := resolwe.Run{Workers: workers}
	found, err := resolwe.Discover(tb.Context(), m, s, resolwe.DiscoverOptions{Length: 2, Run: run})
	check.OK(tb, err)
	sel, err := resolwe.Select(tb.Context(), found.Model, s, resolwe.SelectOptions{Run: run})
	check.OK(tb, err)
	return found, sel
}

// What makes users return is among the first three formulas of the path.
func TestDiscover_Aggregates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause func([]visit) bool
		want  []string // all of them in one formula
	}{
		"an average":   {func(of []visit) bool { return len(of) > 0 && average(of) >= 5 }, []string{"avg{", "visits_points", "visits_user"}},
		"a last value": {func(of []visit) bool { return len(of) > 0 && of[0].points >= 6 }, []string{"{", "visits_points", "<= 1} >="}},
		"the last days": {func(of []visit) bool {
			_, sum := lately(of)
			return sum >= 12
		}, []string{"sum{", "visits_points", "visits_days", "<= 90}"}},
		"at most": {func(of []visit) bool {
			n, sum := lately(of)
			return n > 0 && sum/float64(n) <= 3
		}, []string{"avg{", "visits_points", "<= 90} <="}},
		"how many lately": {func(of []visit) bool {
			n, _ := lately(of)
			return n >= 3
		}, []string{"visits_user", "visits_days", "<= 90"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, sel := selectVisits(t, visits(1, 120, c.cause), 2)
			var path []string
			for _, step := range sel.Gain[0].Path[:min(3, len(sel.Gain[0].Path))] {
				path = append(path, mln.FormatFormula(step.Formula))
			}
			if !slices.ContainsFunc(path, func(f string) bool {
				return !slices.ContainsFunc(c.want, func(part string) bool { return !strings.Contains(f, part) })
			}) {
				t.Errorf("the path begins with\n%s\nwant %q", strings.Join(path, "\n"), c.want)
			}
		})
	}
}

// Where nothing makes them return, no aggregate is a candidate: chance alone does not make one.
func TestDiscover_Aggregates_None(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 22))
		m := streamtest.Parse(t, visiting)
		s := streamtest.InMemory(t, m, visits(seed, 100, func([]visit) bool { return r.IntN(2) == 0 }))
		found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Length: 1})
		check.OK(t, err)
		for _, c := range found.Candidates {
			if text := mln.FormatFormula(c.Formula); strings.ContainsAny(text, "{<") {
				t.Errorf("seed %d: %s", seed, text)
			}
		}
	}
}

// Candidates and selection are the same for any number of workers, and what is written reads back and selects the same.
func TestDiscover_Aggregates_Workers(t *testing.T) {
	t.Parallel()
	db := visits(3, 60, func(of []visit) bool { return len(of) > 0 && average(of) >= 5 })
	text := func(workers int) string {
		found, sel := selectVisits(t, db, workers)
		var b strings.Builder
		check.OK(t, found.Model.Write(&b, nil))
		out, note := sel.Model(found.Model)
		check.OK(t, out.Write(&b, note))
		return b.String()
	}
	one := text(1)
	check.Equal(t, "with many workers", text(runtime.GOMAXPROCS(0)+3), one)
}

// A candidate that a model states counts for all bounds, and is taken once.
func TestSelect_Aggregates_OfModel(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, visiting+`avg{n, r: visits_user(r, u) ^ visits_points(r, n)} >= 100 => returns(u)
avg{m, r: visits_points(r, m) ^ visits_user(r, v)} < -1 => returns(v)
`)
	s := streamtest.InMemory(t, m, visits(4, 100, func(of []visit) bool { return len(of) > 0 && average(of) >= 5 }))
	sel, err := resolwe.Select(t.Context(), m, s, resolwe.SelectOptions{})
	check.OK(t, err)
	if len(sel.Selected) == 0 {
		t.Fatal("nothing was selected")
	}
	first := mln.FormatFormula(sel.Gain[0].Path[0].Formula)
	if !strings.Contains(first, "visits_points(r, n)} >= ") || strings.Contains(first, "100") {
		t.Errorf("got %s", first)
	}
	// What is selected predicts as it was told.
	out, _ := sel.Model(m)
	eval, err := resolwe.Evaluate(t.Context(), out, s, resolwe.InferOptions{})
	check.OK(t, err)
	if !(eval.AUCROC > .8) {
		t.Errorf("got an AUC of %v, want above .8", eval.AUCROC)
	}
}

// The sample is drawn by seed and name: not the first subgraphs, and in whatever order they come.
func TestDiscover_Sample(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "late(a, b)\nearly(a, b)\ntarget q(a)\n")
	db := func(order []int) string {
		var b strings.Builder
		for _, s := range order {
			relation := "late"
			if s < 10 {
				relation = "early"
			}
			fmt.Fprintf(&b, "@subgraph s%d\n%s(A, B)\nq(A)\n", s, relation)
		}
		return b.String()
	}
	order := rand.New(rand.NewPCG(1, 23)).Perm(40)
	find := func(order []int, seed uint64) []string {
		opt := resolwe.DiscoverOptions{Subgraphs: 10, Support: 1, Length: 1, Seed: seed}
		found, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, db(order)), opt)
		check.OK(t, err)
		check.Equal(t, "subgraphs", found.Subgraphs, 10)
		out := formulasOf(found)
		for i, c := range found.Candidates {
			out[i] += fmt.Sprint(" ", c.Support)
		}
		return out
	}
	sorted := slices.Sorted(slices.Values(order))
	if first := find(sorted, 1); !slices.ContainsFunc(first, func(f string) bool { return strings.HasPrefix(f, "late") }) {
		t.Errorf("got %q, want late too", first)
	}
	different := map[string]bool{}
	for seed := range uint64(8) {
		one := find(sorted, seed)
		check.Equal(t, "in another order", find(order, seed), one)
		different[fmt.Sprint(one)] = true
	}
	if len(different) < 2 {
		t.Error("eight seeds draw the same sample")
	}
}
