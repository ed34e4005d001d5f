package mln_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// parse parses a model that is right.
func parse(tb testing.TB, text string) *mln.Model {
	tb.Helper()
	m, err := mln.Parse("test.mln", []byte(text), mln.Options{})
	check.OKf(tb, err, "Parse:\n%s\n", text)
	return m
}

// formulas returns the formulas of a model as text.
func formulas(m *mln.Model) []string {
	var out []string
	for _, f := range m.Formulas {
		out = append(out, mln.FormatFormula(f))
	}
	return out
}

// permute calls visit with every permutation of the numbers below n.
func permute(n int, visit func([]int)) {
	perm := make([]int, n)
	for i := range perm {
		perm[i] = i
	}
	var place func(k int)
	place = func(k int) {
		if k == n {
			visit(perm)
			return
		}
		for i := k; i < n; i++ {
			perm[k], perm[i] = perm[i], perm[k]
			place(k + 1)
			perm[k], perm[i] = perm[i], perm[k]
		}
	}
	place(0)
}

func TestPaperTemplates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                       string
		formulas, candidates, skip int
	}{
		{"wikicollabs", 68, 67, 73},
		{"delicious", 116, 116, 140},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(filepath.Join("testdata", tt.name, "model.mln"))
			check.OK(t, err)
			m := parse(t, string(src))
			check.Equal(t, "formulas", len(m.Formulas), tt.formulas)
			check.Equal(t, "formulas", leastTexts(m.Formulas), leastTexts(expected(t, m, tt.name)))
			candidates, warnings, err := mln.Candidates(m)
			if err != nil || len(warnings) > 0 {
				t.Fatalf("Candidates: %v, warnings %v", err, warnings)
			}
			check.Equal(t, "candidates", len(candidates), tt.candidates)
			check.Equal(t, "formulas that selection could add", len(everySelectable(candidates)), tt.skip)
		})
	}
}

// everySelectable returns all formulas that selection could add.
func everySelectable(candidates []*mln.Candidate) map[string]bool {
	all := map[string]bool{}
	for _, c := range candidates {
		all[mln.Canonical(c.Joint())] = true
		for k := range c.Enforcer {
			if len(c.Enforcer) > 1 {
				all[mln.Canonical(c.Conditional(k))] = true
			}
		}
	}
	return all
}

// expected returns the formulas that a model is known to have.
func expected(t *testing.T, m *mln.Model, name string) []*mln.Formula {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name, "expand.json"))
	check.OK(t, err)
	var want struct{ Formulas []string }
	check.OK(t, json.Unmarshal(text, &want))
	return parse(t, m.Declarations()+"1 "+strings.Join(want.Formulas, "\n1 ")).Formulas
}

func leastTexts(formulas []*mln.Formula) []string {
	out := make([]string, len(formulas))
	for i, f := range formulas {
		out[i] = leastText(f)
	}
	return out // in order: expansion has one
}

