package cut_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// TestRawTables cuts by rules for fact(a, a) and named(a) around center A, out of tables whose cells may be empty.
func TestRawTables(t *testing.T) {
	t.Parallel()
	const model = "fact(a, a)\nnamed(a)\nval(a, number)\n"
	const head = "table e(a, a, int, float) from \"e\" (x, optional y, optional n, optional f)\ntable d(a, day, time) from \"d\" (x, date, t)\n" +
		"center c :- e(c, _, _, _), c = A\n"
	const rows = "A B 1 0.5; A . 2 .; B C . 1.5; C . . .; D A 4 ."
	// Days are from 2016-01-01, 16801; times are 6 hours after a day begins.
	const dates = "A 16801 1451628000; B 16802 1451714400; C 16831 1454220000; D 16832 1454306400"
	tests := []struct{ name, rules, want string }{
		{"a variable passes over empty cells", "fact(x, y) :- e(x, y, _, _)", "fact(A,B) fact(B,C) fact(D,A)"},
		{"a blank does not", "named(x) :- e(x, _, _, _)", "named(A) named(B) named(C) named(D)"},
		{"nor does a blank beside it", "named(x) :- e(x, _, n, _)", "named(A) named(D)"},
		{"a center", "named(x) :- e(x, @center, _, _)", "named(D)"},
		{"from the center", "fact(x, y) :- e(@center, y, n, _), e(x, @center, _, _)", "fact(D,B)"},
		{"a constant", "named(x) :- e(x, C, _, _)", "named(B)"},
		{"a new constant", "named(x) :- e(x, New, _, _)", ""},
		{"empty cells do not join", "fact(x, z) :- e(x, y, _, _), e(z, y, _, _)", "fact(A,A) fact(B,B) fact(D,D)"},
		{"negation", "named(x) :- e(x, _, _, _), e(y, _, _, _), !e(x, y, 1, 0.5), !e(x, y, 4, 0.5), y = B, x != C", "named(B) named(D)"},
		{"a comparison", "named(x) :- e(x, _, n, _), n != 1", "named(A) named(D)"},
		{"count", "val(x, count(y)) :- e(x, y, _, _)", "val(A,1) val(B,1) val(D,1)"},
		{"a sum over bindings with empty cells", "val(x, sum(n)) :- e(x, _, n, _)", "val(A,3) val(D,4)"},
		{"rows that empty cells tell apart", "val(B, sum(n)) :- e(_, _, _, _), e(_, B, n, _)", "val(B,5)"},
		{"dates", "named(x) :- d(x, d, _), d >= \"2016-01-02\", d < \"2016-02-01\"", "named(B) named(C)"},
		{"a date as an argument", "named(x) :- d(x, \"2016-01-31\", _)", "named(C)"},
		{"a time", "named(x) :- d(x, _, t), t > \"2016-01-31T05:59:59Z\", t <= \"2016-01-31T07:00:00+01:00\"", "named(C)"},
		{"a window of days", "fact(x, y) :- d(x, d0, _), d(y, d, _), d < d0, d >= d0 - 30", "fact(B,A) fact(C,A) fact(C,B) fact(D,B) fact(D,C)"},
		{"a window of times", "fact(x, y) :- d(x, _, t0), d(y, _, t), t < t0, t0 <= t + 1 day", "fact(B,A) fact(D,C)"},
		{"a window around the center", "at(d) :- d(@center, d, _)\nnamed(x) :- at(d0), d(x, d, _), d0 < d, d - 30 <= d0", "named(B) named(C)"},
		{"a window of one value", "at(d) :- d(@center, d, _)\nnamed(x) :- at(d0), d(x, d, _), d = d0 + 31", "named(D)"},
		{"a window in a column with empty cells", "named(x) :- e(_, B, m, _), e(x, _, n, _), n > m", "named(A) named(D)"},
		{"days", "val(x, days(d0 - d)) :- d(A, d0, _), d(x, d, _)", "val(A,0) val(B,-1) val(C,-30) val(D,-31)"},
		{"days of times", "val(x, days(t0 - t)) :- d(C, _, t0), d(x, _, t)", "val(A,30) val(B,29) val(C,0) val(D,-1)"},
		{"days of a helper", "ago(x, days(d0 - d)) :- d(D, d0, _), d(x, d, _)\nval(A, min(n)) :- ago(_, n), n > 1", "val(A,30)"},
		{"days beside the center", "ago(@center, days(d0 - d)) :- d(@center, d, _), d(D, d0, _)\nval(x, n) :- ago(x, n)", "val(A,31)"},
		{"ranks, equal times alike", "r(x, d, rank(n by d)) :- e(x, d, n, _)\nval(x, k) :- r(x, _, k)", "val(A,1) val(D,1)"},
		{"ranks of all", "r(x, rank(d by x)) :- d(x, d, _), d > \"2016-01-01\"\nval(x, k) :- r(x, k)", "val(B,3) val(C,2) val(D,1)"},
		{"ranks by the latest value", "r(x, rank(n by x)) :- e(x, _, n, _)\nval(x, k) :- r(x, k)", "val(A,2) val(D,1)"},
		{"ranks of equal values", "p(n) :- e(_, _, n, _)\nr(x, rank(n by x)) :- d(x, _, _), p(n)\nval(x, k) :- r(x, k)", "val(A,1) val(B,1) val(C,1) val(D,1)"},
		{"avg", "val(x, avg(n)) :- e(x, _, n, _)", "val(A,1.5) val(D,4)"},
		{"avg of floats", "val(A, avg(f)) :- e(_, _, _, f)", "val(A,1)"},
		{"a quotient", "val(x, n / m) :- e(x, _, n, _), e(D, _, m, _)", "val(A,0.25) val(A,0.5) val(D,1)"},
		{"a quotient by zero is no row", "z(n) :- e(_, B, n, _)\nz(0) :- d(_, _, _)\nval(x, n / m) :- e(x, _, n, _), z(m)", "val(A,1) val(A,2) val(D,4)"},
		{"a quotient in a comparison", "fact(x, y) :- e(x, _, n, f), e(y, _, m, _), n / m > 0.25, f / n <= 0.5, n / n = m / m", "fact(A,A)"},
		{"comparisons with a quotient by zero fail", "ago(x, days(t - t)) :- d(x, _, t)\nnamed(x) :- e(x, _, n, _), ago(x, m), n / m != 3", ""},
		{"no last day", "named(x) :- d(x, d, t), d <= @asof, t <= @asof - 1 hour", "named(A) named(B) named(C) named(D)"},
		{"a shift of whole numbers", "fact(x, y) :- e(x, _, n, _), e(y, _, m, _), m = n + 2", "fact(A,D)"},
		{"a shift of floats", "fact(x, y) :- e(x, _, _, f), e(y, _, _, g), g = f + 1", "fact(A,B)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := parse(t, model, head+tt.rules+"\nnamed(x) :- d(x, _, _), x = Nobody\n")
			got := cutAll(t, r, rows, dates)
			_, facts, _ := strings.Cut(got[0], ": ")
			words := slices.DeleteFunc(strings.Fields(facts), func(word string) bool { return !strings.Contains(word, "(") })
			check.Equal(t, "facts", strings.Join(words, " "), tt.want)
		})
	}
}

