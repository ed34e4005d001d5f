package resolwe_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/check"
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
	for _, workers := range []int{1, 2, 8} {
		b, data, err := built(t, m, dir, buildRecipe, workers)
		check.OK(t, err)
		if want := (resolwe.Built{Centers: 4, Subgraphs: 3, Refused: 1}); *b != want {
			t.Errorf("%d workers: got %+v, want %+v", workers, *b, want)
		}
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
	if got := text.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
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
