package mln_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const candidateSchema = "r(a, a)\ns(a)\ntarget p(a)\ntarget listed q(a, b)\n"

func TestCandidates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // joint, then the conditionals, for each candidate
		warnings   int
	}{
		{"implication", "s(x) => p(x)", []string{"s(x) ^ p(x)", "s(x) => p(x)"}, 0},
		{
			"joint and implication are one candidate", "r(x, y) ^ p(x) => p(y)\nr(u, w) ^ p(w) ^ p(u)",
			[]string{"r(x, y) ^ p(x) ^ p(y)", "r(x, y) ^ p(y) => p(x)", "r(x, y) ^ p(x) => p(y)"},
			0,
		},
		{"equal literals once", "s(x) ^ s(x) ^ x != y ^ y != x ^ s(y) ^ p(x) => p(x)", []string{"s(x) ^ x != y ^ s(y) ^ p(x)", "s(x) ^ x != y ^ s(y) => p(x)"}, 0},
		{"merged after that", "s(x) ^ s(x) => p(x)\ns(z) => p(z)", []string{"s(x) ^ p(x)", "s(x) => p(x)"}, 0},
		{"no evidence", "FORALL x, y q(x, y)", []string{"q(x, y)", "q(x, y)"}, 0},
		{"negated evidence", "s(x) ^ !r(x, x) => p(x)", []string{"s(x) ^ !r(x, x) ^ p(x)", "s(x) ^ !r(x, x) => p(x)"}, 0},
		{
			"negated target", "r(x, y) ^ !p(x) => p(y)",
			[]string{"r(x, y) ^ p(x) ^ p(y)", "r(x, y) ^ p(y) => p(x)", "r(x, y) ^ p(x) => p(y)"},
			1,
		},
		{"a target literal and its negation", "s(x) ^ p(x) ^ !p(x)", []string{"s(x) ^ p(x)", "s(x) => p(x)"}, 1},
		{
			"two literals in the head", "s(x) => p(x) ^ q(x, y)",
			[]string{"s(x) ^ p(x) ^ q(x, y)", "s(x) ^ q(x, y) => p(x)", "s(x) ^ p(x) => q(x, y)"},
			0,
		},
		{"weighted and hard formulas are none", "1 s(x) => p(x)\ns(x) v p(x).", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			candidates, warnings, err := mln.Candidates(parse(t, candidateSchema+tt.text))
			check.OK(t, err)
			var got []string
			for _, c := range candidates {
				checkVariables(t, c.Joint())
				got = append(got, mln.FormatFormula(c.Joint()))
				for k := range c.Enforcer {
					checkVariables(t, c.Conditional(k))
					got = append(got, mln.FormatFormula(c.Conditional(k)))
				}
			}
			check.Equal(t, "result", got, tt.want)
			if len(warnings) != tt.warnings {
				t.Errorf("got warnings %v, want %d", warnings, tt.warnings)
			}
		})
	}
}

// checkVariables checks that a formula's variables stand in order of first appearance and are named as its terms.
func checkVariables(t *testing.T, f *mln.Formula) {
	t.Helper()
	again := parse(t, candidateSchema+"1 "+mln.FormatFormula(f)).Formulas[0]
	if diff := cmp.Diff(f.Vars, again.Vars); diff != "" || f.Free != again.Free {
		t.Errorf("%s: Free %d, want %d; Vars (-got, +want):\n%s", mln.FormatFormula(f), f.Free, again.Free, diff)
	}
	check.Equal(t, mln.FormatFormula(f), f.Body, again.Body, cmpopts.IgnoreTypes(mln.Position{}))
}

