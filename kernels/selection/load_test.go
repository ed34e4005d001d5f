package selection_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/jointest"
)

// task is a model's candidates and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	*jointest.Task
	cands []*mln.Candidate
}

func load(tb testing.TB, model, db string) *task {
	tb.Helper()
	return newTask(tb, jointest.Load(tb, model, db))
}

func newTask(tb testing.TB, t *jointest.Task) *task {
	tb.Helper()
	cands, _, err := mln.Candidates(t.Model)
	if err != nil {
		tb.Fatalf("%v\n%s", err, t.Text)
	}
	return &task{t, cands}
}
