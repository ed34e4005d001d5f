package cd_test

import (
	"testing"

	"resolwe/kernels/join/jointest"
	"resolwe/kernels/naive"
)

// task is a model and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	*jointest.Task
	worlds []*naive.World
}

func newTask(t *jointest.Task) *task {
	out := &task{Task: t}
	for _, s := range t.Plain {
		out.worlds = append(out.worlds, naive.NewWorld(&t.Model.Schema, t.Model.Constants, s))
	}
	return out
}

func loadCase(tb testing.TB, dir string) *task {
	tb.Helper()
	return newTask(jointest.LoadCase(tb, dir))
}
