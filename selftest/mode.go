package selftest

import (
	"context"
	"errors"
	"fmt"

	"resolwe"
	"resolwe/kernels/naive"
)

// modes lists the checks of most probable states.
func (s *suite) modes() []check {
	c := check{subject: "map", name: "random tasks", unit: "log-weight"}
	for i := range s.times(15) {
		c.cases = append(c.cases, s.mode(i))
	}
	return []check{c}
}

// mode compares the most probable states with those by the definition of the model, and those that are searched for with their
// log-weights; where hard formulas have no solution some have to be broken.
func (s *suite) mode(i int) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := randomTask(s.source("map", i), varied(i/2, naive.TaskOptions{General: true, Hard: i%2 == 1}))
		if err != nil {
			return f, err
		}
		rules := naive.Rules{UnknownExist: true, Given: i%4 < 2}
		for _, method := range []resolwe.MapMethod{resolwe.MapExact, resolwe.MapSearch} {
			opt := resolwe.MapOptions{Method: method, Given: rules.Given, Seed: s.seed, Sweeps: 100, Run: resolwe.Run{Workers: 1}}
			at := 0
			err := s.Map(ctx, t.model, t.stream(), opt, func(r *resolwe.MapState) error {
				want, most, err := t.worlds[at].Mode(t.model.Formulas, rules)
				at++
				if errors.Is(err, naive.ErrUnsatisfiable) {
					f.holds(len(r.Broken) > 0, func() string { return "no solution of the hard formulas in " + r.Subgraph })
					return nil
				}
				if err != nil {
					return err
				}
				if r.Searched > 0 {
					f.holds(r.LogWeight <= most+rounding || len(r.Broken) > 0, func() string { return "log-weight by search in " + r.Subgraph })
					return nil
				}
				f.equal(r.LogWeight, most, rounding, func() string { return "log-weight in " + r.Subgraph })
				for k, x := range r.X {
					f.holds(x == want[k], func() string { return fmt.Sprintf("%s in %s", r.Atom(k), r.Subgraph) })
				}
				return nil
			})
			if err != nil {
				return f, err
			}
			f.equal(float64(at), float64(len(t.subs)), 0, func() string { return "subgraphs" })
		}
		return f, nil
	}
}
