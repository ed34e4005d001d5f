package tableinit_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"userID": "user id", "OwnerUserId": "owner user id", "order_lines": "order line", "HTTPStatus": "http status", "Categories": "category",
		"boxes": "box", "address": "address", "bonus": "bonus", "käufe": "käufe", "id": "id", "": "", "a-b c.d": "a b c d", "商品": "商品",
		"createdAt2": "created at2",
	} {
		check.Equal(t, name, strings.Join(tableinit.WordsOf(name), " "), want)
	}
	for text, want := range map[string]string{
		"käufe": "k_ufe", "2020": "x2020", "商品": "x", "a b": "a_b", "_a_": "a", strings.Repeat("a", 99): strings.Repeat("a", 40),
	} {
		check.Equal(t, text, tableinit.PlainName(text, "x"), want)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, cells, function, form, why string }{
		{"n", "1;2;-3", "int", "", "whole numbers from -3 to 2"},
		{"n", "1;2.5;3", "float", "", "numbers as 1"},
		{"n", "1,000;2,500,000;3", "int", "1,234.5", "whole numbers as 1,000"},
		{"n", "1.000,5;2", "float", "1.234,5", "numbers as 1.000,5"},
		{"n", "01;02", "", "", "numbers that begin with 0 are names: 2 texts that repeat"},
		{"n", "1;x", "", "", "2 texts that repeat"},
		{"d", "2020-01-31;2020-02-29", "date", "", "dates as 2020-01-31"},
		{"d", "2020-01-31T10:00;;2020-02-29", "time", "", "times as 2020-01-31T10:00"},
		{"d", "2020-01-31T00:00:00.000;2020-02-29", "date", "", "dates as 2020-01-31T00:00:00.000"},
		{"d", "31/12/2020;1/1/2021", "date", "dmy", "dates as 31/12/2020"},
		{"d", "12/31/2020;1/1/2021", "date", "mdy", "dates as 12/31/2020"},
		{"d", "1/2/2020", "date", "mdy", "dates as 1/2/2020, of which nothing tells whether the month or the day is first"},
		{"d", "1-2-2020", "date", "dmy", "dates as 1-2-2020, of which nothing tells whether the month or the day is first"},
		{"d", "1.2.2020", "date", "dmy", "dates as 1.2.2020"},
		{"d", "20200131;20201231", "date", "ymd", "dates as 20200131"},
		{"date", "930131;000229;681231", "date", "ymd", "dates as 930131"},
		{"n", "930131;930228", "int", "", "whole numbers from 930131 to 930228"},
		{"n", "930131;930228;940101;940115;940320;951111;951212;951213;960101;960131;970215;970716;970831", "date", "ymd", "dates as 930131"},
		{"n", "930101;930113;930114;930115;930116;930117;930118;930119;930120;930121;930122;930123;930124", "int", "", "whole numbers from 930101 to 930124"},
		{"date", "200101;201212", "int", "", "whole numbers from 200101 to 201212"},
		{"date", "930131;930230", "int", "", "whole numbers from 930131 to 930230"},
		{"date", "930131;20200131", "int", "", "whole numbers from 930131 to 20200131"},
		{"created_at", "1500000000;1600000000", "time", "s", "seconds since 1970"},
		{"created_at", "1500000000000;1600000000000", "time", "ms", "milliseconds since 1970"},
		{"price", "1500000000;1600000000", "int", "", "whole numbers from 1500000000 to 1600000000"},
		{"d", "2020-02-30", "", "", "1 texts that repeat"},
		{"b", "Y;N;Y", "", "", "yes or no"},
		{"b", "true;false", "", "", "yes or no"},
		{"b", "1;0;;1", "", "", "yes or no"},
		{"b", "1;2", "int", "", "whole numbers from 1 to 2"},
		{"b", ";;", "", "", "no cell holds anything"},
		{"text", strings.Repeat("x", 99), "", "", "texts of up to 99 characters"},
	}
	for _, tt := range tests {
		function, form, why, isTime, _ := tableinit.Judge(tt.name, strings.Split(tt.cells, ";")...)
		if function != tt.function || form != tt.form || why != tt.why || isTime != (function == "date" || function == "time") {
			t.Errorf("%s: got %q, %q, %q", tt.cells, function, form, why)
		}
	}
}

// TestSketch compares with exact figures, within the error of samples of 16,384 values and more.
func TestSketch(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 100, 30_000, 200_000} {
		var a, b tableinit.Sketch
		base, both := rng.IntN(1e6), 0
		for i := range n {
			a.Add(strconv.Itoa(base+i), int64(base+i))
			if rng.IntN(4) == 0 {
				both++
				b.Add(strconv.Itoa(base+i), int64(base+i))
			}
		}
		slack := 0.0
		if n > 1<<15 {
			slack = .05 // six standard errors and more
		}
		near := func(what string, got, want float64) {
			check.Near(t, got, want, slack*math.Max(want, .2), "%d: %s", n, what)
		}
		near("distinct", a.Distinct(), float64(n))
		near("part", a.Within(&b), float64(both)/float64(n))
		near("density", b.Density(int64(base), int64(base+n-1)), float64(both)/float64(n))
		if both > 0 {
			near("all", b.Within(&a), 1)
		}
		if !a.Unique() {
			t.Errorf("%d: got a value twice", n)
		}
		for i := range n {
			a.Add(strconv.Itoa(base+i), 0)
		}
		if a.Unique() {
			t.Errorf("%d: got no value twice", n)
		}
	}
}
