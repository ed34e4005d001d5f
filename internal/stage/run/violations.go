package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/ground"
)

// Violation says that the data of a subgraph violate a hard formula: no weights make them possible.
type Violation struct {
	Subgraph string
	Index    int // position in the stream
	Err      *ground.ViolationError
}

// String names the subgraph, the formula and the bindings of its variables.
func (v *Violation) String() string {
	return fmt.Sprintf("the data of subgraph %s violate a hard formula, so that no weights make them possible: %s. with %s",
		subgraph.Shown(v.Subgraph), v.Err.Formula, strings.Join(v.Err.Bindings, ", "))
}

// hardCheck finds subgraphs whose data violate a hard formula.
type hardCheck struct {
	program *ground.Program
	scratch sync.Pool // of *ground.Grounder

	mu    sync.Mutex
	seen  roaring64.Bitmap // positions of subgraphs
	first *Violation
	n     int
}

// CheckHard has the truth of subgraphs that are read from now on compared with the hard formulas of a model, if it has any.
func (s *Stream) CheckHard(m *Model) {
	if s.hard != nil || !slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Hard }) {
		return
	}
	hard := slices.DeleteFunc(slices.Clone(m.Formulas), func(f *mln.Formula) bool { return !f.Hard })
	s.hard = &hardCheck{program: ground.Compile(m.Schema, hard, ground.Checking)}
}

// check compares a subgraph that was not compared before.
func (c *hardCheck) check(ctx context.Context, sub *subgraph.Subgraph) {
	c.mu.Lock()
	first := c.seen.CheckedAdd(uint64(sub.Index)) // #nosec G115 -- not negative
	c.mu.Unlock()
	if !first {
		return
	}
	g, ok := c.scratch.Get().(*ground.Grounder)
	if !ok {
		g = ground.NewGrounder(c.program)
	}
	g.Stop = func() error { return context.Cause(ctx) }
	_, _, err := g.Ground(sub)
	c.scratch.Put(g)
	if e, ok := errors.AsType[*ground.ViolationError](err); ok { // other errors are the stage's
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.n++; c.first == nil || sub.Index < c.first.Index {
			c.first = &Violation{strings.Clone(sub.Name), sub.Index, e}
		}
	}
}

// Violations returns how many subgraphs have data that violate a hard formula, among those that Select, Learn or Evaluate have read, or that
// were read after CheckHard, and the first of them; nil for none.
func (s *Stream) Violations() (first *Violation, n int) {
	if s.hard == nil {
		return nil, 0
	}
	return s.hard.first, s.hard.n
}
