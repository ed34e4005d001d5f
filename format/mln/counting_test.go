package mln_test

import (
	"fmt"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const counted = "r(t, t)\ne(t)\nage(t, number)\ntarget q(t)\n"

// TestCounting_Prints gives for formulas how they print, and that the text reads back as the same.
func TestCounting_Prints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#{y: r(x, y)} >= 2 ^ q(x)":                                "#{y: r(x, y)} >= 2 ^ q(x)",
		"#{y: r(x, y)} > 2 ^ q(x)":                                 "#{y: r(x, y)} >= 3 ^ q(x)",
		"#{y: r(x, y)} <= 2 ^ q(x)":                                "#{y: r(x, y)} < 3 ^ q(x)",
		"!#{y: r(x, y)} = 2 ^ q(x)":                                "#{y: r(x, y)} != 2 ^ q(x)",
		"!(#{y: r(x, y)} >= 2) ^ q(x)":                             "#{y: r(x, y)} < 2 ^ q(x)",
		"!!#{y: r(x, y)} < 2 ^ q(x)":                               "#{y: r(x, y)} < 2 ^ q(x)",
		"#{y: r(x, y)} = 0 ^ q(x)":                                 "#{y: r(x, y)} < 1 ^ q(x)",
		"#{y: r(x, y)} != 0 ^ q(x)":                                "#{y: r(x, y)} >= 1 ^ q(x)",
		"# { y , z :\nr(x, y) ^\n!r(y, z) ^ y != z }\n^ q(x)":      "",
		"#{ y , z :\nr(x, y) ^\n!r(y, z) ^ y != z } >=\n2\n^ q(x)": "#{y, z: r(x, y) ^ !r(y, z) ^ y != z} >= 2 ^ q(x)",
		"q(x) => (#{y: r(x, y)} >= 2 v e(x))":                      "q(x) => #{y: r(x, y)} >= 2 v e(x)",
		"!(age(x, n) ^ n < 3) v q(x)":                              "!(age(x, n) ^ n < 3) v q(x)",
		"age(x, n) ^ !(n < 3) ^ q(x)":                              "age(x, n) ^ n >= 3 ^ q(x)",
		"age(x, n) ^ 3 <= n ^ q(x)":                                "age(x, n) ^ n >= 3 ^ q(x)",
		"age(x, n) ^ n != 30.50 ^ q(x)":                            "age(x, n) ^ n != 30.5 ^ q(x)",
		"age(x, \"-2.50\") ^ q(x)":                                 "age(x, -2.5) ^ q(x)",
		"age(x, 1e21) ^ q(x)":                                      "age(x, 1e+21) ^ q(x)",
		"#{n: age(x, n) ^ n >= -0.0} = 3 => q(x)":                  "#{n: age(x, n) ^ n >= 0} = 3 => q(x)",
		"age(x, n) ^ n >= 30 ^ q(x)":                               "age(x, n) ^ n >= 30 ^ q(x)",
	} {
		m, ok := prints(t, counted, text, want)
		if !ok {
			continue
		}
		again := parse(t, counted+mln.FormatRule(m.Formulas[0]))
		if got, want := mln.Canonical(again.Formulas[0]), mln.Canonical(m.Formulas[0]); got != want {
			t.Errorf("%s: read back as\n%s\nwant\n%s", text, got, want)
		}
	}
}

// prints tests that a formula under the declarations prints as want, or is refused where want is empty. It returns the model, if any.
func prints(t *testing.T, declarations, text, want string) (*mln.Model, bool) {
	t.Helper()
	m, err := mln.Parse("m", []byte(declarations+"1 "+text), mln.Options{})
	if (err == nil) != (want != "") {
		t.Errorf("%s: got %v", text, err)
	}
	if err != nil {
		return nil, false
	}
	if want != "" {
		check.Equal(t, text, formulas(m), []string{want})
	}
	return m, want != ""
}

