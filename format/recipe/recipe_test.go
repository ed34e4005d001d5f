package recipe_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/test/check"
)

const model = `bkMark(page, user, tag)
bkMarkAfter(page, user)
sameTag(user, user)
target listed cFriends(user)
target likes(user, page)
`

// delicious is the example of the language's description.
const delicious = `table friend(user, user)             from "user_friends.dat" (userID, friendID)
table tagged(user, page, tag, day)   from "user_taggedartists.dat" (userID, artistID, tagID, date(year, month, day))

degree(u, count(x))      :- friend(u, x)
first(u, p, min(d))      :- tagged(u, p, _, d)
center c                 :- degree(c, n), n >= 3                     // one subgraph for each

cFriends(u)              :- friend(@center, u)                       // a listed target: true
stranger(u)              :- friend(@center, f), friend(f, u), !friend(@center, u), u != @center
sample stranger 4 per cFriends seed 1                                // four times as many strangers, where there are that many
require count(stranger) >= count(cFriends)                           // the paper: else no subgraph
!cFriends(u)             :- stranger(u)                              // a listed target: false
member(u)                :- cFriends(u)
member(u)                :- stranger(u)
bkMark(p, u, t)          :- tagged(u, p, t, d), member(u)
bkMark(p, @center, t)    :- tagged(@center, p, t, d)
bkMarkAfter(p, u)        :- member(u), first(u, p, d), first(@center, p, d0), d > d0
sameTag(u1, u2)          :- tagged(u1, p1, t, d1), tagged(u2, p2, t, d2), member(u1), member(u2), u1 != u2
`

func schema(tb testing.TB) *mln.Schema {
	tb.Helper()
	m, err := mln.Parse("task.mln", []byte(model), mln.Options{})
	check.OK(tb, err)
	return &m.Schema
}

