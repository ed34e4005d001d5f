package resolwe_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

func TestReadModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file(t, dir, "more.mln", []byte("target q(a)\n0.5 e(x) => q(x)\n"))
	path := file(t, dir, "task.mln", []byte("e(a)\n#include \"more.mln\"\nq(x)\n"))
	m, err := resolwe.ReadModel(path, resolwe.ModelOptions{})
	check.OK(t, err)
	check.Equal(t, "formulas", rules(m.Formulas), []string{"0.5 e(x) => q(x)", "q(x)"})
	check.Equal(t, "files", m.Files(), []string{path, filepath.Join(dir, "more.mln")})
	_, err = resolwe.ReadModel(filepath.Join(dir, "none.mln"), resolwe.ModelOptions{})
	check.ErrorIs(t, err, fs.ErrNotExist, "no file")
	check.OK(t, os.Remove(filepath.Join(dir, "more.mln")))
	if _, err = resolwe.ReadModel(path, resolwe.ModelOptions{}); !errors.As(err, new(mln.ErrorList)) {
		t.Errorf("included file is missing: got %v", err)
	}
}

func TestParseModel_Options(t *testing.T) {
	t.Parallel()
	const text = "e(a)\nq(a)\n2 e(x) => q(x) ^ e(x)\n"
	m, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{Targets: []string{"q"}, CNF: true})
	check.OK(t, err)
	check.Equal(t, "role of q", m.Schema.Predicates[m.Schema.Predicate("q")].Role, mln.RoleTarget)
	for _, f := range m.Formulas {
		if f.Weight != 1 || len(m.Formulas) != 2 {
			t.Errorf("clauses: got %v", rules(m.Formulas))
		}
	}
	for name, text := range map[string]string{"syntax": "e(", "none": "e(x) => f(x)\n"} {
		check.ErrorAs[mln.ErrorList](t, check.Err(resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{})), "%s", name)
	}
}

// What Write writes reads back, type lines and quoted names too.
func TestModel_Write(t *testing.T) {
	t.Parallel()
	m := parse(t, "a = {A, \"b c\"}\ne(a)\ntarget listed q(a)\ntemplate T(x) = e(x) | !e(x)\n0.1 T(x) => q(x)\nq(\"b c\").\n")
	var out strings.Builder
	check.OK(t, m.Write(&out, func(i int) string { return strings.Repeat("note\n", i) }))
	back := parse(t, out.String())
	check.Equal(t, "formulas", rules(back.Formulas), rules(m.Formulas))
	check.Equal(t, "declarations", back.Schema, m.Schema)
	check.Equal(t, "constants", back.Constants, m.Constants)
	if got := strings.Count(out.String(), "// note\n"); got != 0+1+2 {
		t.Errorf("lines of notes: got %d, want 3", got)
	}
	stop := errors.New("stop")
	check.ErrorIs(t, m.Write(failing{stop}, nil), stop, "error")
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestParseModel_Constants(t *testing.T) {
	t.Parallel()
	const text = "has(page, word)\ntarget topic(page)\n"
	path := file(t, "", "s.db", []byte("@subgraph b\nhas(P, Y)\nhas(P, \"x\")\n@subgraph a\n@entity word Z\nhas(P, Y)\n"))
	m, err := resolwe.ParseModel("m", []byte(text+"has(p, +w) => topic(p)\n"), resolwe.ModelOptions{
		Constants: func(m *resolwe.Model, types []int) ([][]string, error) {
			return open(t, m, resolwe.StreamOptions{Names: true}, path).Constants(t.Context(), types, resolwe.Run{})
		},
	})
	check.OK(t, err)
	var b strings.Builder
	check.OK(t, m.Write(&b, nil))
	want := text + "\nhas(p, Y) => topic(p)\nhas(p, Z) => topic(p)\nhas(p, \"x\") => topic(p)\n"
	check.Equal(t, "result", b.String(), want)
}
