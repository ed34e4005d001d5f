package cut_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/internal/test/check"
	"resolwe/kernels/cut"
)

// TestDelicious is the recipe of the language's description over tables that are small enough to be worked by hand.
//
// A, B and C have three friends each. Strangers of A are E (through B and C), F (through C) and G (through B).
func TestDelicious(t *testing.T) {
	t.Parallel()
	const model = "bkMark(page, user, tag)\nbkMarkAfter(page, user)\nsameTag(user, user)\ntarget listed cFriends(user)\n"
	const text = `table friend(user, user) from "f" (a, b)
table tagged(user, page, tag, day) from "t" (u, p, t, d)
degree(u, count(x)) :- friend(u, x)
first(u, p, min(d)) :- tagged(u, p, _, d)
center c :- degree(c, n), n >= 3
cFriends(u) :- friend(@center, u)
stranger(u) :- friend(@center, f), friend(f, u), !friend(@center, u), u != @center
sample stranger 4 per cFriends seed 1
require count(stranger) >= count(cFriends)
!cFriends(u) :- stranger(u)
member(u) :- cFriends(u)
member(u) :- stranger(u)
bkMark(p, u, t) :- tagged(u, p, t, d), member(u)
bkMark(p, @center, t) :- tagged(@center, p, t, d)
bkMarkAfter(p, u) :- member(u), first(u, p, d), first(@center, p, d0), d > d0
sameTag(u1, u2) :- tagged(u1, p1, t, d1), tagged(u2, p2, t, d2), member(u1), member(u2), u1 != u2
`
	r := parse(t, model, text)
	got := cutAll(t, r,
		"A B; A C; A D; B A; B E; B G; C A; C E; C F; D A",
		// A marks P on day 5 and again on day 9; B marks P on day 7, E on day 5 and later, F before.
		"A P T1 9; A P T2 5; B P T1 7; E P T1 5; E P T1 8; F P T3 1; F Q T1 1; H P T1 9")
	want := []string{
		"A: !cFriends(E) !cFriends(F) !cFriends(G) @page P @page Q @tag T1 @tag T2 @tag T3 " +
			"@user A @user B @user C @user D @user E @user F @user G " +
			"bkMark(P,A,T1) bkMark(P,A,T2) bkMark(P,B,T1) bkMark(P,E,T1) bkMark(P,F,T3) bkMark(Q,F,T1) bkMarkAfter(P,B) " +
			"cFriends(B) cFriends(C) cFriends(D) " +
			"sameTag(B,E) sameTag(B,F) sameTag(E,B) sameTag(E,F) sameTag(F,B) sameTag(F,E)",
		"B: none", // two strangers, C and D, for three friends
		"C: none",
	}
	check.Equal(t, "result", got, want)
}

// TestNumbers states values of every kind as numbers: equal ones are one entity, in ascending order.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const model = "val(a, number)\nn(number)\ntarget listed aim(number)\n"
	const head = `table e(a) from "e" (x)
table v(a, int, number, day, time) from "v" (x, n, f, date(d), t)
center c :- e(c)
`
	tests := []struct{ name, rules, want string }{
		{"whole numbers", "val(x, n) :- v(x, n, _, _, _)", "@a B @number -2 @number 10 @number 9 val(B,-2) val(B,10) val(B,9)"},
		{"a union of kinds", "n(n) :- v(_, n, _, _, _)\nn(f) :- v(_, _, f, _, _)", "@number -2 @number 0.5 @number 10 @number 9 n(-2) n(0.5) n(10) n(9)"},
		{"days and seconds", "n(d) :- v(_, -2, _, d, _)\nn(s) :- v(_, -2, _, _, s)", "@number 1500000000 @number 17000 n(1500000000) n(17000)"},
		{"aggregates", "n(count(n)) :- v(_, n, _, _, _)\nn(sum(f)) :- v(_, _, f, _, _)\nn(max(n)) :- v(_, n, _, _, _)", "@number 10 @number 20.5 @number 3 n(10) n(20.5) n(3)"},
		{"a count and its group", "h(n) :- v(_, n, _, _, _)\nval(x, count(y)) :- v(x, _, _, _, _), v(_, y, _, _, _)\nval(x, n) :- v(x, _, _, _, _), h(n), n > 9", "@a B @number 10 @number 3 val(B,10) val(B,3)"},
		{"constants of a rule", "n(2.50) :- e(_)\nentity number(7) :- e(_)", "@number 2.5 @number 7 n(2.5)"},
		{"facts in a body are floats", "val(x, n) :- v(x, n, _, _, _)\nn(m) :- val(_, m), v(_, _, m, _, _)", "@a B @number -2 @number 10 @number 9 n(10) val(B,-2) val(B,10) val(B,9)"},
		{"false atoms", "aim(n) :- v(_, n, _, _, _), n < 0\n!aim(f) :- v(_, _, f, _, _)", "!aim(0.5) !aim(10) @number -2 @number 0.5 @number 10 aim(-2)"},
		{"beyond 2^53", "n(m) :- v(_, n, _, _, _), n = 9, big(m)\nbig(9007199254740993) :- e(_)\nbig(n) :- v(_, n, _, _, _), n > 11", "@number 9007199254740992 n(9007199254740992)"},
	}
	for _, tt := range tests {
		for _, kind := range []string{"number", "points"} {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				t.Parallel()
				of := func(text string) string { return strings.ReplaceAll(text, "number", kind) }
				r := parse(t, "number points\n"+of(model), of(head+tt.rules)+"\nval(A9, 0) :- e(Nobody), v(_, _, _, _, _)\n")
				got := cutAll(t, r, "A", "B 9 0.5 17000 1500000000; B -2 10 17000 1500000000; B 10 10 17001 1500000000")
				check.Equal(t, "subgraph", got, []string{"A: " + of(tt.want)})
			})
		}
	}
}