// summary describes a relation: sign, name and types, "local" where it is, and the rules' lines.
func summary(r *recipe.Recipe, rel *recipe.Relation) string {
	types := make([]string, len(rel.Columns))
	for i, c := range rel.Columns {
		types[i] = r.TypeName(c)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s(%s)", rel.Role, rel.Name, strings.Join(types, ", "))
	if rel.Local {
		b.WriteString(" local")
	}
	for _, i := range rel.Rules {
		fmt.Fprintf(&b, " %d", r.Rules[i].Pos.Line)
	}
	return b.String()
}

func TestDelicious(t *testing.T) {
	t.Parallel()
	r, err := recipe.Parse("d.recipe", []byte(delicious), schema(t))
	check.OK(t, err)
	var relations, order []string
	for i := range r.Relations {
		relations = append(relations, summary(r, &r.Relations[i]))
	}
	for _, i := range r.Order {
		order = append(order, r.Relations[i].Name)
	}
	want := []string{
		"1 friend(user, user)", "1 tagged(user, page, tag, day)",
		"2 degree(user, int) 4", "2 first(user, page, day) 5", "7 center(user) 6", "3 cFriends(user) local 8",
		"2 stranger(user) local 9", "4 cFriends(user) local 12", "2 member(user) local 13 14",
		"3 bkMark(page, user, tag) local 15 16", "3 bkMarkAfter(page, user) local 17", "3 sameTag(user, user) local 18",
	}
	check.Equal(t, "relations", relations, want)
	check.Equal(t, "order", order, strings.Fields("degree first center cFriends stranger cFriends member bkMark bkMarkAfter sameTag"))
	wantTable := table.Spec{
		Name: "tagged", Types: []int{1, 0, 2, -1}, Glob: "user_taggedartists.dat",
		Columns: []table.ColumnSpec{
			{Refs: []table.Ref{{Header: "userID"}}},
			{Refs: []table.Ref{{Header: "artistID"}}},
			{Refs: []table.Ref{{Header: "tagID"}}},
			{Func: "date", Refs: []table.Ref{{Header: "year"}, {Header: "month"}, {Header: "day"}}},
		},
		Pos: mln.Position{File: "d.recipe", Line: 2, Column: 7},
	}
	check.Equal(t, "table", r.Tables[1], wantTable)
	wantSample := &recipe.Sample{N: 4, Per: 5, Seed: 1, Pos: lex.Position{File: "d.recipe", Line: 10, Column: 1}}
	check.Equal(t, "sample", r.Relations[6].Sample, wantSample)
	wantRequire := []recipe.Require{{Left: 6, Op: lex.AtLeast, Right: 5, Pos: lex.Position{File: "d.recipe", Line: 11, Column: 1}}}
	check.Equal(t, "require", r.Requires, wantRequire)
}

// head is five lines before the text of a case.
const head = `table friend(user, user) from "f.tsv" (a, b)
table tagged(user, page, tag, day) from "t.tsv" (u, p, t, d)
center c :- friend(c, _)
bkMark(p, u, t) :- tagged(u, p, t, _)

`

func TestLayout(t *testing.T) {
	t.Parallel()
	r, err := recipe.Parse("r", []byte(delicious+`table x(user, int)
  from "x.csv" trim delimiter blanks skip 2 comment "#" escape ragged encoding "latin1" null "-" "?" (optional #1 null "x" "y", optional int(b as "<($1,234.5)" null "-1"))
likes(u, P) :- x(u, n), n > -1
`), schema(t))
	check.OK(t, err)
	got := r.Tables[2]
	check.Equal(t, "layout", got.Layout, table.Layout{Delimiter: table.Blanks, Encoding: table.EncodingLatin1, Skip: 2, Comment: "#", Trim: true, Escape: true, Ragged: true})
	check.Equal(t, "nulls", got.Nulls, []string{"-", "?"})
	check.Equal(t, "columns", got.Columns, []table.ColumnSpec{
		{Refs: []table.Ref{{Index: 1}}, Nulls: []string{"x", "y"}, Optional: true},
		{Refs: []table.Ref{{Header: "b"}}, Func: "int", Form: "<($1,234.5)", Nulls: []string{"-1"}, Optional: true},
	})
}

func TestForms(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"lines continued", "sameTag(u, v)\n  :- friend(u, v),\n  friend(v, u)\n  , u !=\n v"},
		{"a table over lines", "table x(user,\n int)\n  from \"x.csv\" delimiter \";\" noheader (\n#1, #2)\nsameTag(u, u) :- x(u, n), n > -1"},
		{"columns", "table x(user, int, float, day, time, day) from \"{w}/x.csv\" (w:\"a b\", #2, float(c), d, time(#3), date(y, m, \"d d\"))\nsameTag(u, u) :- x(u, _, _, _, _, _)"},
		{"a type of tables only", "table x(user, group) from \"x.csv\" (a, b)\nsameTag(u, v) :- x(u, g), x(v, g)"},
		{"numbers as names and values", "table x(user, int) from \"x.csv\" (a, b)\nsameTag(u, 3) :- x(u, 3), friend(u, 07), u != 1.5"},
		{"constants", "sameTag(u, @center) :- friend(u, A), u != \"a b\", friend(u, 3a)"},
		{"a body without positive atom", "likes(@center, P) :- @center != A"},
		{"folds", "table x(user, int) from \"x.csv\" (a, b)\nh(u) :- x(u, _)\nsameTag(u, u) :- h(u)"},
		{"encodings and forms", "table x(user, int, day, time, float) from \"x.csv\" encoding \"latin1\" (a, int(b as \"1,234.5\"), date(c as \"dmy\"), time(#3 as \"ms\"), number(d as \"1.234,5\"))\n" +
			"  where date(e as \"mdy\") > \"2020-01-01\"\nsameTag(u, u) :- x(u, _, _, _, _)"},
		{"days", "h(u, days(d - e)) :- tagged(u, _, _, d), tagged(u, _, _, e)\nsameTag(u, u) :- h(u, n), n > 3"},
		{"a hyphen and a minus", "first-day(u', days(d-e)) :- tagged(u', _, _, d), tagged(u', _, _, e), d-3 > e\nsameTag(u, u) :- first-day(u, n), n > 3"},
		{"ranks", "h(u, p, rank(d by p)) :- tagged(u, p, _, d)\nsameTag(u, u) :- h(u, _, 1)"},
		{"averages and quotients", "h(u, count(p), min(d)) :- tagged(u, p, _, d)\ng(u, n / m, avg(m)) :- h(u, n, _), h(_, m, _), n / m > 0.5, m / n < n / m\nsameTag(u, u) :- g(u, x, y), x < y"},
		{"a quotient beside a comment", "h(u, count(p)) :- tagged(u, p, _, _)\nsameTag(u, u) :- h(u, n), n/n = 1 // n / 0"},
		{"a last day", "sameTag(u, u) :- tagged(u, _, _, d), d <= @asof, @asof - 3 > d"},
		{"row numbers", "table x(row, user) from \"{w}.csv\" null \"NA\" \"-\" (w:#row, optional a)\nsameTag(u, u) :- x(r, u), x(r, u)"},
		{"entities", "entity tag(t) :- tagged(@center, _, t, _)\nentity user(A) :- friend(@center, _)"},
		{"keywords as names", "table(u) :- friend(u, _)\ncount(u, v) :- table(u), friend(u, v)\nsameTag(u, v) :- count(u, v)"},
		{"aggregates", "h(u, count(p), min(d), max(d)) :- tagged(u, p, _, d)\nsameTag(u, u) :- h(u, n, a, b), n > 1, a < b"},
		{"an aggregate without group", "h(count(u)) :- friend(u, _)\nsameTag(u, u) :- friend(u, _), h(n), n > 3"},
		{"a helper typed by its use", "h(A, 3) :- friend(_, _)\ng(count(u)) :- friend(u, _)\nsameTag(u, u) :- h(u, n), g(n)"},
		{"a fact in a body", "sameTag(u, v) :- bkMark(p, u, _), bkMark(p, v, _)"},
		{"require a number", "require count(bkMark) > 2.5\nrequire count(bkMark) != count(bkMark)"},
		{"false atoms", "!cFriends(u) :- friend(u, _)\ncFriends(u) :- friend(@center, u)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check.OK(t, check.Err(recipe.Parse("r", []byte(head+tt.text), schema(t))))
		})
	}
}

