package resolwe_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe"
	"resolwe/format/mln"
)

func TestReadModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file(t, dir, "more.mln", []byte("target q(a)\n0.5 e(x) => q(x)\n"))
	path := file(t, dir, "task.mln", []byte("e(a)\n#include \"more.mln\"\nq(x)\n"))
	m, err := resolwe.ReadModel(path, resolwe.ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rules(m.Formulas), []string{"0.5 e(x) => q(x)", "q(x)"}); diff != "" {
		t.Errorf("formulas (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(m.Files(), []string{path, filepath.Join(dir, "more.mln")}); diff != "" {
		t.Errorf("files (-got +want):\n%s", diff)
	}
	_, err = resolwe.ReadModel(filepath.Join(dir, "none.mln"), resolwe.ModelOptions{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: got %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.Remove(filepath.Join(dir, "more.mln")); err != nil {
		t.Fatal(err)
	}
	if _, err = resolwe.ReadModel(path, resolwe.ModelOptions{}); !errors.As(err, new(mln.ErrorList)) {
		t.Errorf("included file is missing: got %v", err)
	}
}

func TestParseModel_Options(t *testing.T) {
	t.Parallel()
	const text = "e(a)\nq(a)\n2 e(x) => q(x) ^ e(x)\n"
	m, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{Targets: []string{"q"}, CNF: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Schema.Predicates[m.Schema.Predicate("q")].Role; got != mln.RoleTarget {
		t.Errorf("role of q: got %v, want %v", got, mln.RoleTarget)
	}
	for _, f := range m.Formulas {
		if f.Weight != 1 || len(m.Formulas) != 2 {
			t.Errorf("clauses: got %v", rules(m.Formulas))
		}
	}
	for name, text := range map[string]string{"syntax": "e(", "none": "e(x) => f(x)\n"} {
		if _, err := resolwe.ParseModel("task.mln", []byte(text), resolwe.ModelOptions{}); !errors.As(err, new(mln.ErrorList)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// What Write writes reads back, type lines and quoted names too.
func TestModel_Write(t *testing.T) {
	t.Parallel()
	m := parse(t, "a = {A, \"b c\"}\ne(a)\ntarget listed q(a)\ntemplate T(x) = e(x) | !e(x)\n0.1 T(x) => q(x)\nq(\"b c\").\n")
	var out strings.Builder
	if err := m.Write(&out, func(i int) string { return strings.Repeat("note\n", i) }); err != nil {
		t.Fatal(err)
	}
	back := parse(t, out.String())
	if diff := cmp.Diff(rules(back.Formulas), rules(m.Formulas)); diff != "" {
		t.Errorf("formulas (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(back.Schema, m.Schema) + cmp.Diff(back.Constants, m.Constants); diff != "" {
		t.Errorf("declarations (-got +want):\n%s", diff)
	}
	if got := strings.Count(out.String(), "// note\n"); got != 0+1+2 {
		t.Errorf("lines of notes: got %d, want 3", got)
	}
	stop := errors.New("stop")
	if err := m.Write(failing{stop}, nil); !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
