package mln_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// TestReadBack gives for a model texts that are not it, and what the error names.
func TestReadBack(t *testing.T) {
	t.Parallel()
	const declared = "number points\na = {A, B}\ns(a)\nf(a, points)\ntarget q(a)\n"
	const rules = "0.1 s(x) => q(x)\n-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)\n"
	m := parse(t, declared+rules)
	check.OK(t, mln.ReadBack(declared+rules, m))
	check.OK(t, mln.ReadBack(declared+"// a note\n0.1 s(y) => q(y)\n-2 #{k: f(x, k)} >= 2 ^ q(x) ^ s(x)\n", m))
	for text, formula := range map[string]string{
		declared + "0.1 s(x) => q(x)\n": "-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)",
		declared + rules + "1 q(x)\n":   "",
		declared + "0.10000000000000002 s(x) => q(x)\n-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)\n":    "0.1 s(x) => q(x)",
		declared + "s(x) => q(x).\n-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)\n":                       "0.1 s(x) => q(x)",
		declared + "0.1 s(x) => q(x)\n-2 s(x) ^ #{n: f(x, n)} >= 3 ^ q(x)\n":                    "-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)",
		declared + "0.1 s(x) => q(x)\n-2 log: s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)\n":               "-2 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)",
		"number points\na = {B, A}\ns(a)\nf(a, points)\ntarget q(a)\n" + rules:                  "",
		"number points\na = {A, B}\ns(a)\nf(a, points)\ntarget listed q(a)\n" + rules:           "",
		"number points\na = {A, B}\ns(a)\nf(a, points)\ntarget q(a)\n0.1 s(x => q(x)\n" + rules: "",
	} {
		e := check.ErrorAs[*mln.ReadBackError](t, mln.ReadBack(text, m), "%s", text)
		check.Is(t, e.Formula, formula, "formula of %s", text)
	}
	f := *m.Formulas[1]
	f.Weight = 1e31 // not in the language
	written := *m
	written.Formulas = []*mln.Formula{&f}
	e := check.ErrorAs[*mln.ReadBackError](t, mln.ReadBack(declared+mln.FormatRule(&f), &written), "weight")
	check.Contains(t, e.Error(), "1e+31 s(x) ^ #{n: f(x, n)} >= 2 ^ q(x)", "error")
}