func TestExpand(t *testing.T) {
	t.Parallel()
	const head = "a(n, n)\nb(n, n)\nc(n, n)\ns(n)\np1(n)\np2(n)\nq1(n)\nq2(n)\ntarget on(n)\n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{
			"plain", "template T(x, y) = a(x, y) | b(y, x)\nT(x, y) => on(y)",
			[]string{"a(x, y) => on(y)", "b(y, x) => on(y)"},
		},
		{
			"compound by size then order", "template T(x, y) compound 3 = a(x, y) | b(x, y) | c(x, y)\nT(x, y) => on(y)",
			[]string{
				"a(x, y) => on(y)", "b(x, y) => on(y)", "c(x, y) => on(y)",
				"a(x, y) ^ b(x, y) => on(y)", "a(x, y) ^ c(x, y) => on(y)", "b(x, y) ^ c(x, y) => on(y)",
				"a(x, y) ^ b(x, y) ^ c(x, y) => on(y)",
			},
		},
		{
			"compound beyond the alternatives", "template T(x) compound 9 = s(x)\nT(x) => on(x)",
			[]string{"s(x) => on(x)"},
		},
		{
			"extend by length then order", "template T(x, y) extend 2 = a(x, y) | b(x, y)\nT(u, w) => on(w)",
			[]string{
				"a(u, w) => on(w)", "b(u, w) => on(w)",
				"a(u, z) ^ a(z, w) => on(w)", "a(u, z) ^ b(z, w) => on(w)",
				"b(u, z) ^ a(z, w) => on(w)", "b(u, z) ^ b(z, w) => on(w)",
			},
		},
		{
			"chain of three", "template T(x, y) extend 3 = a(x, y)\nT(u, w) => on(w)",
			[]string{"a(u, w) => on(w)", "a(u, z) ^ a(z, w) => on(w)", "a(u, z) ^ a(z, z2) ^ a(z2, w) => on(w)"},
		},
		{
			"chain where z is taken", "template T(x, y) extend 2 = a(x, y)\nT(z, w) => on(w)",
			[]string{"a(z, w) => on(w)", "a(z, z2) ^ a(z2, w) => on(w)"},
		},
		{
			"locals are renamed apart", "template T(x) compound 2 = a(x, k) | b(x, k)\nT(x) ^ T(k) => on(x)",
			[]string{
				"a(x, k2) ^ a(k, k3) => on(x)", "a(x, k2) ^ b(k, k3) => on(x)", "a(x, k2) ^ a(k, k3) ^ b(k, k4) => on(x)",
				"b(x, k2) ^ a(k, k3) => on(x)", "b(x, k2) ^ b(k, k3) => on(x)", "b(x, k2) ^ a(k, k3) ^ b(k, k4) => on(x)",
				"a(x, k2) ^ b(x, k3) ^ a(k, k4) => on(x)", "a(x, k2) ^ b(x, k3) ^ b(k, k4) => on(x)",
				"a(x, k2) ^ b(x, k3) ^ a(k, k4) ^ b(k, k5) => on(x)",
			},
		},
		{
			"constants and center as terms", "template T(x, y) = a(x, y) ^ x != y\nT(x, A) ^ T(@center, x) => on(x)",
			[]string{"a(x, A) ^ x != A ^ a(@center, x) ^ @center != x => on(x)"},
		},
		{
			"negation in a body", "template T(x, y) = !a(x, y) ^ s(x) ^ x != y\nT(x, y) => on(y)",
			[]string{"!a(x, y) ^ s(x) ^ x != y => on(y)"},
		},
		{
			"template in a template", "template T(x) = s(x) | U(x)\ntemplate U(x) = p1(x) | p2(x)\nT(x) => on(x)",
			[]string{"s(x) => on(x)", "p1(x) => on(x)", "p2(x) => on(x)"},
		},
		{
			"linked lists", "p[1|2](x) ^ q[1|2](x) => on(x)",
			[]string{"p1(x) ^ q1(x) => on(x)", "p2(x) ^ q2(x) => on(x)"},
		},
		{
			"labels free lists", "p[i:1|2](x) ^ q[j:1|2](x) => on(x)",
			[]string{
				"p1(x) ^ q1(x) => on(x)", "p1(x) ^ q2(x) => on(x)", "p2(x) ^ q1(x) => on(x)", "p2(x) ^ q2(x) => on(x)",
			},
		},
		{
			"a list counts as several alternatives", "template T(x) compound 2 = p[1|2](x)\nT(x) => on(x)",
			[]string{"p1(x) => on(x)", "p2(x) => on(x)", "p1(x) ^ p2(x) => on(x)"},
		},
		{
			"a list at the front, spaced", "[ a | b ](x, y) => on(x)",
			[]string{"a(x, y) => on(x)", "b(x, y) => on(x)"},
		},
		{
			"quantified local", "template T(x) = EXIST y a(x, y)\ns(y) ^ T(y) => on(y)",
			[]string{"s(y) ^ (EXIST y2 a(y, y2)) => on(y)"},
		},
		{
			"plus", "n = {A, B}\ns(+x) => on(x)\n2 a(+x, +y) ^ on(y)",
			[]string{
				"s(A) => on(A)", "s(B) => on(B)",
				"a(A, A) ^ on(A)", "a(A, B) ^ on(B)", "a(B, A) ^ on(A)", "a(B, B) ^ on(B)",
			},
		},
		{
			"plus through a template", "n = {A, B}\ntemplate T(x) = s(x)\nT(+x) => on(y)",
			[]string{"s(A) => on(y)", "s(B) => on(y)"},
		},
		{
			"equal formulas are kept once", "s(x) ^ p1(x) => on(x)\np1(y) ^ s(y) => on(y)\n1 s(x)\n1 s(x)\ns(x).\ns(x).",
			[]string{"s(x) ^ p1(x) => on(x)", "s(x)", "s(x)", "s(x)", "s(x)"},
		},
		{
			"a unit formula that would read as a declaration", "FORALL n on(n)",
			[]string{"on(n2)"},
		},
		{
			"leading FORALLs", "1 FORALL x FORALL y (a(x, y) => FORALL z b(z, x))",
			[]string{"a(x, y) => FORALL z b(z, x)"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check.Equal(t, "result", formulas(parse(t, head+tt.text)), tt.want)
		})
	}
}

func TestParse_PlusOverData(t *testing.T) {
	t.Parallel()
	const text = "page(p, word)\nlinks(p, p)\nword = {The}\ntarget topic(p, class)\n" +
		"page(p, +w) => topic(p, +c)\n1 links(p, q) ^ topic(p, +c) => topic(q, +c)\npage(p, w)\n"
	calls, fail := 0, errors.New("no data")
	opt := mln.Options{Constants: func(s *mln.Schema, types []int) ([][]string, error) {
		calls++
		check.Equal(t, "types", types, []int{s.Type("class")})
		return [][]string{{"A", "b c"}}, nil
	}}
	m, err := mln.Parse("test.mln", []byte(text), opt)
	check.OK(t, err)
	want := []string{
		"page(p, The) => topic(p, A)", `page(p, The) => topic(p, "b c")`,
		"links(p, q) ^ topic(p, A) => topic(q, A)", `links(p, q) ^ topic(p, "b c") => topic(q, "b c")`, "page(p, w)",
	}
	if diff := cmp.Diff(formulas(m), want); diff != "" || calls != 1 || m.Constants[m.Schema.Type("class")] != nil {
		t.Errorf("%d calls, constants %v, formulas (-got, +want):\n%s", calls, m.Constants, diff)
	}
	if _, err = mln.Parse("test.mln", []byte(text+"page(p, +p)\n"), opt); err == nil || calls != 1 {
		t.Errorf("got %v after reading data for a model with errors", err)
	}
	opt.Constants = func(*mln.Schema, []int) ([][]string, error) { return nil, fail }
	if _, err = mln.Parse("test.mln", []byte(text), opt); !errors.Is(err, fail) {
		t.Errorf("got %v, want the error of the data", err)
	}
}