// TestErrors gives for each wrong text the type of the error, its place and a part of its message.
func TestErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		kind       lex.Error
		at, msg    string
	}{
		{"no body", "sameTag(u, u)", new(lex.SyntaxError), "6:14", `expected ":-" and the body of the rule, found end of file`},
		{"final period", "sameTag(u, u) :- friend(u, u).", new(lex.SyntaxError), "6:30", `unexpected "."`},
		{"two literals without comma", "sameTag(u, u) :- friend(u, u) friend(u, u)", new(lex.SyntaxError), "6:31", "the end of the statement"},
		{"misspelt keyword", "tabel x(user) from \"x\" (a)", new(lex.SyntaxError), "6:1", `did you mean "table"?`},
		{"misspelt aggregate", "h(cuont(u)) :- friend(u, u)", new(lex.SyntaxError), "6:3", `did you mean "count"?`},
		{"unknown function", "table x(day) from \"x\" (dat(a))", new(lex.SyntaxError), "6:24", `did you mean "date"?`},
		{"function in a body", "sameTag(u, u) :- friend(u, f(u))", new(lex.SyntaxError), "6:28", "only variables, constants and numbers"},
		{"a constant in an aggregate", "h(count(A)) :- friend(u, u)", new(lex.SyntaxError), "6:9", "expected a variable"},
		{"a comparison without right side", "sameTag(u, u) :- friend(u, u), u =", new(lex.SyntaxError), "6:35", "expected a variable, a constant or a number"},
		{"another @", "sameTag(u, @centre) :- friend(u, u)", new(lex.SyntaxError), "6:12", "@center"},
		{"an option twice", "table x(user) from \"x\" trim trim (a)", new(lex.SyntaxError), "6:29", "an option such as"},
		{"skip nothing", "table x(user) from \"x\" skip 0 (a)", recipe.Error{}, "6:29", "a whole number from 1"},
		{"delimiter", "table x(user) from \"x\" delimiter \"\\\"\" (a)", new(lex.SyntaxError), "6:34", "one character"},
		{"encoding", "table x(user) from \"x\" encoding \"utf7\" (a)", new(lex.SyntaxError), "6:33", `"latin1"`},
		{"form", "table x(day) from \"x\" (date(a as \"my\"))", new(lex.SyntaxError), "6:34", `date(..) has no form "my": there are "dmy"`},
		{"form of a number", "table x(int) from \"x\" (int(a as \"dmy\"))", new(lex.SyntaxError), "6:33", `"1,234.5"`},
		{"form of three columns", "table x(day) from \"x\" (date(a as \"dmy\", b, c))", recipe.Error{}, "6:46", "a form (as ..) is of one column"},
		{"center of a constant", "center A :- friend(A, _)", new(lex.SyntaxError), "6:8", "expected a variable"},
		{"sample without seed", "sample bkMark 3 per bkMark", new(lex.SyntaxError), "6:27", `expected "seed"`},
		{"require without count", "require bkMark > 3", new(lex.SyntaxError), "6:9", `expected "count("`},
		{"not UTF-8", "sameTag(u, u) :- \xff", new(lex.SyntaxError), "6:18", "UTF-8"},
		{"undefined relation", "sameTag(u, u) :- frend(u, u)", recipe.Error{}, "6:18", `relation frend; did you mean "friend"?`},
		{"a predicate without rules", "likes(u, p) :- sameTag(u, u), bkMark(p, u, _)", recipe.Error{}, "6:16", "no table and no rule defines relation sameTag"},
		{"strata of two types", "sample sameTag 3 per bkMark stratified seed 1\nsameTag(u, v) :- friend(u, v)", recipe.Error{}, "6:1", "last columns"},
		{"undefined in sample", "sample x 3 per bkMark seed 1", recipe.Error{}, "6:8", "relation x"},
		{"undefined in require", "require count(x) > 1", recipe.Error{}, "6:15", "relation x"},
		{"unused table", "table x(user) from \"x\" (a)", recipe.Error{}, "6:7", "no rule uses table x"},
		{"unused relation", "sameTga(u, u) :- friend(u, _)", recipe.Error{}, "6:1", `no predicate of that name; did you mean "sameTag"?`},
		{"arity of a table", "sameTag(u, u) :- friend(u)", recipe.Error{}, "6:18", "friend has 2 arguments, found 1"},
		{"arity of a predicate", "sameTag(u) :- friend(u, _)", recipe.Error{}, "6:1", "sameTag has 2 arguments, found 1"},
		{"arity of a helper", "h(u) :- friend(u, _)\nsameTag(u, u) :- h(u, u)", recipe.Error{}, "7:18", "h has 1 argument at r:6:1, found 2"},
		{"arity of the center", "center c fold f :- friend(c, _), tagged(c, _, _, f)", recipe.Error{}, "6:1", "center has 1 argument at r:3:1, found 2"},
		{"folds and an order", "center c by d :- friend(c, _), tagged(c, _, _, d)", recipe.Error{}, "6:1", "center has 1 argument at r:3:1, found 2"},
		{"days of users", "h(days(u - v)) :- friend(u, v)\nsameTag(u, u) :- friend(u, u), h(_)", recipe.Error{}, "6:8", "days(u - v) is of days or times, u is of type user"},
		{"days of two types", "h(days(u - d)) :- tagged(u, _, _, d)\nsameTag(u, u) :- friend(u, u), h(_)", recipe.Error{}, "6:12", "of type"},
		{"days as an entity", "sameTag(u, days(d - e)) :- tagged(u, _, _, d), tagged(u, _, _, e)", recipe.Error{}, "6:17", "days(d - e) is of type int, where sameTag has type user"},
		{"unsafe days", "h(days(d - e)) :- tagged(_, _, _, d)\nsameTag(u, u) :- friend(u, u), h(_)", recipe.Error{}, "6:12", "variable e of the head"},
		{"a rank of what is not in the head", "h(u, rank(d by p)) :- tagged(u, p, _, d)\nsameTag(u, u) :- h(u, _)", recipe.Error{}, "6:16", "rank(d by p) numbers what stands in the head too, p does not"},
		{"a rank by users", "h(u, v, rank(u by v)) :- friend(u, v)\nsameTag(u, u) :- h(u, _, _)", recipe.Error{}, "6:14", "rank(u by v) is over values"},
		{"a rank without by", "h(u, rank(d)) :- tagged(u, _, _, d)", new(lex.SyntaxError), "6:12", "\"by\""},
		{"a quotient of days", "h(u, d / d) :- tagged(u, _, _, d)\nsameTag(u, u) :- h(u, _)", recipe.Error{}, "6:6", "a quotient is of types int or float, d is of type day"},
		{"a quotient and a sum", "h(u, count(p)) :- tagged(u, p, _, _)\nsameTag(u, u) :- h(u, n), n / n + 1 > 2", new(lex.SyntaxError), "7:33", "nothing is added to a quotient"},
		{"a quotient beside an int", "h(u, count(p)) :- tagged(u, p, _, _)\nsameTag(u, u) :- h(u, n), n / n > n", recipe.Error{}, "7:35", "a quotient compares with a number or a float, n is of type int"},
		{"a last day as an argument", "sameTag(u, u) :- tagged(u, _, _, @asof)", new(lex.SyntaxError), "6:34", "@asof stands in comparisons only"},
		{"a last day beside a user", "sameTag(u, u) :- friend(u, _), u = @asof", recipe.Error{}, "6:36", "@asof is a day or time, not of type user"},
		{"a row number as a value", "table x(int) from \"x\" (#row)", recipe.Error{}, "6:24", "is the number of the row, an entity, not of type int"},
		{"two types", "sameTag(u, p) :- tagged(u, p, _, _)", recipe.Error{}, "6:12", "variable p is of type user here and of type page at r:6:28"},
		{"a value beside an entity", "sameTag(u, d) :- tagged(u, _, _, d)", recipe.Error{}, "6:12", "of type user here and of type day at r:6:34"},
		{"comparison of two types", "sameTag(u, u) :- tagged(u, p, _, _), u != p", recipe.Error{}, "6:43", "variable p is of type page here and of type user"},
		{"order of entities", "sameTag(u, v) :- friend(u, v), u < v", recipe.Error{}, "6:32", "have no order"},
		{"a name beside a value", "sameTag(u, u) :- tagged(u, _, _, A)", recipe.Error{}, "6:34", `"A" is not a day: write it in quotes`},
		{"comparison of constants", "sameTag(u, u) :- friend(u, u), 3 < 4", recipe.Error{}, "6:32", "needs a variable"},
		{"another type of center", "bkMarkAfter(@center, u) :- friend(u, _)", recipe.Error{}, "6:13", "@center is of type page here and of type user"},
		{"sum of entities", "h(u, sum(v)) :- friend(u, v)\nsameTag(u, u) :- h(u, _)", recipe.Error{}, "6:10", "sum(v) is over values of type int or float"},
		{"sum of days", "h(u, sum(d)) :- tagged(u, _, _, d)\nsameTag(u, u) :- h(u, _)", recipe.Error{}, "6:10", "d is of type day"},
		{"min of entities", "h(u, min(v)) :- friend(u, v)\nsameTag(u, u) :- h(u, _)", recipe.Error{}, "6:10", "v is of type user"},
		{"count as an entity", "sameTag(u, count(v)) :- friend(u, v)", recipe.Error{}, "6:18", "count(v) is of type int, where sameTag has type user"},
		{"two types of a helper", "h(u) :- friend(u, _)\nh(p) :- tagged(_, p, _, _)\nsameTag(u, u) :- h(u)", recipe.Error{}, "7:3", "variable p is of type user here and of type page"},
		{"no type", "h(A) :- friend(_, _)\nsameTag(u, u) :- friend(u, u), h(_)", recipe.Error{}, "6:1", "nothing tells the type of argument 1 of h"},
		{"unsafe head", "sameTag(u, v) :- friend(u, _)", recipe.Error{}, "6:12", "variable v of the head is in no positive atom"},
		{"unsafe negation", "sameTag(u, u) :- friend(u, _), !friend(u, v)", recipe.Error{}, "6:43", "variable v of !friend"},
		{"unsafe blank", "sameTag(u, u) :- friend(u, _), !friend(u, _)", recipe.Error{}, "6:43", "variable _ of !friend"},
		{"unsafe comparison", "sameTag(u, u) :- friend(u, _), u != v", recipe.Error{}, "6:37", "variable v of a comparison"},
		{"unsafe aggregate", "h(count(x)) :- friend(_, _)\nsameTag(u, u) :- friend(u, u), h(_)", recipe.Error{}, "6:9", "variable x of the head"},
		{"recursion", "g(u) :- h(u)\nh(u) :- friend(u, v), !g(v)\nsameTag(u, u) :- h(u)", recipe.Error{}, "6:1", "g -> h -> g"},
		{"recursion of one", "h(u) :- h(u), friend(u, u)\nsameTag(u, u) :- h(u)", recipe.Error{}, "6:1", "h -> h"},
		{"recursion through a sample", "h(u) :- friend(@center, u)\ng(u) :- h(u)\nsample h 1 per g seed 1", recipe.Error{}, "6:1", "h -> g -> h"},
		{"aggregate in a body", "sameTag(u, u) :- friend(u, v), count(v) > 3", recipe.Error{}, "6:32", "only heads have them"},
		{"aggregate as a right side", "sameTag(u, u) :- friend(u, v), 3 < count(v)", recipe.Error{}, "6:36", "only heads have them"},
		{"aggregate as an argument", "sameTag(u, u) :- friend(u, max(v))", recipe.Error{}, "6:28", "only heads have them"},
		{"aggregate as an atom", "sameTag(u, u) :- friend(u, v), count(v)", recipe.Error{}, "6:32", "only heads have them"},
		{"unknown evidence", "?bkMark(p, u, t) :- tagged(u, p, t, _)", recipe.Error{}, "6:2", "?bkMark in a head: only targets have atoms of unknown truth, bkMark is evidence"},
		{"unknown in a body", "bkMark(p, u, t) :- tagged(u, p, t, _), ?cFriends(u)", new(lex.SyntaxError), "6:40", ""},
		{"negated evidence", "!bkMark(p, u, t) :- tagged(u, p, t, _)", recipe.Error{}, "6:2", "bkMark is evidence"},
		{"negated target", "!likes(u, p) :- tagged(u, p, _, _)", recipe.Error{}, "6:2", "likes is target"},
		{"negated helper", "!h(u) :- friend(u, _)", recipe.Error{}, "6:2", "h is a helper relation"},
		{"table twice", "table friend(user) from \"x\" (a)", recipe.Error{}, "6:7", "first at r:1:7"},
		{"table and head", "friend(u, u) :- tagged(u, _, _, _)", recipe.Error{}, "6:1", "friend is a table (r:1:7)"},
		{"table and predicate", "table likes(user, page) from \"x\" (a, b)", recipe.Error{}, "6:7", "name of a predicate"},
		{"centers sampled twice", "sample center 1 seed 1\nsample center 2 seed 1\nsameTag(u, u) :- friend(u, u)", recipe.Error{}, "7:1", "first at r:6:1"},
		{"centers per relation", "sample center 1 per sameTag seed 1\nsameTag(u, u) :- friend(u, u)", recipe.Error{}, "6:8", "center"},
		{"sampled twice", "sample bkMark 1 per sameTag seed 1\nsample bkMark 1 per sameTag seed 1\nsameTag(u, u) :- friend(u, u)", recipe.Error{}, "7:1", "first at r:6:1"},
		{"fewer columns", "table x(user, user) from \"x\" (a)", recipe.Error{}, "6:1", "table x has 2 types and 1 column"},
		{"an entity read as a value", "table x(user) from \"x\" (float(a))", recipe.Error{}, "6:25", "column 1 of table x is an entity of type user, not a value that float(..) reads"},
		{"a value of another kind", "table x(day) from \"x\" (time(a))", recipe.Error{}, "6:24", "of type day, which date(..) reads, not time(..)"},
		{"a date of two columns", "table x(day) from \"x\" (date(a, b))", recipe.Error{}, "6:24", "reads 2 columns"},
		{"names without header", "table x(user) from \"x\" noheader (a)", recipe.Error{}, "6:34", "#1, #2"},
		{"unknown wildcard", "table x(user) from \"{a}.tsv\" (w:a)", recipe.Error{}, "6:31", "{w}"},
		{"prefix of a value", "table x(int) from \"{w}.tsv\" (w:a)", recipe.Error{}, "6:30", "only entities take a prefix"},
		{"center of values", "table x(int) from \"x\" (a)\nsameTag(u, u) :- friend(u, u), x(_)\ncenter n :- x(n)", recipe.Error{}, "8:8", "int"},
		{"center that reaches itself", "h(u) :- friend(@center, u)\ncenter c :- h(c)", recipe.Error{}, "3:1", "center -> h -> @center"},
		{"table sampled", "sample friend 1 per bkMark seed 1", recipe.Error{}, "6:8", "friend is a table"},
		{"entity of no type", "entity usr(u) :- friend(u, _)", recipe.Error{}, "6:8", `usr is not a type of the model; did you mean "user"?`},
		{"sample of none", "sample bkMark 0 per bkMark seed 1", recipe.Error{}, "6:15", "from 1 to 2147483647"},
		{"seed of 65 bits", "sample bkMark 1 per bkMark seed 18446744073709551616", recipe.Error{}, "6:33", "from 0 to 18446744073709551615"},
		{"a fraction of a count", "h(u, count(p)) :- tagged(u, p, _, _)\nsameTag(u, u) :- h(u, n), n > 1.5", recipe.Error{}, "7:31", "not a whole number"},
		{"column 0", "table x(user) from \"x\" (#0)", recipe.Error{}, "6:26", "from 1"},
		{"long body", "sameTag(u, u) :- " + strings.Repeat("friend(u, u), ", 100) + "friend(u, u)", recipe.Error{}, "6:", "literals"},
		{"many arguments", "h(" + strings.Repeat("u, ", 100) + "u) :- friend(u, u)", recipe.Error{}, "6:", "arguments"},
		{"many variables", "h(u) :- " + strings.Repeat("tagged(_, _, _, _), ", 64) + "friend(u, u)", recipe.Error{}, "6:", "variables"},
		{"many statements", strings.Repeat("sameTag(u, u) :- friend(u, u)\n", 10_000), recipe.Error{}, "10002:1", "statements"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := recipe.Parse("r", []byte(head+tt.text), schema(t))
			target := reflect.New(reflect.TypeOf(tt.kind))
			if !errors.As(err, target.Interface()) {
				t.Fatalf("got %v, want a %T", err, tt.kind)
			}
			got := target.Elem().Interface().(lex.Error)
			if at := got.At().Pos.String(); !strings.HasPrefix(at, "r:"+tt.at) {
				t.Errorf("got place %s, want %s", at, tt.at)
			}
			check.Contains(t, got.Error(), tt.msg, "message")
			var list lex.ErrorList
			if !errors.As(err, &list) || len(list) == 0 || len(list) > 10 {
				t.Errorf("got %d errors, want 1 to 10 in an ErrorList", len(list))
			}
		})
	}
}