// TestRawTables_Extremes has empty cells beside the least and the largest numbers: sums over bindings tell them apart.
func TestRawTables_Extremes(t *testing.T) {
	t.Parallel()
	r := parse(t, "val(a, number)\n", "table k(a, int, int) from \"k\" (x, optional n, m)\ncenter c :- k(c, _, _)\nval(x, sum(m)) :- k(x, _, m)\n")
	u, tables := fill(t, r, "A . 1; A . 1")
	for _, n := range []int64{math.MinInt64, math.MaxInt64, math.MinInt64 + 1} {
		c := tables[0].Columns
		c[0].IDs, c[1].Nums, c[2].Nums = append(c[0].IDs, 0), append(c[1].Nums, n), append(c[2].Nums, 1)
		tables[0].Rows++
	}
	s := cutOne(t, r, u, tables)
	check.Equal(t, "facts", s, "@a A @number 4 val(A,4)")
}

// TestRawTables_WholeNumbers averages and divides numbers of more than 53 bits, which are rounded once, in the result.
func TestRawTables_WholeNumbers(t *testing.T) {
	t.Parallel()
	const tables = "table k(a, int, int) from \"k\" (x, optional n, m)\ncenter c :- k(c, _, _)\n"
	for _, test := range []struct {
		rule string
		rows [][2]int64
		want string
	}{
		{"val(x, avg(n)) :- k(x, n, _)", [][2]int64{{math.MinInt64, 1}, {math.MaxInt64, 1}}, "-0.5"},
		{"val(x, avg(n)) :- k(x, n, _)", [][2]int64{{1<<53 + 1, 1}, {2, 1}}, "4503599627370498"}, // 4503599627370497.5
		{"val(x, avg(n)) :- k(x, n, _)", [][2]int64{{1<<53 + 1, 1}, {-1<<53 - 1, 1}, {3, 1}}, "1"},
		{"val(x, n / m) :- k(x, n, m)", [][2]int64{{1<<53 + 1, 3}}, "3002399751580331"},
		{"val(x, n / m) :- k(x, n, m)", [][2]int64{{1<<53 + 33, 1<<53 + 1931}}, "0.9999999999997893"}, // of rounded ones ..91
		{"val(x, n / m) :- k(x, n, m)", [][2]int64{{math.MinInt64, -1 << 62}}, "2"},
	} {
		r := parse(t, "val(a, number)\n", tables+test.rule+"\n")
		u, tables := fill(t, r, "A . 1")
		for _, row := range test.rows {
			c := tables[0].Columns
			c[0].IDs, c[1].Nums, c[2].Nums = append(c[0].IDs, 0), append(c[1].Nums, row[0]), append(c[2].Nums, row[1])
			tables[0].Rows++
		}
		check.Equal(t, test.rule, cutOne(t, r, u, tables), "@a A @number "+test.want+" val(A,"+test.want+")")
	}
}

