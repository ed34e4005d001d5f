package cut_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/recipe"
	"resolwe/internal/test/check"
)

// nullOf returns the null of a recipe.
func nullOf(tb testing.TB, r *recipe.Recipe, text string) *recipe.Recipe {
	tb.Helper()
	null, _, err := r.Null("test.recipe", []byte(text), 3)
	check.OK(tb, err)
	return null
}

const (
	friendModel = "e(a, a)\nm(a, number)\ntarget listed q(a)\n"
	friendText  = `table t(a, a) from "t" (x, y)
table s(a) from "s" (x)
center c :- s(c), t(c, _)
deg(u, count(v)) :- t(u, v), s(v)
q(u) :- t(@center, u)
other(u) :- t(@center, f), t(f, u), !t(@center, u), u != @center, deg(u, n), n >= 2
other(u) :- s(u), s(w), t(w, @center), !t(u, w), !t(u, @center), u != @center
!q(u) :- other(u)
member(u) :- q(u)
member(u) :- other(u)
e(u, v) :- t(u, v), member(u)
m(u, n) :- deg(u, n)
`
)

// friendships returns random ones, in both directions.
func friendships(random *rand.Rand, users, rows int) (list []string) {
	for range rows {
		u, v := random.IntN(users), random.IntN(users)
		if u != v {
			list = append(list, fmt.Sprintf("U%d U%d", u, v), fmt.Sprintf("U%d U%d", v, u))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// targetsIn returns the atoms of q among lines.
func targetsIn(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(strings.TrimLeft(l, "!?"), "q(") })
}

// TestNull_Pairs holds that targets are those of the recipe over tables in which the center has other friends, and that evidence is
// read from the tables as they are.
func TestNull_Pairs(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	const users = 24
	rows := friendships(random, users, 40)
	var all []string
	for u := range users {
		all = append(all, "U"+strconv.Itoa(u))
	}
	r := parse(t, friendModel, friendText)
	null := nullOf(t, r, friendText)
	texts := []string{strings.Join(rows, ";"), strings.Join(all, ";")}
	moved := 0
	for _, line := range cutAll(t, null, texts...) {
		center, facts, _ := strings.Cut(line, ": ")
		got := strings.Fields(facts)
		var others []string
		for _, row := range rows {
			if words := strings.Fields(row); !slices.Contains(words, center) {
				others = append(others, row)
			}
		}
		friends, given := 0, map[string]bool{}
		for _, row := range rows {
			if strings.HasPrefix(row, center+" ") {
				friends++
			}
		}
		for _, l := range targetsIn(got) {
			if u, ok := strings.CutPrefix(l, "q("); ok {
				u = strings.TrimSuffix(u, ")")
				given[u] = true
				others = append(others, center+" "+u, u+" "+center)
				if !slices.Contains(rows, center+" "+u) {
					moved++
				}
			}
		}
		if len(given) != friends || given[center] {
			t.Errorf("%s: got %v for %d friends", center, given, friends)
		}
		u, tables := fill(t, r, strings.Join(others, ";"), texts[1])
		twin := newNaive(r, u, tables, center)
		twin.run()
		want, _ := twin.facts()
		var degrees []string
		check.Equal(t, center+": targets", targetsIn(got), targetsIn(want))
		u, tables = fill(t, r, texts...)
		twin = newNaive(r, u, tables, center)
		twin.run()
		plain, _ := twin.facts()
		for _, l := range plain {
			if strings.HasPrefix(l, "m(") {
				degrees = append(degrees, l)
			}
		}
		check.Equal(t, center+": evidence", slices.DeleteFunc(slices.Clone(got), func(l string) bool { return !strings.HasPrefix(l, "m(") }), degrees)
		var edges []string
		for _, row := range rows {
			w := strings.Fields(row)
			if slices.Contains(got, "q("+w[0]+")") || slices.Contains(got, "!q("+w[0]+")") {
				edges = append(edges, "e("+w[0]+","+w[1]+")")
			}
		}
		slices.Sort(edges)
		check.Equal(t, center+": rows of members", slices.DeleteFunc(slices.Clone(got), func(l string) bool { return !strings.HasPrefix(l, "e(") }), edges)
	}
	if moved == 0 {
		t.Error("no friend gave way to another one")
	}
	reversed := slices.Clone(rows)
	slices.Reverse(reversed)
	one, two := cutAll(t, null, texts...), cutAll(t, null, strings.Join(reversed, ";"), texts[1])
	slices.Sort(one)
	slices.Sort(two)
	check.Equal(t, "rows in another order", two, one)
}

// TestNull_Labels holds that the labels of a center change places among its atoms, those of centers of one atom between them, and
// rows without a label stay as they are.
func TestNull_Labels(t *testing.T) {
	t.Parallel()
	const text = `table t(a, a, flag) from "t" (x, y, optional z)
center c :- t(c, _, _)
q(u) :- t(@center, u, "Y")
!q(u) :- t(@center, u, "N")
e(@center, u) :- t(@center, u, "Y")
`
	r := parse(t, friendModel, text)
	null, drawn, err := r.Null("test.recipe", []byte(text), 3)
	check.OK(t, err)
	check.Equal(t, "drawn", drawn, false)
	var rows []string
	label := map[bool]string{true: "Y", false: "N"}
	for c := range 40 { // half of them with one atom
		for k := range 1 + c%2*9 {
			rows = append(rows, fmt.Sprintf("C%d U%d %s", c, k, label[(c/2+k)%3 == 0]))
		}
		rows = append(rows, fmt.Sprintf("C%d V .", c))
	}
	texts := strings.Join(rows, ";")
	was, is := cutAll(t, r, texts), cutAll(t, null, texts)
	truths := func(line string) (atoms []string, n int) {
		for _, l := range targetsIn(strings.Fields(line)) {
			atom, not := strings.CutPrefix(l, "!")
			if atoms = append(atoms, atom); !not {
				n++
			}
		}
		slices.Sort(atoms)
		return atoms, n
	}
	evidence := func(line string) []string {
		return slices.DeleteFunc(strings.Fields(line), func(l string) bool { return !strings.HasPrefix(l, "e(") })
	}
	moved, single, before := 0, 0, 0
	for i := range was {
		a, n := truths(was[i])
		b, m := truths(is[i])
		check.Equal(t, was[i]+": atoms", b, a)
		check.Equal(t, was[i]+": evidence", evidence(is[i]), evidence(was[i]))
		if len(a) == 1 {
			single, before = single+m, before+n
		} else if n != m {
			t.Errorf("%s: got %d true atoms, want %d", was[i], m, n)
		}
		if was[i] != is[i] {
			moved++
		}
	}
	check.Equal(t, "true atoms of centers of one", single, before)
	check.AtLeast(t, moved, 10, "centers whose labels moved")
}

// TestNull_NewCenters holds that the atoms of centers that have no truth yet stay unknown, of all who may be.
func TestNull_NewCenters(t *testing.T) {
	t.Parallel()
	const text = `table t(a, a) from "t" (x, y)
center c :- t(c, _)
center c :- new(c)
answered(c) :- t(c, _)
new(c) :- t(_, c), !answered(c)
q(u) :- t(@center, u)
other(u) :- t(_, u), !t(@center, u), u != @center
sample other 1 per q seed 5
!q(u) :- other(u)
?q(u) :- new(@center), t(_, u), u != @center
e(u, v) :- t(u, v)
`
	r := parse(t, friendModel, text)
	rows := "A B;A C;B C;B A;A D;B E;E A"
	was, is := cutAll(t, r, rows), cutAll(t, nullOf(t, r, text), rows)
	for i := range was {
		center, _, _ := strings.Cut(was[i], ":")
		got := targetsIn(strings.Fields(is[i]))
		if center == "C" || center == "D" {
			var want []string
			for _, u := range []string{"A", "B", "C", "D", "E"} {
				if u != center {
					want = append(want, "?q("+u+")")
				}
			}
			check.Equal(t, center, targetsIn(strings.Fields(was[i])), want)
			check.Equal(t, center+" of the null stream", got, want)
		} else if slices.ContainsFunc(got, func(l string) bool { return l[0] == '?' }) {
			t.Errorf("%s: got %v", center, got)
		}
	}
}

// TestNull_AsItWas holds that evidence sees a relation as it was that targets see otherwise, and that sampling goes by what targets see.
func TestNull_AsItWas(t *testing.T) {
	t.Parallel()
	const text = `table t(a, a) from "t" (x, y)
center c :- t(c, _)
linked(x, y) :- t(x, y)
linked(x, y) :- t(y, x)
q(u) :- t(@center, u)
other(u) :- linked(_, u), !linked(@center, u), u != @center
sample other 1 per q seed 5
!q(u) :- other(u)
e(u, v) :- linked(u, v)
`
	r := parse(t, friendModel, text)
	rows := friendships(rand.New(rand.NewPCG(1, 2)), 60, 80)
	was, is := cutAll(t, r, strings.Join(rows, ";")), cutAll(t, nullOf(t, r, text), strings.Join(rows, ";"))
	for i := range was {
		evidence := func(line string) []string {
			return slices.DeleteFunc(strings.Fields(line), func(l string) bool { return !strings.HasPrefix(l, "e(") })
		}
		check.Equal(t, "evidence", evidence(is[i]), evidence(was[i]))
		got := targetsIn(strings.Fields(is[i]))
		half := 0
		for _, l := range got {
			if strings.HasPrefix(l, "!") {
				half++
			}
		}
		if half*2 != len(got) || len(got) != len(targetsIn(strings.Fields(was[i]))) {
			t.Errorf("got %v", got)
		}
	}
}

// TestNull_Unknown names the rule whose null is not known.
func TestNull_Unknown(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"own(t) :- t(t, @center)\nq(u) :- own(w), t(w, u)",
		"q(u) :- t(@center, u), s(@center), s(u), t(@center, @center)\nq(u) :- t(u, @center)",
	} {
		text := "table t(a, a) from \"t\" (x, y)\ntable s(a) from \"s\" (x)\ncenter c :- t(c, _), s(c)\n" + rule + "\n"
		_, _, err := parse(t, friendModel, text).Null("test.recipe", []byte(text), 1)
		if err == nil || !strings.Contains(err.Error(), "the null of this rule is not known") || !strings.Contains(err.Error(), "q(u)") {
			t.Errorf("got %v", err)
		}
	}
}