func TestNoCenter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "table f(user, user) from \"f\" (a, b)\nsameTag(u, v) :- f(u, v)\n"} {
		_, err := recipe.Parse("r", []byte(text), schema(t))
		if _, ok := errors.AsType[recipe.Error](err); !ok {
			t.Errorf("got %v, want a recipe.Error", err)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	_, err := recipe.Parse("x.recipe", []byte(head+"sameTag(u, v) :- frend(u, v)\n"), schema(t))
	const want = "x.recipe:6:18: no table and no rule defines relation frend; did you mean \"friend\"?\n" +
		"sameTag(u, v) :- frend(u, v)\n" +
		"                 ^"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// FuzzParse checks that no text makes Parse panic, and that its errors are of the language.
func FuzzParse(f *testing.F) {
	f.Add([]byte(delicious))
	f.Add([]byte(head + "table x(row, user, int, time) from \"x.csv\" null \"NA\" \"-\" (#row, optional a, n, time(t))\n" +
		"h(u, r, rank(t by r), avg(n)) :- x(r, u, n, t), t <= @asof - 3 days, n / n >= 0.5\ng(u, n / k) :- h(u, _, k, n)\nsameTag(u, u) :- g(u, x), x / x = 1"))
	f.Add([]byte(head + "table x(user, int) from \"{w}.csv\" delimiter \";\" noheader (w:#1, int(#2))\nsameTag(u, 3) :- x(u, n), n < -1.5e3, !friend(u, @center)"))
	f.Add([]byte(head + "table x(user, user, time) from \"x.csv\" (a, optional #2, optional time(t))\n where k = 1, date(y, m, d) >= \"2016-01-31\", b is not empty\n" +
		"sameTag(u, v) :- x(u, v, t), t >= t0 - 30 days, x(v, _, t0), t < \"2016-02-01\" + 12 hours, !x(u, v, _)"))
	f.Add([]byte(head + "h(u, days(d - e)) :- tagged(u, _, _, d), tagged(u, _, _, e)\ncenter c fold f by d :- h(c, f), tagged(c, _, _, d)"))
	f.Add([]byte(head + "h(count(x), sum(y), A) :- friend(x, _)\nentity user(u) :- h(u)\nrequire count(h) != 3\nsample h 1 per h seed 0"))
	s := schema(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		_, err := recipe.Parse("r", src, s)
		if _, ok := errors.AsType[lex.Error](err); err != nil && !ok {
			t.Fatalf("got %T, want an Error", err)
		}
	})
}
