package resolwe_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/bench/demo"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// advising is a toy of who advises whom: those who publish together.
const advising = `published(title, person)
professor(person)
phase(person, phase)
target advisedBy(person, person)
`

func advisingDB() string {
	return `@subgraph s1
published(T1, Ann)
published(T1, Bob)
professor(Ann)
phase(Bob, Late)
advisedBy(Bob, Ann)
@subgraph s2
published(T1, Cleo)
published(T1, Dan)
published(T2, Dan)
published(T2, Eve)
professor(Cleo)
professor(Eve)
phase(Dan, Early)
advisedBy(Dan, Cleo)
advisedBy(Dan, Eve)
`
}

// The printed model reads back as the same formulas, the model's own stay, and selection takes them.
func TestDiscover_FeedsSelect(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising+"professor(b) => advisedBy(a, b)\n0.5 !professor(a) ^ advisedBy(a, b)\n")
	s := streamtest.InMemory(t, m, advisingDB())
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 2})
	check.OK(t, err)
	check.Equal(t, "looked at", []int{found.Subgraphs, found.Length}, []int{2, 4})
	var printed bytes.Buffer
	check.OK(t, found.Model.Write(&printed, nil))
	again := streamtest.Parse(t, printed.String())
	texts := func(m *resolwe.Model) (out []string) {
		for _, f := range m.Formulas {
			out = append(out, mln.Canonical(f))
		}
		return out
	}
	check.Equal(t, "formulas", texts(again), texts(found.Model))
	check.Equal(t, "own formulas", texts(found.Model)[:2], texts(m))
	for _, want := range []string{
		"professor(a) => advisedBy(a, b)",
		"phase(a, Early) => advisedBy(a, b)",
		"published(t, a) ^ published(t, b) => advisedBy(a, b)",
		"published(t, b) ^ published(t, c) ^ advisedBy(a, c) ^ b != c => advisedBy(a, b)",
	} {
		key := mln.Canonical(streamtest.Parse(t, advising+want).Formulas[0])
		n := 0
		for _, text := range texts(found.Model) {
			if text == key {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: found %d times", want, n)
		}
	}
	sel, err := resolwe.Select(t.Context(), found.Model, s, resolwe.SelectOptions{Criterion: resolwe.Paper})
	check.OK(t, err)
	check.Equal(t, "candidates", len(sel.Candidates), len(found.Model.Formulas)-1)
}

// A limit keeps what is short, and of equal length what says most of the truth.
func TestDiscover_Max(t *testing.T) {
	t.Parallel()
	var db strings.Builder
	for i := range 30 {
		j := i % 15
		fmt.Fprintf(&db, "e(A%d, B%d)\n", i, j)
		if j%3 == 0 {
			fmt.Fprintf(&db, "q(A%d)\nh(B%d)\n", i, j)
		}
		if j%2 == 0 {
			fmt.Fprintf(&db, "k(B%d)\n", j)
		}
	}
	m := streamtest.Parse(t, "e(a, b)\nh(b)\nk(b)\ntarget q(a)\n")
	s := streamtest.InMemory(t, m, db.String())
	first, second, third := "e(a1, b1) => q(a1)", "e(a1, b1) ^ h(b1) => q(a1)", "e(a1, b1) ^ k(b1) => q(a1)" // of 30, 10 and 16 atoms
	const fewer = "with the least gain were left out"
	for _, test := range []struct {
		max    int
		memory int64
		want   []string
		warn   string
	}{
		{max: 1, want: []string{first}, warn: "there are too many candidates: none of length 2 was sought"},
		{max: 2, want: []string{first, second}, warn: "there are too many candidates: of length 2, the 2 with the least gain were left out; none of length 3 was sought"},
		{memory: 30 * 48, want: []string{first}, warn: fewer},
		{memory: 40 * 48, want: []string{first, second}, warn: fewer},
		{memory: 46 * 48, want: []string{first, second}, warn: fewer},
		{memory: 56 * 48, want: []string{first, second, third}, warn: fewer},
	} {
		found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 1, Max: test.max, Memory: test.memory})
		check.OK(t, err)
		check.Equal(t, "candidates", formulasOf(found), test.want)
		check.Equal(t, "warning", strings.HasSuffix(found.Warnings[0].Msg, test.warn), true)
		check.Equal(t, "warnings", len(found.Warnings), 1)
		check.Equal(t, "cut by Max and by Memory", []bool{found.CutByMax, found.CutByMemory}, []bool{test.max > 0, test.memory > 0})
	}
}

