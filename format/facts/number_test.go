package facts_test

import (
	"errors"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

var ages = &mln.Schema{
	Types:      []string{"user", mln.NumberType},
	Predicates: []mln.Predicate{{Name: "age", Args: []int{0, 1}, Role: mln.RoleEvidence}},
}

// Equal numbers are one entity, whose name is the shortest spelling; written, they read back as the same.
func TestReader_Numbers(t *testing.T) {
	t.Parallel()
	text := "@subgraph s\n@entity number 1e6 -0.0\nage(U1, 34.00) // in years\nage(U2,34)\nage(U1, \"3.4e1\")\nage(U1, -2.50)\nage(U2, 007)\nage(U2,0)\nage(U3,+.5)\n"
	want := [][]string{{"U1", "U2", "U3"}, {"1000000", "0", "34", "-2.5", "7", "0.5"}}
	for range 2 {
		r, err := facts.NewReader(strings.NewReader(text), "f.db", ages)
		check.OK(t, err)
		s, err := r.Next()
		check.OK(t, err)
		d := dumpOf(ages, s)
		check.Equal(t, "domains", d.Domains, want)
		atoms := []string{`"U1" "-2.5"`, `"U1" "34"`, `"U2" "0"`, `"U2" "34"`, `"U2" "7"`, `"U3" "0.5"`}
		check.Equal(t, "atoms", d.Atoms["age"], atoms)
		var out strings.Builder
		check.OK(t, facts.Write(&out, s, ages))
		if text = out.String(); strings.Contains(text, `"`) {
			t.Errorf("numbers are quoted:\n%s", text)
		}
	}
}

// Equal numbers are one entity in each kind.
func TestReader_Kinds(t *testing.T) {
	t.Parallel()
	schema := &mln.Schema{Types: []string{"user", "points", "days"}, Kinds: []bool{false, true, true}, Predicates: []mln.Predicate{
		{Name: "p", Args: []int{0, 1}, Role: mln.RoleEvidence}, {Name: "d", Args: []int{0, 2}, Role: mln.RoleEvidence},
	}}
	text := "@entity points 1e1\n@entity days -2.50\np(U1, 34)\np(U1, 34.0)\nd(U1, \"34\")\nd(U1, 3.4e1)\n"
	for range 2 {
		r, err := facts.NewReader(strings.NewReader(text), "f.db", schema)
		check.OK(t, err)
		s, err := r.Next()
		check.OK(t, err)
		check.Equal(t, "domains", dumpOf(schema, s).Domains, [][]string{{"U1"}, {"10", "34"}, {"-2.5", "34"}})
		var out strings.Builder
		check.OK(t, facts.Write(&out, s, schema))
		text = out.String()
	}
}

func TestReader_NumberErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"age(U1, 3x)":            "f.db:1:9: \"3x\" is no finite number\nage(U1, 3x)\n        ^",
		"age(U1, NaN)":           "f.db:1:9: \"NaN\" is no finite number\nage(U1, NaN)\n        ^",
		"@entity number 1 1e999": "f.db:1:18: \"1e999\" is no finite number\n@entity number 1 1e999\n                 ^",
		"age(U1, \"\")":          "f.db:1:9: \"\" is no finite number\nage(U1, \"\")\n        ^",
	} {
		r, err := facts.NewReader(strings.NewReader(text), "f.db", ages)
		check.OK(t, err)
		_, err = r.Next()
		if _, ok := errors.AsType[facts.InputError](err); !ok || err.Error() != want {
			t.Errorf("%s: got\n%v\nwant\n%s", text, err, want)
		}
	}
}