func TestCounting_Canonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"#{y, z: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", "q(u) ^ #{z, y: r(z, y) ^ r(u, z)} > 1", true},
		{"#{y, z: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", "#{y: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", false},
		{"#{y: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", "#{z: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", false},
		{"#{y: r(x, y) ^ r(y, z)} >= 2 ^ q(x)", "#{y: r(x, y) ^ r(y, z)} >= 2 ^ e(z) ^ q(x)", false},
		{"#{y: r(x, y)} >= 2 ^ q(x)", "#{y: r(x, y)} >= 3 ^ q(x)", false},
		{"#{y: r(x, y)} >= 2 ^ q(x)", "#{y: r(x, y)} = 2 ^ q(x)", false},
		{"#{y: r(x, y)} >= 1 ^ q(x)", "(EXIST y r(x, y)) ^ q(x)", true},
		{"#{y: r(x, y) ^ r(y, z)} >= 1 ^ q(x)", "#{z: r(x, y) ^ r(y, z)} != 0 ^ q(x)", true},
		{"#{y: r(x, y)} < 1 ^ q(x)", "!(EXIST z r(x, z)) ^ q(x)", true},
		{"#{y: r(x, y)} >= 2 ^ #{y: r(y, x)} >= 2 ^ q(x)", "#{z: r(z, x)} >= 2 ^ #{w: r(x, w)} >= 2 ^ q(x)", true},
		{"age(x, n) ^ n >= 3 ^ q(x)", "age(u, m) ^ q(u) ^ !(m < 3.0)", true},
		{"avg{n, y, z: r(x, y) ^ r(y, z) ^ age(z, n)} > 2 ^ q(x)", "q(u) ^ avg{m, a, b: age(a, m) ^ r(b, a) ^ r(u, b)} > 2.0", true},
		{"avg{n, y: r(x, y) ^ age(y, n)} > 2 ^ q(x)", "avg{n: r(x, y) ^ age(y, n)} > 2 ^ q(x)", false},
		{"avg{n, m: age(x, n) ^ age(y, m)} > 2 ^ e(x) ^ q(y)", "avg{n, m: age(x, m) ^ age(y, n)} > 2 ^ e(x) ^ q(y)", false},
		{"last{n, m: age(x, n) ^ age(y, m)} > 2 ^ e(x) ^ q(y)", "last{m, n: age(x, n) ^ age(y, m)} > 2 ^ e(x) ^ q(y)", false},
		{"avg{n: age(x, n)} > 2 ^ q(x)", "sum{n: age(x, n)} > 2 ^ q(x)", false},
		{"share{y: e(y) ^ e(x) | r(x, y) ^ r(y, z)} > .5 ^ q(x)", "share{b: e(a) ^ e(b) | r(b, c) ^ r(a, b)} > 0.5 ^ q(a)", true},
		{"share{y: e(y) | r(x, y)} > .5 ^ q(x)", "share{y: r(x, y) | e(y) ^ r(x, y)} > .5 ^ q(x)", false},
		{"trend{n, m: age(x, n) ^ age(x, m)} > 2 ^ q(x)", "last{n, m: age(x, n) ^ age(x, m)} > 2 ^ q(x)", false},
		{"avg{n: age(x, n)} > 2 ^ q(x)", "!avg{n: age(x, n)} <= 2 ^ q(x)", false},
		{"avg{n: age(x, n)} > 2 ^ q(x)", "avg{n: age(x, n)} >= 2 ^ q(x)", false},
		{"max{n: age(x, n)} >= 1 ^ q(x)", "(EXIST n age(x, n)) ^ q(x)", false},
		{"max{n: age(x, n)} >= 1 ^ q(x)", "#{n: age(x, n)} >= 1 ^ q(x)", false},
		{"age(x, n) ^ n >= 3 ^ q(x)", "age(x, n) ^ n > 3 ^ q(x)", false},
		{"age(x, n) ^ n >= 3 ^ q(x)", "age(x, n) ^ n >= 4 ^ q(x)", false},
	} {
		m := parse(t, counted+"1 "+c.a+"\n1 "+c.b+"\n")
		if same := mln.Canonical(m.Formulas[0]) == mln.Canonical(m.Formulas[1]); same != c.same {
			t.Errorf("%s and %s: equal %t, want %t", c.a, c.b, same, c.same)
		}
	}
}