func formulasOf(d *resolwe.Discovery) (out []string) {
	for _, c := range d.Candidates {
		out = append(out, mln.FormatFormula(c.Formula))
	}
	return out
}

// Products are left to selection by gain.
func TestDiscover_Products(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising)
	s := streamtest.InMemory(t, m, advisingDB())
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Support: 1, Length: 2})
	check.OK(t, err)
	for _, f := range formulasOf(found) {
		if strings.Contains(f, "professor(") && strings.Contains(f, "phase(") {
			t.Errorf("got %s, a product", f)
		}
	}
}

// Options out of range, a pipe, no subgraph, no time.
func TestDiscover_Edges(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising)
	s := streamtest.InMemory(t, m, advisingDB())
	for want, opt := range map[string]resolwe.DiscoverOptions{
		"DiscoverOptions.Subgraphs": {Subgraphs: -1},
		"DiscoverOptions.Length":    {Length: 7},
		"DiscoverOptions.Support":   {Support: -1},
		"DiscoverOptions.Max":       {Max: -1},
		"DiscoverOptions.Values":    {Values: new(-1)},
		"DiscoverOptions.Memory":    {Memory: -1},
	} {
		_, err := resolwe.Discover(t.Context(), m, s, opt)
		if e, ok := errors.AsType[*resolwe.OptionError](err); !ok || e.Option != want {
			t.Errorf("%s: got %v", want, err)
		}
	}
	pipe, err := resolwe.OpenStream(m, []string{"-"}, resolwe.StreamOptions{Stdin: strings.NewReader(advisingDB())})
	check.OK(t, err)
	check.ErrorIs(t, check.Err(resolwe.Discover(t.Context(), m, pipe, resolwe.DiscoverOptions{})), resolwe.ErrReadOnce, "a pipe")
	none, err := resolwe.Discover(t.Context(), m, resolwe.NewStream(m, nil), resolwe.DiscoverOptions{})
	check.OK(t, err)
	check.Equal(t, "of an empty stream", []int{len(none.Candidates), len(none.Warnings)}, []int{0, 1})
	late, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Budget: resolwe.NewBudget(0, time.Now)})
	check.OK(t, err)
	check.Equal(t, "without time", []any{late.Length, len(late.Candidates), late.Stopped}, []any{0, 0, true})
	aimless := streamtest.Parse(t, "e(a)")
	_, err = resolwe.Discover(t.Context(), aimless, resolwe.NewStream(aimless, nil), resolwe.DiscoverOptions{})
	check.ErrorAs[*resolwe.NoTargetError](t, err, "no target")
}

// The demo's declarations alone give what was planted in its data, within the length.
func TestDiscover_Demo(t *testing.T) {
	t.Parallel()
	declared, _, _ := strings.Cut(demo.New().Model, "template")
	m := streamtest.Parse(t, declared)
	s := resolwe.NewStream(m, streamtest.Demo(t, m, 30, 0))
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{Length: 2})
	check.OK(t, err)
	there := map[string]bool{}
	for _, c := range found.Candidates {
		there[mln.Canonical(c.Formula)] = true
	}
	for _, planted := range []string{
		"member(u, c) ^ level2Topic(t, c) => modifies(t, u)",
		"userTalk(u1, u2) ^ modifies(t, u1) ^ u1 != u2 => modifies(t, u2)",
		"articleEdit(t1, u) ^ hyperLink(t1, t2) => modifies(t2, u)",
	} {
		check.Equal(t, planted, there[mln.Canonical(streamtest.Parse(t, declared+planted).Formulas[0])], true)
	}
}

