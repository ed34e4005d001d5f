package facts_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/facts"
	"resolwe/internal/test/check"
)

// readKnown reads a text without what the schema lacks, and returns the names of what was left out.
func readKnown(text string) (all []dump, ignored []string, err error) {
	r, err := facts.NewReader(strings.NewReader(text), "f.db", wiki)
	if err != nil {
		return nil, nil, err
	}
	r.IgnoreUnknown()
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, r.Ignored(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, dumpOf(wiki, s))
	}
}

// TestReader_IgnoreUnknown reads as if lines of what the schema lacks were not there.
func TestReader_IgnoreUnknown(t *testing.T) {
	t.Parallel()
	known := "@subgraph s1\narticleEdit(A1, U1)\n!modifies(A1, U2)\n@subgraph s2\nadmin(U1)\n"
	more := "@subgraph s1\n@entity city Rome \"New York\" // cities\narticleEdit(A1, U1)\nage(U1, -2.5) /* of\na user */\n" +
		"!modifies(A1, U2)\n?likes(U7, \"a, b)\", C)\n@subgraph s2\nadmin(U1)\nage(U9, 1e6)\n"
	want, err := readAll(strings.NewReader(known), "f.db", wiki)
	check.OK(t, err)
	got, ignored, err := readKnown(more)
	check.OK(t, err)
	check.Equal(t, "subgraphs", got, want)
	check.Equal(t, "ignored", ignored, []string{"age", "likes"})
	for _, text := range []string{
		"age(U1", "age(U1, )", "age()", "age(U1) U2", "age U1", "age(\"U1)", "articleEdit(A1)", "@entity city \"Rome", "?articleEdit(A1, U1)",
	} {
		if _, _, err := readKnown(text); !errors.As(err, new(facts.InputError)) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// FuzzReader_IgnoreUnknown reads what the reader takes as it is as the same.
func FuzzReader_IgnoreUnknown(f *testing.F) {
	f.Add("@subgraph s1\narticleEdit(A1, U1)\nage(U1, 3)\n@entity city Rome\n")
	f.Add("cFriends(U1)\n!modifies(A, B) /*")
	f.Fuzz(func(t *testing.T, text string) {
		want, err := readAll(strings.NewReader(text), "f.db", wiki)
		got, ignored, ignoring := readKnown(text)
		switch {
		case err == nil && (ignoring != nil || len(ignored) > 0 || cmp.Diff(got, want) != ""):
			t.Fatalf("got %v, %v, %v, want %v", got, ignored, ignoring, want)
		case ignoring == nil && err != nil && len(ignored) == 0 && !strings.Contains(err.Error(), ": unknown "):
			t.Fatalf("got no error, want %v", err)
		}
	})
}
