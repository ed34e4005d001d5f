package facts_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/facts"
	"resolwe/format/subgraph"
	"resolwe/internal/test/archivetest"
)

func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"articleEdit(A1, U1)\n!modifies(A1, U1)\n?modifies(A1, U2)\n",
		"\ufeff@subgraph s1 center=\"U \\\"1\" fold=2 // end\r\n@entity user U1 U2/*\n*/\n@subgraph \"s 2\"\ncFriends(U1)",
		"admin(U1)\n!admin(U1)\n",
		"\x50\x2a\x4d\x18\x00\x00\x00\x00",
	} {
		f.Add([]byte(text))
		f.Add(archivetest.Gzip(text))
		f.Add(archivetest.Zstd(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return // a small archive of a huge text is slow, not wrong
		}
		first, err := readAll(bytes.NewReader(file), "f.db", wiki)
		if err != nil {
			var input facts.InputError
			if !errors.As(err, &input) && !errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatalf("an error of another kind: %v", err)
			}
		}
		second, again := readAll(bytes.NewReader(file), "f.db", wiki)
		if diff := cmp.Diff(first, second); diff != "" || (err == nil) != (again == nil) {
			t.Fatalf("read twice, %v and %v:\n%s", err, again, diff)
		}
	})
}
