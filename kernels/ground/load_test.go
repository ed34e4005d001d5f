package ground_test

import (
	"testing"

	"resolwe/internal/test/jointest"
	"resolwe/kernels/naive"
)

// task is a model and its subgraphs, both as the kernel and as the oracle see them.
type task struct {
	*jointest.Task
	worlds map[int]*naive.World
}

func load(tb testing.TB, model, db string) *task {
	tb.Helper()
	return &task{jointest.Load(tb, model, db), map[int]*naive.World{}}
}

// world returns a subgraph as the oracle sees it, which holds a byte for each atom.
func (c *task) world(i int) *naive.World {
	if c.worlds[i] == nil {
		c.worlds[i] = naive.NewWorld(&c.Model.Schema, c.Model.Constants, c.Plain[i])
	}
	return c.worlds[i]
}