func TestAggregates_Print(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"avg{n, y: r(x, y) ^ age(y, n)} >= 6.50 ^ q(x)":                              "avg{n, y: r(x, y) ^ age(y, n)} >= 6.5 ^ q(x)",
		"!avg { n : age(x, n) } >= 2 ^ q(x)":                                         "!avg{n: age(x, n)} >= 2 ^ q(x)",
		"!!avg{n: age(x, n)} >= 2 ^ q(x)":                                            "!!avg{n: age(x, n)} >= 2 ^ q(x)",
		"!(avg{n: age(x, n)} < 2) v q(x)":                                            "!avg{n: age(x, n)} < 2 v q(x)",
		"sum{n: age(x, n)} > 2 ^ q(x)":                                               "sum{n: age(x, n)} > 2 ^ q(x)",
		"min{n:\nage(x, n) ^\n!e(x)}\n<=\n-1e-3\n^ q(x)":                             "",
		"min{n:\nage(x, n) ^\n!e(x)} <=\n-1e-3\n^ q(x)":                              "min{n: age(x, n) ^ !e(x)} <= -0.001 ^ q(x)",
		"max{n: age(y, n)} = 0 ^ q(x)":                                               "max{n: age(y, n)} = 0 ^ q(x)",
		"max{n: age(y, n)} >= 1 => q(x)":                                             "max{n: age(y, n)} >= 1 => q(x)",
		"share{y: e(y) ^ r(y, z) | r(x, y) ^ !e(x)} >= .50 ^ q(x)":                   "share{y: e(y) ^ r(y, z) | r(x, y) ^ !e(x)} >= 0.5 ^ q(x)",
		"!share{y:\ne(y)\n| r(x, y)} < 1 ^ q(x)":                                     "!share{y: e(y) | r(x, y)} < 1 ^ q(x)",
		"trend{n, m: age(x, n) ^ age(x, m)} > -2 => q(x)":                            "trend{n, m: age(x, n) ^ age(x, m)} > -2 => q(x)",
		"last{n, m, y: age(x, n) ^ age(y, m)} != 34.0 ^ q(x)":                        "last{n, m, y: age(x, n) ^ age(y, m)} != 34 ^ q(x)",
		"avg(x) ^ sum(x, y) ^ last{avg, sum: age(x, avg) ^ age(y, sum)} > 1 => q(x)": "avg(x) ^ sum(x, y) ^ last{avg, sum: age(x, avg) ^ age(y, sum)} > 1 => q(x)",
	} {
		prints(t, counted+"avg(t)\nsum(t, t)\n", text, want)
	}
}

func TestCounting_Templates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{
			"local variables are the same inside and outside of the braces",
			"template T(x) = #{y: r(x, y) ^ r(y, z)} >= 2 ^ e(z)\nT(z) ^ q(z)",
			[]string{"#{y: r(z, y) ^ r(y, z2)} >= 2 ^ e(z2) ^ q(z)"},
		},
		{
			"uses rename apart", "template T(x) = #{y: r(x, y)} >= 2\nT(x) ^ T(y) ^ r(x, y) => q(x)",
			[]string{"#{y2: r(x, y2)} >= 2 ^ #{y3: r(y, y3)} >= 2 ^ r(x, y) => q(x)"},
		},
		{
			"choices within the braces", "template T(x, y) compound 2 = r(x, y) | r(y, x)\n#{y: T(x, y)} >= 2 ^ q(x)",
			[]string{"#{y: r(x, y)} >= 2 ^ q(x)", "#{y: r(y, x)} >= 2 ^ q(x)", "#{y: r(x, y) ^ r(y, x)} >= 2 ^ q(x)"},
		},
		{
			"chains within the braces", "template T(x, y) extend 2 = r(x, y)\n#{y: T(x, y)} >= 2 ^ q(x)",
			[]string{"#{y: r(x, y)} >= 2 ^ q(x)", "#{y: r(x, z) ^ r(z, y)} >= 2 ^ q(x)"},
		},
		{
			"aggregates, one under !", "template T(x, y) compound 2 = r(x, y) | r(y, x)\n!avg{n, y: T(x, y) ^ age(y, n)} >= 2 ^ q(x)",
			[]string{
				"!avg{n, y: r(x, y) ^ age(y, n)} >= 2 ^ q(x)", "!avg{n, y: r(y, x) ^ age(y, n)} >= 2 ^ q(x)",
				"!avg{n, y: r(x, y) ^ r(y, x) ^ age(y, n)} >= 2 ^ q(x)",
			},
		},
		{
			"an aggregate in a template", "template T(x) = last{n, m: age(x, n) ^ age(y, m)} > 2 ^ e(y)\nT(n) ^ q(n)",
			[]string{"last{n2, m: age(n, n2) ^ age(y, m)} > 2 ^ e(y) ^ q(n)"},
		},
		{
			"constants for +", "t = {A, B}\n#{y: r(+x, y)} >= 2 ^ e(x) ^ q(z)",
			[]string{"#{y: r(A, y)} >= 2 ^ e(A) ^ q(z)", "#{y: r(B, y)} >= 2 ^ e(B) ^ q(z)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, "formulas", formulas(parse(t, counted+c.text)), c.want)
		})
	}
}

func TestCounting_Candidates(t *testing.T) {
	t.Parallel()
	m := parse(t, counted+"#{y: r(x, y)} >= 2 ^ q(x) ^ !#{z: r(x, z)} < 2 ^ #{y: r(y, x)} < 2 ^ q(w) ^ q(x)\n")
	candidates, _, err := mln.Candidates(m)
	check.OK(t, err)
	c := candidates[0]
	if len(c.Selector) != 2 || len(c.Enforcer) != 2 {
		t.Fatalf("got %d and %d literals, want 2 and 2", len(c.Selector), len(c.Enforcer))
	}
	for f, want := range map[*mln.Formula]string{
		c.Joint():        "#{y: r(x, y)} >= 2 ^ #{y: r(y, x)} < 2 ^ q(x) ^ q(w)",
		c.Conditional(0): "#{y: r(x, y)} >= 2 ^ #{y: r(y, x)} < 2 ^ q(w) => q(x)",
	} {
		check.Equal(t, "result", mln.FormatFormula(f), want)
		if f.Free != 2 || len(f.Vars) != 4 {
			t.Errorf("%s: got %d of %d variables free, want 2 of 4", want, f.Free, len(f.Vars))
		}
		again := parse(t, counted+mln.FormatFormula(f))
		if mln.Canonical(again.Formulas[0]) != mln.Canonical(f) {
			t.Errorf("%s does not read back as the same", want)
		}
	}
}

