package relational_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"

	"resolwe/bench/peers/relational"
)

func parse(tb testing.TB, model string) *mln.Model {
	tb.Helper()
	m, err := mln.Parse("task.mln", []byte(model), mln.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// load reads .db text.
func load(tb testing.TB, m *mln.Model, db string) []*subgraph.Subgraph {
	tb.Helper()
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", &m.Schema)
	if err != nil {
		tb.Fatal(err)
	}
	var out []*subgraph.Subgraph
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, s)
	}
}

func TestNewTables_Rows(t *testing.T) {
	t.Parallel()
	m := parse(t, `
friends(person, person)
target listed smokes(person)
target likes(person, thing)
`)
	tables, err := relational.NewTables(&m.Schema, load(t, m, `
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
`))
	if err != nil {
		t.Fatal(err)
	}
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
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("tables (-got, +want):\n%s", diff)
	}
}

// A loop over rows may end early.
func TestNewTables_EndEarly(t *testing.T) {
	t.Parallel()
	m := parse(t, "friends(person, person)\ntarget listed smokes(person)\ntarget likes(person, person)\n")
	tables, err := relational.NewTables(&m.Schema, load(t, m, "friends(A, B)\nfriends(B, A)\nsmokes(A)\nsmokes(B)\n!smokes(C)\n"))
	if err != nil {
		t.Fatal(err)
	}
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
	m := parse(t, "target likes(person, person)\n")
	sub := &subgraph.Subgraph{
		Name: "s1", Domains: []subgraph.Domain{{Size: 1 << 16}}, Relations: make([]subgraph.Relation, 1),
	}
	_, err := relational.NewTables(&m.Schema, []*subgraph.Subgraph{sub})
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
