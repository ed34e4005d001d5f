package ground_test

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

// task is a model and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	text   string
	model  *mln.Model
	subs   []*subgraph.Subgraph
	plain  []*subgraph.Subgraph // without the constants of type lines
	worlds map[int]*naive.World
}

func load(tb testing.TB, model, db string) *task {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	if err != nil {
		tb.Fatalf("%v\n%s", err, model)
	}
	c := &task{text: model + "\n" + db, model: m, worlds: map[int]*naive.World{}}
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
		c.plain = append(c.plain, s)
	}
}

// world returns a subgraph as the oracle sees it, which holds a byte for each atom.
func (c *task) world(i int) *naive.World {
	if c.worlds[i] == nil {
		c.worlds[i] = naive.NewWorld(&c.model.Schema, c.model.Constants, c.plain[i])
	}
	return c.worlds[i]
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