// With the names 1, 2, 3, .. for the entities of all types, only the type of the centers has @center: others contain most names of centers
// in any subgraph.
func TestDiscover_DenseNames(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "friend(user, user)\nlikes(user, product)\nsoldIn(product, shop)\ntarget listed buys(user)\n")
	for _, prefix := range []string{"", "U"} { // of users
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		var db strings.Builder
		for s := range 60 {
			center := prefix + strconv.Itoa(1+s*7%60)
			fmt.Fprintf(&db, "@subgraph s%d center=%s\n", s, center)
			for p := range 62 {
				fmt.Fprintf(&db, "soldIn(%d, %d)\n", p, r.IntN(4)+p/2)
			}
			for range 4 {
				friend := prefix + strconv.Itoa(1+r.IntN(60))
				fmt.Fprintf(&db, "friend(%s, %s)\nlikes(%s, %d)\nlikes(%s, %d)\n", center, friend, friend, r.IntN(62), center, r.IntN(62))
				fmt.Fprintf(&db, "%sbuys(%s)\n", []string{"", "!"}[r.IntN(2)], center)
			}
		}
		facts := map[string]bool{}
		var text strings.Builder
		for line := range strings.Lines(db.String()) { // buys of a center is stated once
			name := strings.TrimPrefix(line, "!")
			if strings.HasPrefix(name, "@") {
				clear(facts)
			}
			if !facts[name] {
				text.WriteString(line)
			}
			facts[name] = true
		}
		found, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, text.String()), resolwe.DiscoverOptions{Support: 2})
		check.OKf(t, err, "seed %d", seed)
		user := false
		for _, f := range found.Model.Formulas {
			formula := mln.FormatFormula(f)
			user = user || strings.Contains(formula, "likes(@center, ") || strings.Contains(formula, "friend(@center, ")
			if regexp.MustCompile(`(likes|soldIn)\(\w+, @center\)|soldIn\(@center`).MatchString(formula) {
				t.Errorf("seed %d: %s", seed, formula)
			}
		}
		check.Is(t, user, true, "seed %d: the center is a user", seed)
	}
}

// How long ago the last thing of a kind was is offered where rows have their days, computed as by hand, and found where it decides.
func TestDiscover_SinceLast(t *testing.T) {
	t.Parallel()
	const declared = "number days\nvisits_user(visit, user)\nvisits_kind(visit, kind)\nvisits_days(visit, days)\ntarget listed returns(user)\n"
	const since = "min{d, v: visits_user(v, u) ^ visits_kind(v, Web) ^ visits_days(v, d)} >= 0 => returns(u)\n"
	m := streamtest.Parse(t, declared+since)
	s := streamtest.InMemory(t, m, `@subgraph a
visits_user(V1, U1)
visits_user(V2, U1)
visits_user(V3, U1)
visits_user(V4, U2)
visits_kind(V1, Web)
visits_kind(V2, Web)
visits_kind(V3, Shop)
visits_kind(V4, Shop)
visits_days(V1, 40)
visits_days(V2, 7)
visits_days(V3, 2)
visits_days(V4, 5)
returns(U1)
!returns(U2)
`)
	var values []float64
	for rows, err := range resolwe.Features(t.Context(), m, s, resolwe.FeatureOptions{Quantities: true}) {
		check.OK(t, err)
		for i := range rows.Len() {
			values = append(values, rows.Values(i, nil)...)
		}
	}
	check.Is(t, values[0], 7, "days since the last visit by Web")
	check.Equal(t, "no such visit", math.IsNaN(values[1]), true)

	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	var db strings.Builder
	for sub := range 60 {
		fmt.Fprintf(&db, "@subgraph s%d\n", sub)
		for user := range 6 {
			last := 1000
			for visit := range 1 + r.IntN(8) {
				kind, days := r.IntN(3), 1+r.IntN(90)
				fmt.Fprintf(&db, "visits_user(V%d_%d, U%d)\nvisits_kind(V%[1]d_%[2]d, %[4]s)\nvisits_days(V%[1]d_%[2]d, %[5]d)\n", user, visit, user, []string{"Web", "Shop", "Phone"}[kind], days)
				if kind == 0 {
					last = min(last, days)
				}
			}
			if r.Float64() < .1 == (last <= 20) {
				db.WriteString("!")
			}
			fmt.Fprintf(&db, "returns(U%d)\n", user)
		}
	}
	m = streamtest.Parse(t, declared)
	s = streamtest.InMemory(t, m, db.String())
	found, err := resolwe.Discover(t.Context(), m, s, resolwe.DiscoverOptions{})
	check.OK(t, err)
	sel, err := resolwe.Select(t.Context(), found.Model, s, resolwe.SelectOptions{})
	check.OK(t, err)
	first := *sel.Gain[0].Path[0].Formula.Body.(*mln.And).Xs[0].(*mln.Count)
	check.Contains(t, mln.FormatFormula(sel.Gain[0].Path[0].Formula), `Web`, "seed %d: first formula", seed)
	check.Is(t, first.Kind, mln.AggregateMin, "seed %d", seed)
	check.Near(t, first.K, 20, 2, "seed %d: bound", seed)
}
