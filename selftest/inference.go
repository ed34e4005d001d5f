package selftest

import (
	"context"
	"errors"
	"fmt"

	"resolwe"
	"resolwe/internal/elementary"
	"resolwe/kernels/naive"
)

// inference lists the checks of marginals that are exact.
func (s *suite) inference() []check {
	unit := check{subject: "closed form", name: "unit weights -3 to 3, each method", unit: "probability"}
	for i, t := range unitWeights(false) {
		for _, method := range []resolwe.Method{
			resolwe.MethodAuto, resolwe.MethodMCSAT, resolwe.MethodGibbs, resolwe.MethodExact,
		} {
			want := 1 / (1 + elementary.Exp(-float64(i-3)))
			unit.cases = append(unit.cases, func(ctx context.Context) (f finding, err error) {
				task, err := newTask(t.model, t.db)
				if err != nil {
					return f, err
				}
				return f, s.marginals(ctx, task, method, false, &f, func(int) []float64 { return []float64{want} })
			})
		}
	}
	out := make([]check, 1, 3)
	out[0] = unit
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodExact} {
		c := check{subject: method.String(), name: "random tasks", unit: "probability"}
		for i := range s.times(15) {
			c.cases = append(c.cases, s.enumerates(method, i))
		}
		out = append(out, c)
	}
	return out
}

// enumerates compares exact marginals with those by the definition of the model; where hard formulas have no solution
// inference has to say so.
func (s *suite) enumerates(method resolwe.Method, i int) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := randomTask(s.source("exact", i), varied(i/2, naive.TaskOptions{General: true, Hard: i%2 == 1}))
		if err != nil {
			return f, err
		}
		rules := naive.Rules{UnknownExist: true, Given: i%4 < 2}
		var want [][]float64
		for _, w := range t.worlds {
			p, _, err := w.Marginals(t.model.Formulas, rules)
			if errors.Is(err, naive.ErrUnsatisfiable) {
				err := s.marginals(ctx, t, method, rules.Given, &f, func(int) []float64 { return nil })
				f.holds(err != nil, func() string { return "no solution of the hard formulas" })
				return f, nil
			}
			if err != nil {
				return f, err
			}
			want = append(want, p)
		}
		return f, s.marginals(ctx, t, method, rules.Given, &f, func(at int) []float64 { return want[at] })
	}
}

// marginals compares the marginals of each subgraph with those that want gives for it, of which it may be nil.
func (s *suite) marginals(
	ctx context.Context, t *task, method resolwe.Method, given bool, f *finding, want func(at int) []float64,
) error {
	opt := resolwe.InferOptions{}
	opt.Method, opt.Given, opt.Seed, opt.Run.Workers = method, given, s.seed, 1
	seen := 0
	err := s.Infer(ctx, t.model, t.stream(), opt, func(m *resolwe.Marginals) error {
		for i, p := range want(seen) {
			f.equal(m.P[i], p, rounding, func() string { return fmt.Sprintf("P(%s) in %s", m.Atom(i), m.Subgraph) })
		}
		seen++
		return nil
	})
	if err == nil {
		f.equal(float64(seen), float64(len(t.subs)), 0, func() string { return "subgraphs" })
	}
	return err
}
