package recipe_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/test/check"
)

// raw is a table of all kinds of columns, for rules on its values.
const raw = "table x(user, user, int, float, day, time) from \"x.csv\" (a, optional b, n, optional float(f), optional date(d), t)\n"

// TestComparisons gives for each comparison what is left of it: a variable with a value, or two variables and a shift.
func TestComparisons(t *testing.T) {
	t.Parallel()
	const day, hour = 24 * 60 * 60, 60 * 60
	tests := []struct {
		text  string
		op    lex.Comparison
		num   int64
		float float64
	}{
		{`d < "2016-01-31"`, lex.Less, 16831, 0},
		{`"2016-01-31" < d`, lex.Less, 0, 0}, // the value stays on the left
		{`d >= "2016-01-31" - 30`, lex.AtLeast, 16801, 0},
		{`d >= "2016-01-31" - 2 weeks`, lex.AtLeast, 16817, 0},
		{`d + 1 day = "1970-01-01"`, lex.SameAs, -1, 0},
		{`"1970-01-01" < d - 7`, lex.Greater, 7, 0},
		{`t != "2016-01-31"`, lex.OtherThan, 16831 * day, 0},
		{`t <= "2016-01-31T01:00:00+01:00"`, lex.AtMost, 16831 * day, 0},
		{`t <= "2016-01-31 00:00:07"`, lex.AtMost, 16831*day + 7, 0},
		{`t > t0 - 30 days`, lex.Greater, -30 * day, 0},
		{`t > t0 +12 hours`, lex.Greater, 12 * hour, 0},
		{`t - 1 hour > t0 - 30 minutes`, lex.Greater, hour / 2, 0},
		{`t > t0 + 1 second`, lex.Greater, 1, 0},
		{`d > d0-30`, lex.Greater, -30, 0},
		{"d > d0 -\n 30", lex.Greater, -30, 0},
		{`d + 3 > d0 + 3`, lex.Greater, 0, 0},
		{`n > m + 3`, lex.Greater, 3, 0},
		{`n > 3 + 4`, lex.Greater, 7, 0},
		{`5 - 2 <= n`, lex.AtLeast, 3, 0},
		{`n > -9223372036854775808`, lex.Greater, math.MinInt64, 0},
		{`f > g + 1.5`, lex.Greater, 0, 1.5},
		{`f - .5 > 2`, lex.Greater, 0, 2.5},
		{`f > 1e-3`, lex.Greater, 0, 1e-3},
	}
	for _, tt := range tests {
		r, err := recipe.Parse("r", []byte(head+raw+"sameTag(u, u) :- x(u, _, n, f, d, t), x(_, _, m, g, d0, t0), "+tt.text), schema(t))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		c := r.Rules[len(r.Rules)-1].Comparisons[0]
		got := c.Shift
		if c.B.Kind == recipe.TermValue {
			check.Equal(t, tt.text+": shift of a value", c.Shift, recipe.Shift{})
			got = recipe.Shift{Int: c.B.Int, Float: c.B.Float}
		}
		check.Equal(t, tt.text, got, recipe.Shift{Int: tt.num, Float: tt.float})
		check.Equal(t, tt.text, c.Op.String(), tt.op.String())
	}
}

