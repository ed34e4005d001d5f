package recipe_test

import (
	"errors"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/internal/test/check"
)

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
