package selftest

import (
	"context"
	_ "embed" // a model
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/selection"
)

// rounding is the tolerance for sums of probabilities.
const rounding = 1e-9

// definition lists the checks against the definition: counts (integers except for shapes), on random tasks and on larger ones whose
// sets of entities take several words; exact marginals; and most probable states.
func (s *suite) definition() []check {
	counts := check{subject: "counts", name: "true groundings", unit: "count"}
	chosen := check{subject: "select", name: "selected groundings", unit: "count"}
	for i := range s.times(30) {
		counts.cases = append(counts.cases, on(s.random("counting", i, aggregated(varied(i, oracle.TaskOptions{General: true, Hard: true}))), s.counts))
		chosen.cases = append(chosen.cases, on(s.random("counting", i, aggregated(varied(i, oracle.TaskOptions{}))), s.selected))
	}
	for i := range min(s.times(3), 10) {
		large := func(context.Context) (*task, error) { return largeTask(s.source("large", i), 60+7*i) }
		counts.cases = append(counts.cases, on(large, s.counts))
		chosen.cases = append(chosen.cases, on(large, s.selected))
	}
	unit := check{subject: "closed form", name: "unit weights -3 to 3, each method", unit: "probability"}
	for i, t := range unitWeights(false) {
		for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodMCSAT, resolwe.MethodGibbs, resolwe.MethodExact} {
			want := [][]float64{{1 / (1 + elementary.Exp(-float64(i-3)))}}
			unit.cases = append(unit.cases, on(t.task, func(ctx context.Context, task *task, f *Check) error {
				return s.marginals(ctx, task, method, false, want, f)
			}))
		}
	}
	auto := check{subject: "auto", name: "random tasks", unit: "probability"}
	exact := check{subject: "exact", name: "random tasks", unit: "probability"}
	modes := check{subject: "map", name: "random tasks", unit: "log-weight"}
	for i := range s.times(15) {
		opt, given := varied(i/2, oracle.TaskOptions{General: true, Hard: i%2 == 1}), i%4 < 2
		auto.cases = append(auto.cases, on(s.random("exact", i, opt), s.enumerates(resolwe.MethodAuto, given)))
		exact.cases = append(exact.cases, on(s.random("exact", i, opt), s.enumerates(resolwe.MethodExact, given)))
		modes.cases = append(modes.cases, on(s.random("map", i, opt), s.mode(given)))
	}
	return []check{counts, chosen, unit, auto, exact, modes}
}

// counts compares the counts of true groundings of a task's formulas on its data with the definition.
func (s *suite) counts(ctx context.Context, t *task, f *Check) error {
	at := 0
	err := s.Counts(ctx, t.model, t.stream(), resolwe.Run{Workers: 1}, func(name string, got []resolwe.Count) error {
		for i := range t.model.Formulas {
			if ctx.Err() != nil { // the definition is slow
				return context.Cause(ctx)
			}
			want := t.worlds[at].Values(t.model.Formulas[i : i+1])[0]
			value, tolerance := float64(got[i].N), 0.0
			if got[i].Shaped {
				value, tolerance = got[i].Value, rounding*(1+math.Abs(want))
			}
			f.equal(value, want, tolerance, func() string {
				return fmt.Sprintf("%s in %s", mln.FormatFormula(t.model.Formulas[i]), name)
			})
		}
		at++
		return nil
	})
	f.equal(float64(at), float64(len(t.subs)), 0, func() string { return "subgraphs" })
	return err
}

// selected compares the counts of selection with the definition of Algorithm 1.
func (s *suite) selected(ctx context.Context, t *task, f *Check) error {
	opt := resolwe.SelectOptions{Criterion: resolwe.Lift, Run: resolwe.Run{Workers: 1}}
	got, err := s.Select(ctx, t.model, t.stream(), opt)
	if err != nil {
		return err
	}
	f.holds(len(got.Candidates) > 0, func() string { return "no candidates" })
	offered := make([]*oracle.World, len(t.subs)) // without constants of candidates
	for i, s := range t.subs {
		offered[i] = t.world(s, nil)
	}
	for i := range got.Candidates {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c := &got.Candidates[i]
		variant(offered, &c.Joint, c.Candidate, 0, f)
		for k := range c.Conditional {
			variant(offered, &c.Conditional[k], c.Candidate, (1<<len(c.Candidate.Enforcer)-1)&^(1<<k), f)
		}
	}
	return nil
}

// variant compares the statistics of a variant of a candidate over all subgraphs; given are the enforcer's literals that the
// variant conditions on.
func variant(worlds []*oracle.World, got *selection.Stat, c *mln.Candidate, given int, f *Check) {
	var quotients, defined, selected, trues, expected float64
	for _, w := range worlds {
		picked, all := w.Selection(c)
		n, k := float64(picked[given]), float64(picked[len(picked)-1])
		if n > 0 {
			quotients += k / n
			defined++
			selected += n
			trues += k
			expected += n * float64(all[len(all)-1]) / float64(all[given])
		}
	}
	mean := 0.0
	if got.Mean.Defined() > 0 {
		mean = got.Mean.Value()
	}
	for _, pair := range []struct {
		what                 string
		got, want, tolerance float64
	}{
		{"subgraphs", float64(got.Mean.Defined()), defined, 0},
		{"mean", mean, quotients / max(1, defined), rounding},
		{"selected", float64(got.Selected), selected, 0},
		{"true", float64(got.True), trues, 0},
		{"expected", got.Expected.Value(), expected, rounding * (1 + expected)},
	} {
		f.equal(pair.got, pair.want, pair.tolerance, func() string { return pair.what + " of " + mln.FormatFormula(c.Formula) })
	}
}

