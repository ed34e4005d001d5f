package jointest

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
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// Task is a model and its subgraphs.
type Task struct {
	Text  string // model and facts, for messages
	Model *mln.Model
	Plain []*subgraph.Subgraph // as they were read
	Subs  []*subgraph.Subgraph // with the constants of the model's type lines, as kernels take them

	worlds map[int]*oracle.World
}

// World returns a subgraph in the form of the oracle, with a byte per atom.
func (t *Task) World(i int) *oracle.World {
	if t.worlds[i] == nil {
		t.worlds[i] = oracle.NewWorld(&t.Model.Schema, t.Model.Constants, t.Plain[i])
	}
	return t.worlds[i]
}

// Load reads a task from the text of a model and of facts.
func Load(tb testing.TB, model, db string) *Task {
	tb.Helper()
	m, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	if err != nil {
		tb.Fatalf("%v\n%s", err, model)
	}
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", &m.Schema)
	check.OK(tb, err)
	t := &Task{Text: model + "\n" + db, Model: m, worlds: map[int]*oracle.World{}}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t
		}
		if err != nil {
			tb.Fatalf("%v\n%s", err, db)
		}
		t.Plain = append(t.Plain, s)
		t.Subs = append(t.Subs, WithConstants(s, m.Constants))
	}
}

// LoadCase reads a folder with a model.mln and a facts.db.
func LoadCase(tb testing.TB, dir string) *Task {
	tb.Helper()
	return Load(tb, ReadFile(tb, filepath.Join(dir, "model.mln")), ReadFile(tb, filepath.Join(dir, "facts.db")))
}

// ReadFile returns the text of a file.
func ReadFile(tb testing.TB, path string) string {
	tb.Helper()
	b, err := os.ReadFile(path)
	check.OK(tb, err)
	return string(b)
}
