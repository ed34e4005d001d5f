package mln_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

func TestSchema_Respell(t *testing.T) {
	t.Parallel()
	m, err := mln.Parse("m.mln", []byte("number score\ntarget t(a)\ntarget r(a, b)\ntarget n(a, score)\n"), mln.Options{})
	check.OK(t, err)
	for _, tt := range []struct{ atom, want string }{
		{"t(A)", "t(A)"},
		{" t ( \tA ) ", "t(A)"},
		{`t("A")`, "t(A)"},
		{`t( "\x41" )`, "t(A)"},
		{`t("\u0041")`, "t(A)"},
		{`t("a")`, `t("a")`},
		{`t(a)`, `t("a")`},
		{`t(1)`, "t(1)"},
		{`t(01)`, "t(01)"},
		{`t("1")`, "t(1)"},
		{`t(1.5)`, `t("1.5")`},
		{`t("A , B)")`, `t("A , B)")`},
		{`t(A B)`, `t("A B")`},
		{`t("\"\\")`, `t("\"\\")`},
		{"r(A,B)", "r(A, B)"},
		{`r( "A" ,"B C")`, `r(A, "B C")`},
		{"n(A, 2)", "n(A, 2)"},
		{`n(A, "2.0")`, "n(A, 2)"},
		{"n(A,+2e0)", "n(A, 2)"},
		{"n(01, 01)", "n(01, 1)"},
		{"n(A, 2.50)", `n(A, "2.5")`},
		// No ground atoms of the schema.
		{"x( A)", "x( A)"},
		{"t", "t"},
		{"t(", "t("},
		{"t( A", "t( A"},
		{"t( A,B)", "t( A,B)"},
		{"r( A)", "r( A)"},
		{"t( A) .", "t( A) ."},
		{`t( "A)`, `t( "A)`},
		{`t( "\q")`, `t( "\q")`},
		{`t( "A" B)`, `t( "A" B)`},
	} {
		check.Equal(t, tt.atom, m.Schema.Respell(tt.atom), tt.want)
		check.Equal(t, "again: "+tt.atom, m.Schema.Respell(m.Schema.Respell(tt.atom)), tt.want)
	}
}
