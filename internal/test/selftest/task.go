package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/oracle"
)

// task is a model with its data, and the form that enumeration needs.
type task struct {
	model  *resolwe.Model
	subs   []*subgraph.Subgraph
	worlds []*oracle.World
}

// newTask reads a task from the texts of a model and its facts.
func newTask(model, db string) (*task, error) {
	m, err := resolwe.ParseModel("selftest.mln", []byte(model), resolwe.ModelOptions{})
	if err != nil {
		return nil, err
	}
	r, err := facts.NewReader(strings.NewReader(db), "selftest.db", m.Schema)
	if err != nil {
		return nil, err
	}
	t := &task{model: m}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.subs = append(t.subs, s)
		t.worlds = append(t.worlds, t.world(s, m.Formulas))
	}
}

// world returns a subgraph as a stage sees it that computes with formulas.
func (t *task) world(s *subgraph.Subgraph, formulas []*mln.Formula) *oracle.World {
	return oracle.NewWorld(t.model.Schema, t.model.Schema.Domains(t.model.Constants, formulas), s)
}

// random draws the i-th task of a check.
func (s *suite) random(check string, i int, opt oracle.TaskOptions) func(context.Context) (*task, error) {
	return func(context.Context) (*task, error) { return newTask(oracle.RandomTask(s.source(check, i), opt)) }
}

// varied returns options that give shapes to two of three tasks with weights, and counting literals and numbers to every second
// task.
func varied(i int, opt oracle.TaskOptions) oracle.TaskOptions {
	opt.Shapes = i%3 > 0
	opt.Counts = i%4 > 1
	return opt
}

// aggregated adds aggregates to tasks with counting literals.
func aggregated(opt oracle.TaskOptions) oracle.TaskOptions {
	opt.Aggregates = opt.Counts
	return opt
}

// stream returns the task's data.
func (t *task) stream() *resolwe.Stream { return resolwe.NewStream(t.model, t.subs) }

// copies returns a stream of n copies of the task's first subgraph; the library draws separately for each.
func (t *task) copies(n int) *resolwe.Stream {
	subs := make([]*subgraph.Subgraph, n)
	for i := range subs {
		sub := *t.subs[0]
		sub.Name = fmt.Sprint("s", i)
		subs[i] = &sub
	}
	return resolwe.NewStream(t.model, subs)
}

// all returns the subgraphs of a stream, as the model sees them.
func all(ctx context.Context, s *resolwe.Stream) (subs []*subgraph.Subgraph, err error) {
	err = resolwe.Each(ctx, s, resolwe.Run{}, func(sub *subgraph.Subgraph) error {
		subs = append(subs, sub.Clone())
		return nil
	})
	return subs, err
}

// weights returns the weights of formulas, with 0 for those without one.
func weights(fs []*mln.Formula) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = f.Weight
	}
	return out
}