// TestNumbers_Conflict names a number that is stated true and false by its spelling.
func TestNumbers_Conflict(t *testing.T) {
	t.Parallel()
	r := parse(t, "target listed aim(number)\n", "table v(a, int, float) from \"v\" (x, n, f)\ncenter c :- v(c, _, _)\n"+
		"aim(n) :- v(@center, n, _)\n!aim(f) :- v(@center, _, f)\n")
	u, tables := fill(t, r, "A 2 2.0")
	var s subgraph.Subgraph
	_, err := compile(t, r, u, tables).NewCutter().Cut(&s, 0)
	want := &cut.UsageError{Message: "center A: aim(2) is stated both true and false; let one of the rules leave it out"}
	check.Equal(t, "error", err, error(want))
}

// TestRules cuts around center A, the only one, by rules for fact(a, a), named(a) and the listed target aim(a).
func TestRules(t *testing.T) {
	t.Parallel()
	const model = "fact(a, a)\nnamed(a)\ntarget listed aim(a)\n"
	const head = "table e(a, a) from \"e\" (x, y)\ntable v(a, int, float) from \"v\" (x, n, f)\ncenter c :- e(c, _), c = A\n"
	const edges, values = "A B; A C; B C; C D; D D; A B", "A 3 0.5; B 5 1.5; B 5 2.5; C 7 1.5; C 9 -0.5; D 7 1.5"
	tests := []struct{ name, rules, want string }{
		{"projection", "named(x) :- e(_, x)", "named(B) named(C) named(D)"},
		{"a variable twice", "named(x) :- e(x, x)", "named(D)"},
		{"a constant", "named(x) :- e(x, C)", "named(A) named(B)"},
		{"a constant in a head", "fact(x, New) :- e(x, x)", "fact(D,New)"},
		{"join", "fact(x, z) :- e(x, y), e(y, z)", "fact(A,C) fact(A,D) fact(B,D) fact(C,D) fact(D,D)"},
		{"join from the center", "named(z) :- e(@center, y), e(y, z)", "named(C) named(D)"},
		{"union", "named(x) :- e(x, D)\nnamed(@center) :- e(D, D)", "named(A) named(C) named(D)"},
		{"negation", "named(x) :- e(_, x), !e(@center, x)", "named(D)"},
		{"negation of a local relation", "near(x) :- e(@center, x)\nnamed(x) :- e(_, x), !near(x)", "named(D)"},
		{"negation with a constant", "named(x) :- e(x, _), !e(x, C)", "named(C) named(D)"},
		{"comparison of entities", "fact(x, y) :- e(x, y), x != y, y != D", "fact(A,B) fact(A,C) fact(B,C)"},
		{"comparison of values", "named(x) :- v(x, n, f), n > 5, f <= 1.5", "named(C) named(D)"},
		{"comparison of variables", "fact(x, y) :- v(x, n, _), v(y, m, _), n < m, e(x, y)", "fact(A,B) fact(A,C) fact(B,C)"},
		{"join on values", "fact(x, y) :- v(x, n, f), v(y, n, f), x != y", "fact(C,D) fact(D,C)"},
		{"join of values and a local relation", "near(x) :- e(@center, x)\nfact(x, y) :- near(x), near(y), v(x, _, f), v(y, _, f), x != y", "fact(B,C) fact(C,B)"},
		{"a product", "near(x) :- e(@center, x)\nfact(x, y) :- near(x), near(y)", "fact(B,B) fact(B,C) fact(C,B) fact(C,C)"},
		{"a condition apart", "named(x) :- e(x, x), v(_, 9, _)", "named(D)"},
		{"no positive atom", "named(Z) :- @center != B\nnamed(Y) :- @center = B", "named(Z)"},
		{"count of distinct", "h(x, count(n)) :- v(x, n, _)\nnamed(x) :- h(x, 1)", "named(A) named(B) named(D)"},
		{"min and max", "h(x, min(f), max(f)) :- v(x, _, f)\nnamed(x) :- h(x, l, g), l < g", "named(B) named(C)"},
		{"sum over bindings", "h(x, sum(n)) :- v(x, n, _)\nnamed(x) :- h(x, 10)", "named(B)"},
		{"sum over a projection", "g(x, n) :- v(x, n, _)\nh(x, sum(n)) :- g(x, n)\nnamed(x) :- h(x, 5)", "named(B)"},
		{"sum of floats", "h(x, sum(f)) :- v(x, _, f)\nnamed(x) :- h(x, 1)", "named(C)"},
		{"sum without group", "h(sum(n)) :- v(_, n, _)\nnamed(Yes) :- h(36)", "named(Yes)"},
		{"count around the center", "h(count(x)) :- e(@center, x)\nnamed(Yes) :- h(2)", "named(Yes)"},
		{"count of nothing", "h(count(x)) :- e(x, @center)\nnamed(Yes) :- h(_)\nnamed(No) :- e(_, _), v(_, 0, _)", ""},
		{"several aggregates", "h(min(n), x, count(f)) :- v(x, n, f)\nnamed(x) :- h(5, x, 2)", "named(B)"},
		{"false atoms", "aim(x) :- e(@center, x)\n!aim(x) :- e(_, x), !e(@center, x)", "!aim(D) aim(B) aim(C)"},
		{"entities", "named(D) :- e(D, D)\nentity a(x) :- e(@center, x)", "@B @C named(D)"},
		{"require met", "named(x) :- e(@center, x)\nrequire count(named) = 2", "named(B) named(C)"},
		{"require failed", "named(x) :- e(@center, x)\nrequire count(named) > 2", "none"},
		{"require of two", "named(x) :- e(@center, x)\naim(x) :- e(x, x)\nrequire count(aim) < count(named)", "aim(D) named(B) named(C)"},
		{"sample of all", "named(x) :- e(@center, x)\nsample named 1 per named2 seed 1\nnamed2(x) :- e(_, x)", "named(B) named(C)"},
		{"stratified sample", "h(x, n) :- v(x, n, _)\nsample h 9 per g stratified seed 1\ng(x, n) :- v(x, n, _), n >= 6\nnamed(x) :- h(x, n), e(@center, _)", "named(C) named(D)"},
		{"sample of none", "named(x) :- e(@center, x)\nsample named 9 per none seed 1\nnone(x) :- e(x, @center)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := head + tt.rules + "\nnamed(x) :- e(x, _), v(x, _, _), x = Nobody\n" // no table stays unused
			r := parse(t, model, text)
			got := cutAll(t, r, edges, values)
			if len(got) != 1 {
				t.Fatalf("got %d centers, want 1: %v", len(got), got)
			}
			check.Is(t, withoutMentioned(strings.TrimPrefix(got[0], "A: ")), tt.want, "withoutMentioned")
		})
	}
}