// TestRawTables parses optional columns and conditions.
func TestRawTables(t *testing.T) {
	t.Parallel()
	const text = `table x(user, user, number) from "x.csv" noheader (#1, optional #2, optional number(#3))
	where #4 = 1, date(#5) >= "2016-01-31", #6 is empty,
	#7 is not empty, int(#8) != 9007199254740993, #9 != "a \"b\""
where(u) :- x(u, _, _)
table y(user, user, day) from "y.csv" (optional, optional optional, optional date(y, m, d)) where time(t) < "1970-01-02T00:00:01Z"
sameTag(u, u) :- y(u, _, _), where(u)
`
	r, err := recipe.Parse("r", []byte(head+text), schema(t))
	check.OK(t, err)
	nth := func(function string, n int) table.ColumnSpec {
		return table.ColumnSpec{Func: function, Refs: []table.Ref{{Index: n}}}
	}
	optional := func(c table.ColumnSpec) table.ColumnSpec {
		c.Optional = true
		return c
	}
	header := func(function string, names ...string) (c table.ColumnSpec) {
		c.Func = function
		for _, n := range names {
			c.Refs = append(c.Refs, table.Ref{Header: n})
		}
		return c
	}
	equal, notEqual, compare := [3]bool{false, true, false}, [3]bool{true, false, true}, table.TestCompare
	check.Equal(t, "columns of x", r.Tables[2].Columns, []table.ColumnSpec{nth("", 1), optional(nth("", 2)), optional(nth("float", 3))})
	check.Equal(t, "conditions of x", r.Tables[2].Where, []table.Condition{
		{Column: nth("float", 4), Test: compare, Holds: equal, Float: 1},
		{Column: nth("date", 5), Test: compare, Holds: [3]bool{false, true, true}, Num: 16831},
		{Column: nth("", 6), Test: table.TestEmpty},
		{Column: nth("", 7), Test: table.TestNotEmpty},
		{Column: nth("int", 8), Test: compare, Holds: notEqual, Num: 9007199254740993},
		{Column: nth("", 9), Test: compare, Holds: notEqual, Text: `a "b"`},
	})
	check.Equal(t, "columns of y", r.Tables[3].Columns, []table.ColumnSpec{
		header("", "optional"), optional(header("", "optional")), optional(header("date", "y", "m", "d")),
	})
	check.Equal(t, "conditions of y", r.Tables[3].Where, []table.Condition{
		{Column: header("time", "t"), Test: compare, Holds: [3]bool{true, false, false}, Num: 24*60*60 + 1},
	})
}