func TestCounting_CNF(t *testing.T) {
	t.Parallel()
	m, err := mln.Parse("m", []byte(counted+"1 (EXIST y r(x, y) ^ #{y2: r(y2, y)} >= 2) => q(x)\n1 e(x) ^ #{y: r(x, y)} < 2 => q(x)"), mln.Options{CNF: true})
	check.OK(t, err)
	want := []string{"!r(x, y) v #{y2: r(y2, y)} < 2 v q(x)", "!e(x) v #{y: r(x, y)} >= 2 v q(x)"}
	check.Equal(t, "formulas", formulas(m), want)
	_, err = mln.Parse("m", []byte(counted+"1 #{y: r(x, y)} >= 2 ^ q(x)"), mln.Options{CNF: true})
	if err == nil || !strings.Contains(err.Error(), "conjunctive normal form") {
		t.Errorf("got %v, want an error about the clause without q", err)
	}
}

// Kinds of numbers print before what is of them, and may be declared behind it.
func TestKinds(t *testing.T) {
	t.Parallel()
	const want = "number points, seconds\npoints = {-2.5, 34}\nr(t, points)\nl(t, number, seconds)\nnumber(t)\ntarget q(t)\n"
	for range 2 {
		for _, text := range []string{
			want, "r(t, points)\npoints = {-2.50, 34.0}\nl(t, number, seconds)\nnumber points,\n seconds\nnumber(t)\ntarget q(t)\n",
		} {
			m := parse(t, text+"1 r(x, n) ^ n >= -2.5 ^ l(x, k, s) ^ k < 2 ^ s != 34.0 ^ r(x, -2.50) ^ number(x) => q(x)\n")
			check.Equal(t, text, m.Declarations(), want)
			formula := []string{"r(x, n) ^ n >= -2.5 ^ l(x, k, s) ^ k < 2 ^ s != 34 ^ r(x, -2.5) ^ number(x) => q(x)"}
			check.Equal(t, text, formulas(m), formula)
			for typ, want := range map[string]bool{"t": false, "points": true, "number": true, "seconds": true} {
				if got := m.Schema.IsNumber(m.Schema.Type(typ)); got != want {
					t.Errorf("%s is a number: got %t", typ, got)
				}
			}
		}
	}
}

// There may be any number of kinds, on one line.
func TestKinds_Many(t *testing.T) {
	t.Parallel()
	var names, uses strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&names, ", k%d", i)
		fmt.Fprintf(&uses, "r%d(t, k%d)\n", i, i)
	}
	m := parse(t, "number k"+names.String()+"\ntarget q(t)\n"+uses.String())
	check.Is(t, m.Schema.IsNumber(m.Schema.Type("k999")), true, "k999 is a kind of numbers")
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"34": "34", "34.00": "34", "007": "7", "-0": "0", "-0.0": "0", "1e6": "1000000", "-1e-3": "-0.001", "+2.5": "2.5", ".5": "0.5",
		"1e21": "1e+21", "1e-7": "1e-07", "0.1": "0.1", "9007199254740993": "9007199254740992",
		"": "", "x": "", "NaN": "", "inf": "", "1e999": "", "0x10": "", "1_000": "", "--1": "",
	} {
		v, ok := mln.ParseNumber(text)
		if ok != (want != "") || ok && mln.FormatNumber(v) != want {
			t.Errorf("%q: got %v, %t, want %q", text, v, ok, want)
		}
	}
}

// Of several variables that only a counting literal mentions in a clause, the same one is named each time.
func TestParse_ClauseNamesFirstVariable(t *testing.T) {
	t.Parallel()
	const text = "p(a, b)\nq(b, b)\ntarget listed t(a)\n1.0 (#{u: p(u, w) ^ p(u, z)} >= 2 v t(x)) ^ (q(w, z) v t(x))\n"
	for range 64 {
		_, err := mln.Parse("m.mln", []byte(text), mln.Options{CNF: true})
		check.Contains(t, fmt.Sprint(err), "mentions variable w in a clause", "error")
	}
}
