package relational_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"

	"resolwe/bench/peers/relational"
)

func TestNewTables_Rows(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, `
friends(person, person)
target listed smokes(person)
target likes(person, thing)
`, `
@subgraph s1
friends(A, B)
smokes(A)
!smokes(B)
?smokes(C)
likes(A, X)
?likes(B, Y)
!likes(C, Y)
@subgraph s2
@entity thing Z
friends(B, B)
`)
	tables, err := relational.NewTables(&task.Model.Schema, task.Plain)
	check.OK(t, err)
	got := map[string][]string{}
	for _, table := range tables {
		rows := []string{strings.Join(table.Columns, " "), strings.Join(table.Key, " ")}
		for row := range table.Rows() {
			rows = append(rows, strings.Trim(fmt.Sprint(row), "[]"))
		}
		got[table.Name] = rows
	}
	want := map[string][]string{
		"d0": {"s a0", "s a0", "0 0", "0 1", "0 2", "1 0"},
		"d1": {"s a0", "s a0", "0 0", "0 1", "1 0"},
		"p0": {"s a0 a1", "s a0 a1", "0 0 1", "1 0 0"},
		"p1": {"s a0 truth", "s a0", "0 0 1", "0 1 0"},
		"p2": {
			"s a0 a1 truth", "s a0 a1",
			"0 0 0 1", "0 0 1 0", "0 1 0 0", "0 2 0 0", "0 2 1 0", "1 0 0 0",
		},
	}
	check.Equal(t, "tables", got, want)
}

// A loop over rows may end early.
func TestNewTables_EndEarly(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, "friends(person, person)\ntarget listed smokes(person)\ntarget likes(person, person)\n",
		"friends(A, B)\nfriends(B, A)\nsmokes(A)\nsmokes(B)\n!smokes(C)\n")
	tables, err := relational.NewTables(&task.Model.Schema, task.Plain)
	check.OK(t, err)
	for _, table := range tables {
		n := 0
		for range table.Rows() {
			if n++; n == 2 {
				break
			}
		}
		if n != 2 && table.Name != "d0" {
			t.Errorf("%s: got %d rows, want 2", table.Name, n)
		}
	}
}

func TestNewTables_TooManyAtoms(t *testing.T) {
	t.Parallel()
	schema := &jointest.Load(t, "target likes(person, person)\n", "").Model.Schema
	sub := &subgraph.Subgraph{
		Name: "s1", Domains: []subgraph.Domain{{Size: 1 << 16}}, Relations: make([]subgraph.Relation, 1),
	}
	_, err := relational.NewTables(schema, []*subgraph.Subgraph{sub})
	if e, ok := errors.AsType[*relational.AtomsError](err); !ok || e.Predicate != "likes" || e.Subgraph != "s1" {
		t.Errorf("got %v, want an error that names likes and s1", err)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	if got, want := fmt.Sprintf("%v", relational.Forms()), "[reduced exists join]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := relational.Form(0).String(), "no form"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