// TestLiteralErrors gives for each wrong literal the type of the error, its place and a part of its message.
func TestLiteralErrors(t *testing.T) {
	t.Parallel()
	const in = "sameTag(u, u) :- x(u, _, n, f, d, t), x(_, v, m, g, d0, t0), "
	const at = len(in) + 1
	const where = `table y(user) from "y.csv" (a) where `
	tests := []struct {
		text   string
		kind   lex.Error
		column int
		msg    string
	}{
		{in + "d < 2016", recipe.Error{}, at + 4, `2016 is a number, where a day belongs: write it in quotes, as in "2016-01-31"`},
		{in + "t < 1454284800", recipe.Error{}, at + 4, `where a time belongs: write it in quotes, as in "2016-01-31" or "2016-01-31T19:30:12Z"`},
		{in + "d < 2016-01-31", new(lex.SyntaxError), at + 4, "a date stands in quotes"},
		{in + `d < "2016-02-30"`, recipe.Error{}, at + 4, "is not a day"},
		{in + `d < "2016-01-31T12:00:00Z"`, recipe.Error{}, at + 4, "is not a day"},
		{in + `t < "2016"`, recipe.Error{}, at + 4, "is not a time"},
		{in + `n < "2016-01-31"`, recipe.Error{}, at + 4, "is an entity's name, where a number of type int belongs"},
		{in + "n < 1.5", recipe.Error{}, at + 4, "not a whole number"},
		{in + "d < t", recipe.Error{}, at + 4, "variable t is of type time here and of type day"},
		{in + `u < "2016-01-31"`, recipe.Error{}, at, "declare the column int, float, day or time"},
		{in + "u = v + 1", recipe.Error{}, at + 6, "nothing can be added to entities of type user"},
		{in + "t > t0 - 30", recipe.Error{}, at + 7, "a time takes a unit: -30 days, hours"},
		{in + "d > d0 - 5 hours", recipe.Error{}, at + 7, "hours are added to a time"},
		{in + "n > m - 5 days", recipe.Error{}, at + 6, "days are added to a day or time, not to type int"},
		{in + "d > d0 - 5 dys", new(lex.SyntaxError), at + 11, `did you mean "days"?`},
		{in + "d > d0 - d", new(lex.SyntaxError), at + 9, "expected a number, as in d - 30"},
		{in + "d > d0 - -3", new(lex.SyntaxError), at + 9, "expected a number, as in d - 30"},
		{in + "n > m + 1.5", recipe.Error{}, at + 6, "not whole"},
		{in + "n > m + 9223372036854775808", recipe.Error{}, at + 6, "out of range"},
		{in + "t > t0 + 922337203685477580 days", recipe.Error{}, at + 7, "out of range"},
		{in + "n > 9223372036854775807 + 1", recipe.Error{}, at, "out of range"},
		{in + "x(u, v, m, g, d0 - 30, t)", new(lex.SyntaxError), at + 17, "give d0 a variable of its own, as in d = d0 - 30"},
		{in + "x(u, v, m, g, 2016-01-31, t)", new(lex.SyntaxError), at + 14, "a date stands in quotes"},
		{where + "b is full", new(lex.SyntaxError), 43, `expected "empty"`},
		{where + "b = c", new(lex.SyntaxError), 42, "expected a number, or a text or date in quotes"},
		{where + `b < "c"`, recipe.Error{}, 42, "texts have no order"},
		{where + `date(b) < 2016`, recipe.Error{}, 48, "2016 is not a date"},
		{where + `date(b) < 2016-01-01`, new(lex.SyntaxError), 48, "a date stands in quotes"},
		{where + `b < 2016-01-01`, new(lex.SyntaxError), 42, "a date stands in quotes"},
		{where + `int(b) < "1"`, recipe.Error{}, 47, "is not a number that int(..) reads"},
		{where + `int(b) < 1.5`, recipe.Error{}, 47, "is not a number that int(..) reads"},
		{where + `b = 9007199254740993`, recipe.Error{}, 42, "beyond 2^53"},
		{where + `int(b, c) = 1`, recipe.Error{}, 38, "int(..) reads 2 columns"},
		{where + "b is empty,", new(lex.SyntaxError), 49, "expected a column"},
		{where + strings.Repeat("b is empty, ", 64) + "b is empty", recipe.Error{}, 806, "conditions"},
	}
	for _, tt := range tests {
		_, err := recipe.Parse("r", []byte(head+raw+tt.text), schema(t))
		list, _ := errors.AsType[lex.ErrorList](err)
		if len(list) == 0 {
			t.Errorf("%s: got %v, want an error", tt.text, err)
			continue
		}
		got := list[0]
		if reflect.TypeOf(got) != reflect.TypeOf(tt.kind) || !strings.Contains(got.Error(), tt.msg) {
			t.Errorf("%s: got %T %v, want %T: %s", tt.text, got, got, tt.kind, tt.msg)
		}
		check.Equal(t, "column of: "+tt.text, got.At().Pos.Column, tt.column)
	}
}

// TestUnsafeNegation has the relation that an unsafe negation should be written with, and that it then parses.
func TestUnsafeNegation(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, helper, here string }{
		{"sameTag(u, u) :- friend(u, _), !friend(u, v)", "hasFriend(u) :- friend(u, v)", "!hasFriend(u)"},
		{"sameTag(u, u) :- friend(u, _), !friend(u, _)", "hasFriend(u) :- friend(u, _)", "!hasFriend(u)"},
		{"sameTag(u, u) :- friend(u, _), !tagged(u, _, t, d), d < \"2016-01-31\" - 3", "hasTagged(u) :- tagged(u, _, t, d), d < \"2016-01-31\" - 3", "!hasTagged(u)"},
		{"sameTag(u, u) :- friend(u, _), !tagged(@center, P, t, _)", "hasTagged(@center) :- tagged(@center, P, t, _)", "!hasTagged(@center)"},
		{"sameTag(u, u) :- tagged(u, p, _, e), !tagged(_, p, _, d), d < e", "hasTagged(p, e) :- tagged(_, p, _, d), d < e, ..", "!hasTagged(p, e)"},
		{"hasFriend(u) :- friend(u, _)\nsameTag(u, u) :- hasFriend(u), !friend(u, v)", "hasFriend2(u) :- friend(u, v)", "!hasFriend2(u)"},
		{"sameTag(u, u) :- friend(u, _), !friend(_, v)", "", ""},
	}
	for _, tt := range tests {
		_, err := recipe.Parse("r", []byte(head+tt.text), schema(t))
		list, _ := errors.AsType[lex.ErrorList](err)
		if len(list) == 0 {
			t.Fatalf("%s: got %v, want an error", tt.text, err)
		}
		hint := "write a relation of its own, " + tt.helper + ", and here " + tt.here
		if got := list[0].Error(); tt.helper != "" && !strings.Contains(got, hint) || tt.helper == "" && strings.Contains(got, "of its own") {
			t.Errorf("%s: got %s, want the hint %q", tt.text, got, hint)
		}
		if tt.helper == "" || strings.Contains(tt.helper, "..") {
			continue
		}
		body, _, _ := strings.Cut(tt.text, "!")
		check.OKf(t, check.Err(recipe.Parse("r", []byte(head+tt.helper+"\n"+body+tt.here), schema(t))), "%s: the hint does not parse", tt.text)
	}
}