// withoutMentioned drops the entities that facts mention, and the type of the others.
func withoutMentioned(lines string) string {
	words := strings.Fields(strings.ReplaceAll(lines, "@a ", "@"))
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		name, is := strings.CutPrefix(word, "@")
		return is && regexp.MustCompile(`[(,]`+name+`[),]`).MatchString(lines)
	}), " ")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const model = "named(a)\ntarget listed aim(a)\n"
	const tables = "table k(a, int) from \"k\" (c, n)\n"
	tests := []struct {
		name, text, rows, msg string
		usage                 bool
	}{
		{"two folds", "center c fold f :- k(c, f)\n", "A 1; B 2; A 3", "center A is in folds 1 and 3; give it one", true},
		{"negative fold", "center c fold f :- k(c, f)\n", "A -1", "center A is in fold -1: folds are from 0 to 2147483647", true},
		{"sum of a table", "center c :- k(c, _)\nh(sum(n)) :- k(_, n)\nnamed(x) :- k(x, n), h(n)\n", "A 9223372036854775807; B 1", "relation h: a sum is beyond 64 bits", false},
		{"sum around a center", "center c :- k(c, _)\nh(sum(n)) :- k(@center, n)\nnamed(x) :- k(x, n), h(n)\n", "A -9223372036854775808; A -1", "relation h, center A: a sum is beyond 64 bits", false},
		{"true and false", "center c :- k(c, _)\naim(x) :- k(x, 1)\n!aim(x) :- k(x, 2)\n", "A 1; B 2; B 1", "center A: aim(B) is stated both true and false; let one of the rules leave it out", true},
		{"true and unknown", "center c :- k(c, _)\naim(x) :- k(x, 1)\n?aim(x) :- k(x, 2)\n", "A 1; B 2; B 1", "center A: aim(B) is stated both true and unknown; let one of the rules leave it out", true},
		{"false and unknown", "center c :- k(c, _)\n!aim(x) :- k(x, 1)\n?aim(x) :- k(x, 2)\n", "A 1; B 2; B 1", "center A: aim(B) is stated both false and unknown; let one of the rules leave it out", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := parse(t, model, tables+tt.text)
			u, filled := fill(t, r, tt.rows)
			plan, err := cut.Compile(r, u, filled)
			if err == nil {
				_, err = plan.NewCutter().Cut(new(subgraph.Subgraph), 0)
			}
			if err == nil || err.Error() != tt.msg || errors.As(err, new(*cut.UsageError)) != tt.usage {
				t.Errorf("got %T %v, want %s", err, err, tt.msg)
			}
		})
	}
}