// TestShift_Overflow compares with sums beyond 64 bits, as if there were more.
func TestShift_Overflow(t *testing.T) {
	t.Parallel()
	r := parse(t, "named(a)\nother(a)\n", "table k(a, int) from \"k\" (x, n)\ncenter c :- k(c, 0)\n"+
		"named(x) :- k(x, n), k(_, m), n < m + 9223372036854775807, m > 1\nother(x) :- k(x, n), k(_, m), n <= m - 9223372036854775807, m < -1\n")
	u, tables := fill(t, r, "A 0; B 9223372036854775807; C -9223372036854775808")
	check.Equal(t, "facts", cutOne(t, r, u, tables), "@a A @a B @a C named(A) named(B) named(C)")
}

// TestFreeze tells of rows up to a day, its hours included, and of those an hour before its end.
func TestFreeze(t *testing.T) {
	t.Parallel()
	r := parse(t, "p(a)\nq(a)\nhour(a)\n", "table d(a, day, time) from \"d\" (x, date, t)\ncenter c :- d(c, _, _), c = A\n"+
		"p(x) :- d(x, t, _), t <= @asof\nq(x) :- d(x, _, t), @asof >= t\nhour(x) :- d(x, _, t), t <= @asof - 1 hours\n")
	check.OK(t, r.Freeze(16802))
	got := cutAll(t, r, "A 16801 1451628000; B 16802 1451779199; C 16803 1451779200; D 16803 1451775599")
	check.Equal(t, "facts", got[0], "A: @a A @a B @a D hour(A) hour(D) p(A) p(B) q(A) q(B) q(D)")
}