// TestNumbers gives for each way to state a number what the parser makes of it: "" or a part of the error, with its place.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const head = `table v(a, int, float, day, time, number) from "v" (x, n, f, date(d), t, float(g))
center c :- v(c, _, _, _, _, _)
`
	m, err := mln.Parse("task.mln", []byte("val(a, number)\nname(a)\ntarget listed aim(number)\n"), mln.Options{})
	check.OK(t, err)
	tests := []struct{ name, rules, want string }{
		{"values", "val(x, n) :- v(x, n, _, _, _, _)\nval(x, n) :- v(x, _, _, n, _, _)\nval(x, n) :- v(x, _, _, _, _, n)", ""},
		{"aggregates", "val(x, count(n)) :- v(x, n, _, _, _, _)\nval(x, min(d)) :- v(x, _, _, d, _, _)\naim(sum(f)) :- v(_, _, f, _, _, _)", ""},
		{"a constant", "val(x, -2.5) :- v(x, _, _, _, _, _)", ""},
		{"entities", "entity number(n) :- v(_, n, _, _, _, _)", ""},
		{"in a body", "val(x, n) :- v(x, n, _, _, _, _)\nname(x) :- val(x, f), v(x, _, f, _, _, _)", ""},
		{"a helper typed elsewhere", "val(x, n) :- h(x, n)\nh(x, n) :- v(x, n, _, _, _, _)", ""},
		{"an entity", "val(x, y) :- v(x, _, _, _, _, _), v(y, _, _, _, _, _)", "r:3:8: y is an entity of type a, where val takes a number"},
		{"the center", "val(x, @center) :- v(x, _, _, _, _, _)", "r:3:8: @center is an entity of type a, where val takes a number"},
		{"a name", "val(x, A) :- v(x, _, _, _, _, _)", "r:3:8: \"A\" is an entity's name, where a number of type float belongs"},
		{"an order of entities", "aim(max(x)) :- v(x, _, _, _, _, _)", "r:3:9: max(x) is over values, x is of type a"},
		{"a sum of days", "aim(sum(d)) :- v(_, _, _, d, _, _)", "r:3:9: sum(d) is over values of type int or float"},
		{"another kind in a body", "val(x, n) :- v(x, n, _, _, _, _)\nname(x) :- val(x, n), v(x, n, _, _, _, _)", "r:4:28: variable n is of type int here and of type float at r:4:19"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := recipe.Parse("r", []byte(head+tt.rules), &m.Schema)
			if tt.want != "" {
				if _, ok := errors.AsType[lex.Error](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
				return
			}
			check.OK(t, err)
			for _, rel := range r.Relations {
				if i := len(rel.Columns) - 1; rel.Name == "val" || rel.Name == "aim" {
					check.Equal(t, "type of the last argument of "+rel.Name, r.TypeName(rel.Columns[i]), "float")
				}
			}
		})
	}
}