//go:embed large.mln
var largeModel string

// largeTask draws facts of largeModel over n items and about as many users, dense and sparse ones.
func largeTask(r *rand.Rand, n int) (*task, error) {
	users := n + 10 - r.IntN(20)
	d := &drawing{Rand: r}
	d.entities("item A", n)
	d.entities("user B", users)
	facts := func(format string, rows, cols int, yes, no float64) {
		for i := range rows {
			for k := range cols {
				switch x := r.Float64(); {
				case x < yes:
					d.fact(format, "", i, k)
				case x < yes+no:
					d.fact(format, "!", i, k)
				}
			}
		}
	}
	facts("%[1]smark(A%[2]d)", n, 1, 0.5, 0)
	facts("%slink(A%d, A%d)", n, n, 0.4, 0)
	facts("%sedit(A%d, B%d)", n, users, 0.1, 0)
	facts("%stalk(B%d, B%d)", users, users, 0.02, 0)
	facts("%sact(A%d, B%d)", n, users, 0.3, 0)
	facts("%spick(A%d, B%d)", n, users, 0.05, 0.1)
	return newTask(largeModel, d.db.String())
}

// enumerates compares marginals with the definition of the model. If hard formulas have no solution, inference must say so.
func (s *suite) enumerates(method resolwe.Method, given bool) func(context.Context, *task, *Check) error {
	return func(ctx context.Context, t *task, f *Check) error {
		rules := oracle.Rules{UnknownExist: true, Given: given}
		var want [][]float64
		for _, w := range t.worlds {
			d, err := w.Enumerate(t.model.Formulas, nil, rules)
			if errors.Is(err, oracle.ErrUnsatisfiable) {
				err := s.marginals(ctx, t, method, given, nil, f)
				f.holds(err != nil, func() string { return "no solution of the hard formulas" })
				return nil
			}
			if err != nil {
				return err
			}
			want = append(want, d.Marginals())
		}
		return s.marginals(ctx, t, method, given, want, f)
	}
}

// marginals compares the marginals of each subgraph with want, unless it is nil.
func (s *suite) marginals(ctx context.Context, t *task, method resolwe.Method, given bool, want [][]float64, f *Check) error {
	opt := resolwe.InferOptions{Method: method, Given: given, Seed: s.seed, Run: resolwe.Run{Workers: 1}}
	at := 0
	err := s.Infer(ctx, t.model, t.stream(), opt, func(m *resolwe.Marginals) error {
		if want != nil {
			for i, p := range want[at] {
				f.equal(m.P[i], p, rounding, func() string { return fmt.Sprintf("P(%s) in %s", m.Atom(i), m.Subgraph) })
			}
		}
		at++
		return nil
	})
	if err == nil {
		f.equal(float64(at), float64(len(t.subs)), 0, func() string { return "subgraphs" })
	}
	return err
}

// mode compares the most probable states with the definition of the model, and states found by search with their log-weights. If
// hard formulas have no solution, some must be violated.
func (s *suite) mode(given bool) func(context.Context, *task, *Check) error {
	return func(ctx context.Context, t *task, f *Check) error {
		for _, method := range []resolwe.MapMethod{resolwe.MapExact, resolwe.MapSearch} {
			opt := resolwe.MapOptions{Method: method, Given: given, Seed: s.seed, Sweeps: 100, Run: resolwe.Run{Workers: 1}}
			at := 0
			err := s.Map(ctx, t.model, t.stream(), opt, func(r *resolwe.MapState) error {
				d, err := t.worlds[at].Enumerate(t.model.Formulas, nil, oracle.Rules{UnknownExist: true, Given: given})
				at++
				switch {
				case errors.Is(err, oracle.ErrUnsatisfiable):
					f.holds(len(r.Broken) > 0, func() string { return "no solution of the hard formulas in " + r.Subgraph })
					return nil
				case err != nil:
					return err
				}
				want := d.Mode()
				if r.Searched > 0 {
					f.holds(r.LogWeight <= want.Score+rounding || len(r.Broken) > 0, func() string { return "log-weight by search in " + r.Subgraph })
					return nil
				}
				f.equal(r.LogWeight, want.Score, rounding, func() string { return "log-weight in " + r.Subgraph })
				for k, x := range r.X {
					f.holds(x == want.Atoms[k], func() string { return fmt.Sprintf("%s in %s", r.Atom(k), r.Subgraph) })
				}
				return nil
			})
			if err != nil {
				return err
			}
			f.equal(float64(at), float64(len(t.subs)), 0, func() string { return "subgraphs" })
		}
		return nil
	}
}
