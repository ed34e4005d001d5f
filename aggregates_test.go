package resolwe_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/features"
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
	m := streamtest.Parse(t, "late(a, b)\nearly(a, b)\ntarget listed q(a)\n")
	var atoms strings.Builder // enough in ten subgraphs
	for i := range 20 {
		fmt.Fprintf(&atoms, "q(A%d)\n!q(B%d)\n", i, i)
	}
	db := func(order []int) string {
		var b strings.Builder
		for _, s := range order {
			relation := "late"
			if s < 10 {
				relation = "early"
			}
			fmt.Fprintf(&b, "@subgraph s%d\n%s(A0, B)\n%s", s, relation, atoms.String())
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

// The sample grows, in order of the hash, until it has 200 true and 200 false atoms of each target.
func TestDiscover_SampleGrows(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, task := range []string{"target listed q(a)\ntarget listed r(a)\n", "target q(a)\ntarget listed r(a)\n"} {
		m := streamtest.Parse(t, "e(a)\n"+task)
		var db strings.Builder
		names, atoms := []string{}, map[string][2][2]int{}
		for i := range 3000 {
			name := fmt.Sprintf("s%d", i)
			fmt.Fprintf(&db, "@subgraph %s\ne(A)\n", name)
			var of [2][2]int
			for target, rare := range []int{3, 8} {
				truth := 0
				if rng.IntN(rare) == 0 {
					truth = 1
				}
				of[target][truth] = 1
				fmt.Fprintf(&db, "%s%s(A)\n", []string{"!", ""}[truth], []string{"q", "r"}[target])
			}
			names, atoms[name] = append(names, name), of
		}
		db.WriteString("@subgraph unknown\ne(A)\n?q(A)\n?r(A)\n")
		names, atoms["unknown"] = append(names, "unknown"), [2][2]int{}
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(features.Hash(7, a), features.Hash(7, b)) })
		for _, least := range []int{100, 2500} {
			want := 0
			var sum [2][2]int
			for _, name := range names {
				if want >= least && min(sum[0][0], sum[0][1], sum[1][0], sum[1][1]) >= 200 {
					break
				}
				for k := range sum {
					sum[k][0], sum[k][1] = sum[k][0]+atoms[name][k][0], sum[k][1]+atoms[name][k][1]
				}
				want++
			}
			found, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, db.String()), resolwe.DiscoverOptions{Subgraphs: least, Seed: 7, Length: 1})
			check.OK(t, err)
			check.Equal(t, task+"subgraphs", found.Subgraphs, want)
		}
	}
}

// Without another support, 1% of the true atoms of a target must have a grounding, but 5 to 20.
func TestDiscover_LeastSupport(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ positives, want int }{{30, 5}, {599, 5}, {600, 6}, {1999, 19}, {2500, 20}} {
		m := streamtest.Parse(t, "e(a)\nf(a)\ntarget listed q(a)\n")
		var db strings.Builder
		for i := range test.positives {
			fmt.Fprintf(&db, "q(A%d)\n!q(B%d)\n", i, i)
		}
		for i := range test.want {
			fmt.Fprintf(&db, "e(A%d)\n", i)
			if i > 0 {
				fmt.Fprintf(&db, "f(A%d)\n", i)
			}
		}
		found, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, db.String()), resolwe.DiscoverOptions{})
		check.OK(t, err)
		check.Equal(t, strconv.Itoa(test.positives), formulasOf(found), []string{"e(a1) => q(a1)"})
	}
}

// Of a category with many names, the most frequent ones are screened, and those with the most gain, above chance, become constants.
func TestDiscover_Values(t *testing.T) {
	t.Parallel()
	const declared = "of(a, row)\nkind(row, kind)\nplace(a, town)\nregion(town, region)\ntarget listed q(a)\n"
	m := streamtest.Parse(t, declared)
	var db strings.Builder
	for i := range 600 {
		truth := "!"
		if i%30 < 2 || i%7 == 0 {
			truth = "" // kinds 0 and 1 tell
		}
		fmt.Fprintf(&db, "@subgraph s%d center=A%d\n%sq(A%d)\nof(A%d, R%d)\nkind(R%d, \"kind %d\")\nkind(R%d, Once%d)\n", i, i, truth, i, i, i, i, i%30, i, i)
		fmt.Fprintf(&db, "place(A%d, T%d)\nregion(T%d, N%d)\n", i, i%40, i%40, i%40%13)
	}
	s := streamtest.InMemory(t, m, db.String())
	constants := func(values int) (out []string) {
		found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Length: 2, Values: &values})
		check.OK(t, err)
		for _, f := range formulasOf(found) {
			if _, after, ok := strings.Cut(f, "kind(r1, "); ok && after[0] == '"' {
				out = append(out, after[:len(`"kind 00"`)])
			}
			if strings.Contains(f, "T1") || strings.Contains(f, "Once") {
				t.Errorf("got %s: a town has a region of its own, the other names are rare", f)
			}
		}
		return out
	}
	check.Equal(t, "2 values", constants(2), []string{`"kind 0")`, `"kind 1")`})
	check.Equal(t, "no value", len(constants(0)), 0)
	check.Equal(t, "one value", constants(1), []string{`"kind 0")`})
	check.Equal(t, "20 values", constants(20), []string{`"kind 0")`, `"kind 1")`})
}