func TestCandidates_Errors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		kind       mln.Error
		at, msg    string
	}{
		{"evidence in the head", "p(x) => s(x)", mln.ModelError{}, "5:9", "evidence literal s(x)"},
		{"comparison in the head", "r(x, y) ^ p(x) => x = y", mln.ModelError{}, "5:19", "x = y"},
		{"no target literal", "s(x) ^ r(x, y)", mln.ModelError{}, "5:1", "no target literal"},
		{"disjunction", "s(x) v p(x)", mln.ModelError{}, "5:1", "not a conjunction"},
		{"implication in an implication", "s(x) => s(x) => p(x)", mln.ModelError{}, "5:1", "not a conjunction"},
		{"quantifier", "s(x) ^ (EXIST y r(x, y)) => p(x)", mln.ModelError{}, "5:1", "not a conjunction"},
		{"negated conjunction", "!(s(x) ^ p(x))", mln.ModelError{}, "5:1", "not a conjunction"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := mln.Candidates(parse(t, candidateSchema+tt.text))
			target := reflect.New(reflect.TypeOf(tt.kind))
			if !errors.As(err, target.Interface()) {
				t.Fatalf("got %v, want a %T", err, tt.kind)
			}
			got := target.Elem().Interface().(mln.Error)
			if at := got.At().Pos.String(); at != "test.mln:"+tt.at {
				t.Errorf("got place %s, want test.mln:%s", at, tt.at)
			}
			if !strings.Contains(got.Error(), tt.msg) || !strings.Contains(got.Error(), "\n"+tt.text+"\n") {
				t.Errorf("got %q, want it to say %q and to show the line", got.Error(), tt.msg)
			}
		})
	}
}

func TestUnitClause(t *testing.T) {
	t.Parallel()
	m := parse(t, "m(article, user)\nf(user, user)\nk(a, b)\nw(Value, page, person)\n1 m(x, y)\n1 !f(x, y)\n1 k(x, A)\n1 w(v, p, p2) v w(v, p, p2)")
	want := []string{"m(a, u)", "f(u1, u2)", "k(a1, b1)", "w(v, p1, p2)"}
	has := []bool{true, true, false, false}
	for pred := range want {
		f := mln.UnitClause(&m.Schema, pred)
		check.Equal(t, "result", mln.FormatFormula(f), want[pred])
		again := parse(t, m.Declarations()+mln.FormatFormula(f))
		if len(again.Formulas) != 1 {
			t.Errorf("%s: got a declaration, want a formula", mln.FormatFormula(f))
		} else if diff := cmp.Diff(f.Vars, again.Formulas[0].Vars); diff != "" {
			t.Errorf("%s (-got, +want):\n%s", mln.FormatFormula(f), diff)
		}
		check.Equal(t, "a unit clause of "+m.Schema.Predicates[pred].Name, m.Formulas[pred].UnitOf() == pred, has[pred])
	}
	if loop := parse(t, "f(u, u)\n1 f(x, x)"); loop.Formulas[0].UnitOf() >= 0 {
		t.Error("f(x, x): got a unit clause, want none")
	}
}

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
		{true, true},
		{false, true},
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
		{[]mln.Threshold{at(8, 2, false), at(8, 3, true)}, "#{x, y: e(x, y)} >= 2 ^ #{x, y: e(x, y)} < 3 ^ r(@center)"},
		{[]mln.Threshold{at(8, 2, true)}, "!(x = @center ^ #{x1, y: e(x1, y)} >= 2) ^ r(x)"},
		{[]mln.Threshold{at(3, 1, false), at(8, 2, false)}, "g(z) ^ z = @center ^ #{x, y: e(x, y)} >= 2 ^ r(z)"},
		{[]mln.Threshold{at(9, 1, true)}, "!(#{y: e(x, y)} >= 2 ^ g(x)) ^ r(x)"},
	} {
		f := mln.AllOf(test.thresholds)
		check.Equal(t, "formula", mln.FormatRule(f), test.want)
		if got := again(t, mln.FormatRule(f)); mln.Canonical(got) != mln.Canonical(f) {
			t.Errorf("%s reads as %s", test.want, mln.Canonical(got))
		}
	}
}
