package mln_test

import (
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// TestStanding states standings above formulas, and what looks alike elsewhere.
func TestStanding(t *testing.T) {
	t.Parallel()
	m := parse(t, `s(a)
r(a)
//= established
target q(a)
template T(x) = s(x) | r(x)
1 q(x) //= established
2 s(x) => q(x)
  //=  established
// a note

3 r(x) => q(x)
//= also used for prediction
T(x) ^ q(x)
//= established
//= q: is so | is not so
4 r(x) ^ s(x) => q(x)
/* a
//= established
*/ 5 s(x) ^ q(x)
6 log: r(x) ^
//= established
  q(x)
7 !q(x)
8 log: s(x) ^ q(x)
//= established
`)
	want := []mln.Standing{2: mln.StandingEstablished, 3: mln.StandingAlso, 4: mln.StandingAlso, 9: mln.StandingNone}
	got, text := make([]mln.Standing, len(m.Formulas)), strings.Builder{}
	text.WriteString(m.Declarations())
	for i, f := range m.Formulas {
		got[i] = f.Standing
		text.WriteString(f.Standing.Line() + mln.FormatRule(f) + "\n")
	}
	check.Slices(t, got, want, "standings")
	check.OK(t, mln.ReadBack(text.String(), m))
	m.Formulas[0] = new(*m.Formulas[0])
	m.Formulas[0].Standing = mln.StandingAlso
	check.ErrorAs[*mln.ReadBackError](t, mln.ReadBack(text.String(), m), "another standing")
}