func TestSumThatFitsPassesThroughLargerOnes(t *testing.T) {
	t.Parallel()
	r := parse(t, "named(a)\n", "table k(a, int) from \"k\" (c, n)\ncenter c :- k(c, 1)\nh(sum(n)) :- k(_, n)\nnamed(x) :- k(x, 1), h(9223372036854775807)\n")
	const rows = "A 1; B 9223372036854775807; C 9223372036854775807; D -9223372036854775808"
	check.Slices(t, cutAll(t, r, rows), []string{"A: @a A named(A)"}, "cutAll")
}

// TestCutter_Concurrent cuts the same centers in one cutter and in several at once, in other orders.
func TestCutter_Concurrent(t *testing.T) {
	t.Parallel()
	r := parse(t, wikiModel, wikiRecipe)
	u, tables := wiki(t, r, 30)
	plan := compile(t, r, u, tables)
	n := len(plan.Centers())
	want := make([][]byte, n)
	c := plan.NewCutter()
	for i := range n {
		want[i] = bytesOf(t, r, c, i)
	}
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			c := plan.NewCutter()
			for _, i := range rand.New(rand.NewPCG(uint64(w), 0)).Perm(n) {
				if got := bytesOf(t, r, c, i); !bytes.Equal(got, want[i]) {
					t.Errorf("center %d: other bytes in worker %d", i, w)
				}
			}
		})
	}
	wg.Wait()
}

func ExampleCompile() {
	model, err := mln.Parse("task.mln", []byte("follows(user, user)\n"), mln.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	const text = `table follow(user, user) from "follow.csv" (from, to)
fans(u, count(f)) :- follow(f, u)
center c          :- fans(c, n), n >= 2
follows(u, v)     :- follow(u, @center), follow(u, v)
`
	r, err := recipe.Parse("fans.recipe", []byte(text), &model.Schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	u := table.NewUniverse(r.Types)
	follow := &table.Table{Columns: make([]table.Column, 2)}
	for _, row := range []string{"ann bob", "bob ann", "cem ann", "cem bob", "bob dan"} {
		for c, name := range strings.Fields(row) {
			follow.Columns[c].Kind = table.KindEntity
			follow.Columns[c].IDs = append(follow.Columns[c].IDs, u.Dicts[0].Intern([]byte(name)))
		}
		follow.Rows++
	}
	plan, err := cut.Compile(r, u, []*table.Table{follow})
	if err != nil {
		fmt.Println(err)
		return
	}
	cutter := plan.NewCutter()
	for i, center := range plan.Centers() {
		var s subgraph.Subgraph
		if _, err := cutter.Cut(&s, i); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(center.Name, linesOf(r, &s))
	}
	// Output:
	// ann [@user ann @user bob @user cem @user dan follows(bob,ann) follows(bob,dan) follows(cem,ann) follows(cem,bob)]
	// bob [@user ann @user bob @user cem follows(ann,bob) follows(cem,ann) follows(cem,bob)]
}
