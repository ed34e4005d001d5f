package mln_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const featureTask = `e(a, b)
f(b, a)
g(a)
age(a, number)
target q(a, b)
target r(a)
e(x, y) ^ g(x) => q(x, y)
e(x, z) ^ f(z, x) => r(x)
f(x, y) => r(y)
g(z) => r(z)
g(y) ^ e(y, B) => r(y)
age(x, n) ^ n >= 30 => r(x)
f(u, x) ^ !g(x) ^ !e(x, u) => r(x)
e(x, y) => q(x, x2) 
e(x, y) => r(@center)
#{y: e(x, y)} >= 2 ^ g(x) => r(x)
e(x, y) ^ e(z, y) ^ r(z) => r(x)
`

func candidates(t *testing.T, text string) []*mln.Candidate {
	t.Helper()
	m, err := mln.Parse("task", []byte(text), mln.Options{})
	check.OK(t, err)
	out, _, err := mln.Candidates(m)
	check.OK(t, err)
	return out
}

// again returns what a formula reads as after it was printed.
func again(t *testing.T, text string) *mln.Formula {
	t.Helper()
	m, err := mln.Parse("task", []byte("e(a, b)\nf(b, a)\ng(a)\nage(a, number)\ntarget q(a, b)\ntarget r(a)\n"+text+"\n"), mln.Options{})
	check.OKf(t, err, "%s", text)
	return m.Formulas[0]
}

func TestCandidate_Features(t *testing.T) {
	t.Parallel()
	cs := candidates(t, featureTask)
	for i, want := range []struct{ local, comparable bool }{
		{false, true},
		{true, true},
		{true, true},
		{false, true},
		{false, true},
		{true, true},
		{true, true},
		{true, true},
		{true, false},
		{false, false},
		{true, false},
	} {
		c := cs[i]
		if len(c.Enforcer) == 1 && c.Local() != want.local || c.Comparable() != want.comparable {
			t.Errorf("%s: got local %v, comparable %v", mln.FormatFormula(c.Formula), c.Local(), c.Comparable())
		}
	}
	last := cs[len(cs)-1]
	check.Equal(t, "first head", mln.FormatRule(last.Shaped(mln.ShapeMean, 0)), "mean: e(x, y) ^ e(z, y) ^ r(x) ^ r(z)")
	check.Equal(t, "second head", mln.FormatRule(last.Shaped(mln.ShapeMean, 1)), "mean: e(x, y) ^ e(z, y) ^ r(z) ^ r(x)")
}

func TestAllOf(t *testing.T) {
	t.Parallel()
	cs := candidates(t, featureTask)
	at := func(candidate int, k int64, negated bool) mln.Threshold {
		return mln.Threshold{Candidate: cs[candidate], AtLeast: k, Negated: negated}
	}
	for _, test := range []struct {
		thresholds []mln.Threshold
		want       string
	}{
		{[]mln.Threshold{at(0, 1, false)}, "e(x, y) ^ g(x) ^ q(x, y)"},
		{[]mln.Threshold{at(0, 1, true)}, "!(e(x, y) ^ g(x)) ^ q(x, y)"},
		{[]mln.Threshold{at(1, 3, false), at(2, 2, true)}, "#{z: e(x, z) ^ f(z, x)} >= 3 ^ #{x1: f(x1, x)} < 2 ^ r(x)"},
		{[]mln.Threshold{at(2, 2, false), at(1, 3, false)}, "#{x: f(x, y)} >= 2 ^ #{z: e(y, z) ^ f(z, y)} >= 3 ^ r(y)"},
		{[]mln.Threshold{at(3, 1, false), at(4, 1, false)}, "g(z) ^ g(z) ^ e(z, B) ^ r(z)"},
		{[]mln.Threshold{at(3, 1, true), at(5, 2, false)}, "!g(z) ^ #{n: age(z, n) ^ n >= 30} >= 2 ^ r(z)"},
		{[]mln.Threshold{at(6, 4, false)}, "#{u: f(u, x) ^ !g(x) ^ !e(x, u)} >= 4 ^ r(x)"},
	} {
		f := mln.AllOf(test.thresholds)
		check.Equal(t, "formula", mln.FormatRule(f), test.want)
		if got := again(t, mln.FormatRule(f)); mln.Canonical(got) != mln.Canonical(f) {
			t.Errorf("%s reads as %s", test.want, mln.Canonical(got))
		}
	}
}
