package lex_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"resolwe/format/lex"
	"resolwe/internal/test/check"
)

func TestReadIncluded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.mln")
	check.OK(t, os.WriteFile(path, []byte("p(t)"), 0o600))
	text, err := lex.ReadIncluded(path)
	check.OK(t, err)
	check.Equal(t, "text", string(text), "p(t)")
	check.OK(t, os.Truncate(path, lex.MaxIncluded+1))
	if _, err = lex.ReadIncluded(path); !errors.As(err, new(*fs.PathError)) {
		t.Errorf("too long: got %v, want a PathError", err)
	}
}
