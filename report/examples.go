package report

import (
	"cmp"
	"context"
	"math"

	"resolwe"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
)

// Example is an explained atom.
type Example struct {
	Kind        string
	Subgraph    string
	Atom        string
	P           float64
	True        bool
	Explanation *resolwe.Explanation
	score       float64
}

// chooser finds the atoms to explain.
type chooser struct{ best [4]*Example }

var exampleKinds = [...]string{"Rightly expected", "Wrongly expected", "Missed", "Closest call"}

// look considers an atom; of equally good ones, the first is kept.
func (c *chooser) look(m *resolwe.Marginals, i int) {
	p, is := m.P[i], m.Truth(i) == subgraph.True
	offer := func(kind int, score float64) {
		if b := c.best[kind]; b == nil || score > b.score {
			c.best[kind] = &Example{Kind: exampleKinds[kind], Subgraph: m.Subgraph, Atom: m.Atom(i), P: p, True: is, score: score}
		}
	}
	switch {
	case is && p >= .5:
		offer(0, p)
	case p >= .5:
		offer(1, p)
	case is:
		offer(2, -p)
	}
	offer(3, -math.Abs(p-.5))
}

// explain explains the examples.
func (r *Report) explain(ctx context.Context, s *resolwe.Stream) error {
	for i := range r.Examples {
		if r.options.Budget.Over() {
			r.Examples = r.Examples[:i]
			r.expired("examples are not explained")
			return nil
		}
		e := &r.Examples[i]
		opt := resolwe.ExplainOptions{
			Subgraph: e.Subgraph, Atom: e.Atom, Groundings: 2, Infer: r.options.Cross.Infer,
		}
		opt.Infer.Run = r.options.Begin("explain", 1)
		err := inferring.Explain(ctx, r.Final, s, opt, func(x *resolwe.Explanation) error {
			e.Explanation = cmp.Or(e.Explanation, x)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
