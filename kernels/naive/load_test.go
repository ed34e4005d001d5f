package naive_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/naive"
)

// random generates a task.
func random(tb testing.TB, seed, stream uint64, opt naive.TaskOptions) *jointest.Task {
	tb.Helper()
	model, db := naive.RandomTask(rand.New(rand.NewPCG(seed, stream)), opt)
	return jointest.Load(tb, model, db)
}

// atomName formats an atom as in the cases.
func atomName(c *jointest.Task, a naive.Atom) string {
	return fmt.Sprintf("%s(%s)", c.Model.Schema.Predicates[a.Pred].Name, strings.Join(a.Args, ", "))
}

func weights(fs []*mln.Formula) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = f.Weight
	}
	return out
}
