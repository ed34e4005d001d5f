package selection_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/join/jointest"
	"resolwe/kernels/naive"
)

// task is a model's candidates and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	text   string
	model  *mln.Model
	cands  []*mln.Candidate
	subs   []*subgraph.Subgraph
	worlds []*naive.World
}

func load(tb testing.TB, model, db string) *task {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	if err != nil {
		tb.Fatalf("%v\n%s", err, model)
	}
	c := &task{text: model + "\n" + db, model: m}
	if c.cands, _, err = mln.Candidates(m); err != nil {
		tb.Fatalf("%v\n%s", err, model)
	}
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", &m.Schema)
	if err != nil {
		tb.Fatal(err)
	}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c
		}
		if err != nil {
			tb.Fatalf("%v\n%s", err, db)
		}
		c.subs = append(c.subs, jointest.WithConstants(s, m.Constants))
		c.worlds = append(c.worlds, naive.NewWorld(&m.Schema, m.Constants, s))
	}
}

// loadCase reads a folder with a model.mln and a facts.db.
func loadCase(tb testing.TB, dir string) *task {
	tb.Helper()
	return load(tb, readFile(tb, filepath.Join(dir, "model.mln")), readFile(tb, filepath.Join(dir, "facts.db")))
}

func readFile(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
