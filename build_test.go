package resolwe_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

const buildModel = `edit(article, user)
target listed modifies(article, user)
edit(t1, u) => modifies(t2, u)
`

const buildRecipe = `table edits(article, user) from "edits.csv" (article, user)
size(u, count(a)) :- edits(a, u)
center c :- size(c, n), n >= 2
own(t) :- edits(t, @center)
near(u) :- own(t), edits(t, u), u != @center
require count(near) >= 1
modifies(t, u) :- own(t), edits(t, u), u != @center
!modifies(t, u) :- own(t), near(u), !edits(t, u)
edit(t, u) :- edits(t, u), near(u), !own(t)
`

// edits: A and B share P1 and P2, C has P2 and P3 alone with A, D edits by itself.
const buildTable = "article,user\nP1,A\nP2,A\nP1,B\nP2,B\nP2,C\nP3,C\nP4,D\nP5,D\n"

func built(t *testing.T, m *resolwe.Model, dir, recipe string, workers int) (*resolwe.Built, []byte, error) {
	t.Helper()
	var out bytes.Buffer
	w, err := rsg.NewWriter(&out, m.Schema, rsg.WriterOptions{})
	check.OK(t, err)
	opt := resolwe.BuildOptions{Dir: dir, Run: func(string, string, int64) resolwe.Run { return resolwe.Run{Workers: workers} }}
	b, err := resolwe.Build(context.Background(), m, "test.recipe", []byte(recipe), opt, w.Write)
	if err != nil {
		return nil, nil, err
	}
	err = w.Close()
	return b, out.Bytes(), err
}

func TestBuild(t *testing.T) {
	t.Parallel()
	m, err := resolwe.ParseModel("test.mln", []byte(buildModel), resolwe.ModelOptions{})
	check.OK(t, err)
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "edits.csv"), []byte(buildTable), 0o600))
	var first []byte
	var made *origin.Origin
	for _, workers := range []int{1, 2, 8} {
		b, data, err := built(t, m, dir, buildRecipe, workers)
		check.OK(t, err)
		if made = cmp.Or(made, b.Origin); len(made.Columns) != 2 {
			t.Errorf("columns of the table: %v", made.Columns)
		}
		check.Equal(t, "origin", b.Origin, made)
		b.Origin = nil
		check.Equal(t, fmt.Sprint(workers, " workers"), b, &resolwe.Built{Centers: 4, Subgraphs: 3, Refused: 1})
		if first == nil {
			first = data
		} else if !bytes.Equal(first, data) {
			t.Errorf("%d workers: got other bytes than with one", workers)
		}
	}
	f, err := rsg.Open(first, "test", rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	s, err := f.At(0)
	check.OK(t, err)
	var text bytes.Buffer
	check.OK(t, facts.Write(&text, s, m.Schema))
	const want = `@subgraph A center=A
@entity article P1 P2 P3
@entity user B C
edit(P3, C)
modifies(P1, B)
modifies(P2, B)
modifies(P2, C)
!modifies(P1, C)
`
	check.Is(t, text.String(), want, "String")
}

// TestBuild_Warnings names what has no rows: what follows from something else only for predicates and centers.
func TestBuild_Warnings(t *testing.T) {
	t.Parallel()
	m, err := resolwe.ParseModel("test.mln", []byte(buildModel), resolwe.ModelOptions{})
	check.OK(t, err)
	dir := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(dir, "edits.csv"), []byte(buildTable), 0o600))
	const head = "table edits(article, user) from \"edits.csv\" (article, user)\n"
	const none = "table none(user) from \"edits.csv\" (user)\n  where article is empty\n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", head + "center c :- edits(_, c)\nmodifies(t, c) :- edits(t, c), @center != c\n", nil},
		{"a table, and what follows", head + none + "center c :- edits(_, c), !none(c)\nown(c) :- none(c)\nown(c) :- none(c), edits(_, c)\nedit(t, u) :- edits(t, u), own(u)\n", []string{
			"2:7: no row of table none meets its conditions", "7:1: this rule of edit has no rows, as own has none",
		}},
		{"one rule of two", head + "center c :- edits(_, c)\nedit(t, u) :- edits(t, u)\nedit(t, u) :- edits(t, u), t = P9\n", []string{
			"4:1: this rule of edit has no rows",
		}},
		{"a local rule", head + "center c :- edits(_, c)\nnear(u) :- edits(P9, u), edits(P9, @center)\n!modifies(t, u) :- near(u), edits(t, @center)\n", []string{
			"3:1: this rule of near has no rows around any center", "4:2: this rule of !modifies has no rows around any center, as near has none",
		}},
		{"no centers", head + "size(u, count(t)) :- edits(t, u)\ncenter c :- size(c, n), n > 9\nedit(t, u) :- edits(t, u), edits(t, @center)\n", []string{
			"3:1: this rule gives no centers",
		}},
		{"a requirement", head + "center c :- edits(_, c)\nown(t) :- edits(t, @center)\nrequire count(own) > 9\nedit(t, u) :- edits(t, u), own(t)\n", []string{
			"4:1: no center meets this requirement",
		}},
	}
	for _, tt := range tests {
		for _, workers := range []int{1, 8} {
			b, _, err := built(t, m, dir, tt.text, workers)
			check.OK(t, err)
			var got []string
			for _, w := range b.Warnings {
				first, _, _ := strings.Cut(strings.TrimPrefix(w.String(), "test.recipe:"), "\n")
				got = append(got, first)
			}
			check.Equal(t, fmt.Sprint(tt.name, ", ", workers, " workers"), got, tt.want)
		}
	}
}

func TestBuild_Errors(t *testing.T) {
	t.Parallel()
	m, err := resolwe.ParseModel("test.mln", []byte(buildModel), resolwe.ModelOptions{})
	check.OK(t, err)
	dir := t.TempDir()
	if _, _, err := built(t, m, dir, buildRecipe, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing table: got %v, want os.ErrNotExist", err)
	}
	check.OK(t, os.WriteFile(filepath.Join(dir, "edits.csv"), []byte("article,user\nP1\n"), 0o600))
	if _, _, err := built(t, m, dir, buildRecipe, 1); !errors.Is(err, subgraph.ErrCorrupt) {
		t.Errorf("ragged row: got %v, want subgraph.ErrCorrupt", err)
	}
	var list mln.ErrorList
	if _, _, err := built(t, m, dir, "center c :- nothing(c)\n", 1); !errors.As(err, &list) {
		t.Errorf("undefined relation: got %v, want an error with a position", err)
	}
}
