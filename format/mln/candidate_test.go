package mln_test

import (
	"errors"
	"fmt"
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
		check.Equal(t, fmt.Sprintf("a unit clause of %s", m.Schema.Predicates[pred].Name), m.Formulas[pred].UnitOf() == pred, has[pred])
	}
	if loop := parse(t, "f(u, u)\n1 f(x, x)"); loop.Formulas[0].UnitOf() >= 0 {
		t.Error("f(x, x): got a unit clause, want none")
	}
}
