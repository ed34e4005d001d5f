package selftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/kernels/naive"
	"resolwe/kernels/selection"
)

// counting lists the checks of counts, integers but for shapes: on random tasks, and on larger ones whose sets of entities take
// several words.
func (s *suite) counting() []check {
	groundings := check{subject: "counts", name: "true groundings", unit: "count"}
	chosen := check{subject: "select", name: "selected groundings", unit: "count"}
	for i := range s.times(30) {
		r := func() *rand.Rand { return s.source("counting", i) }
		groundings.cases = append(groundings.cases, s.countsGroundings(func() (*task, error) {
			return randomTask(r(), varied(i, naive.TaskOptions{General: true, Hard: true}))
		}))
		chosen.cases = append(chosen.cases, s.countsSelected(func() (*task, error) {
			return randomTask(r(), varied(i, naive.TaskOptions{}))
		}))
	}
	for i := range min(s.times(3), 10) {
		large := func() (*task, error) { return largeTask(s.source("large", i), 60+7*i) }
		groundings.cases = append(groundings.cases, s.countsGroundings(large))
		chosen.cases = append(chosen.cases, s.countsSelected(large))
	}
	return []check{groundings, chosen}
}

// countsGroundings compares the true groundings of a task's formulas on its data with their definition.
func (s *suite) countsGroundings(build func() (*task, error)) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := build()
		if err != nil {
			return f, err
		}
		at := 0
		err = s.Counts(ctx, t.model, t.stream(), resolwe.Run{Workers: 1}, func(name string, got []resolwe.Count) error {
			for i, want := range t.worlds[at].Values(t.model.Formulas) {
				value, tolerance := float64(got[i].N), 0.0
				if got[i].Shaped {
					value, tolerance = got[i].Value, rounding*(1+want)
				}
				f.equal(value, want, tolerance, func() string {
					return fmt.Sprintf("%s in %s", mln.FormatFormula(t.model.Formulas[i]), name)
				})
			}
			at++
			return nil
		})
		f.equal(float64(at), float64(len(t.subs)), 0, func() string { return "subgraphs" })
		return f, err
	}
}

// countsSelected compares what selection counts with Algorithm 1 by its definition.
func (s *suite) countsSelected(build func() (*task, error)) trial {
	return func(ctx context.Context) (f finding, err error) {
		t, err := build()
		if err != nil {
			return f, err
		}
		opt := resolwe.SelectOptions{}
		opt.Criterion, opt.Run.Workers = resolwe.Lift, 1
		got, err := s.Select(ctx, t.model, t.stream(), opt)
		if err != nil {
			return f, err
		}
		f.holds(len(got.Candidates) > 0, func() string { return "no candidates" })
		for i := range got.Candidates {
			c := &got.Candidates[i]
			all := 1<<len(c.Candidate.Enforcer) - 1
			f.variant(&c.Joint, t.pooled(c.Candidate, 0), c.Candidate)
			for k := range c.Conditional {
				f.variant(&c.Conditional[k], t.pooled(c.Candidate, all&^(1<<k)), c.Candidate)
			}
		}
		return f, nil
	}
}

// statistics is what selection counts of one variant of a candidate, over all subgraphs.
type statistics struct{ mean, defined, selected, true, expected float64 }

// pooled counts by the definition; given are the literals of the enforcer that the variant has as conditions.
func (t *task) pooled(c *mln.Candidate, given int) statistics {
	var out statistics
	for _, w := range t.worlds {
		selected, all := w.Selection(c)
		n, k := float64(selected[given]), float64(selected[len(selected)-1])
		if n == 0 {
			continue
		}
		out.defined++
		out.mean += k / n
		out.selected += n
		out.true += k
		out.expected += n * float64(all[len(all)-1]) / float64(all[given])
	}
	out.mean /= max(1, out.defined)
	return out
}

// variant compares the statistics of a variant.
func (f *finding) variant(got *selection.Stat, want statistics, c *mln.Candidate) {
	mean := got.Mean.Value()
	if got.Mean.Defined() == 0 {
		mean = 0
	}
	for _, pair := range []struct {
		what                 string
		got, want, tolerance float64
	}{
		{"subgraphs", float64(got.Mean.Defined()), want.defined, 0},
		{"mean", mean, want.mean, rounding},
		{"selected", float64(got.Selected), want.selected, 0},
		{"true", float64(got.True), want.true, 0},
		{"expected", got.Expected.Value(), want.expected, rounding * (1 + want.expected)},
	} {
		f.equal(pair.got, pair.want, pair.tolerance, func() string { return pair.what + " of " + mln.FormatFormula(c.Formula) })
	}
}

// largeModel has joins over one and two shared entities, negation, inequality, counting literals and shapes.
const largeModel = `
mark(item)
link(item, item)
edit(item, user)
talk(user, user)
target act(item, user)
target listed pick(item, user)
edit(y, u) ^ link(y, x) => act(x, u)
edit(y, u) ^ edit(y, w) ^ u != w ^ act(A0, u) => act(A0, w)
talk(u, w) ^ act(x, u) => act(x, w)
mark(x) ^ !talk(u, w) ^ pick(x, u) => act(x, w)
link(x, y) ^ !mark(y) ^ pick(x, u) ^ pick(y, u)
edit(x, u) ^ !edit(x, w) ^ talk(u, w) => pick(x, w)
#{y: link(y, x) ^ mark(y)} >= 14 ^ edit(x, u) => act(x, u)
#{x: edit(x, u) ^ edit(x, w)} >= 2 ^ talk(u, w) ^ act(A0, u) => act(A0, w)
0.4 log: edit(y, u) ^ link(y, x) ^ act(x, u)
-0.2 once: talk(w, u) ^ edit(x, w) ^ pick(x, u)
0.7 mean: talk(u, w) ^ act(x, u) ^ act(x, w)
`

// largeTask draws facts of largeModel over n items and about as many users, dense and sparse ones.
func largeTask(r *rand.Rand, n int) (*task, error) {
	users := n + 10 - r.IntN(20)
	var db strings.Builder
	for i := range n {
		fmt.Fprintf(&db, "@entity item A%d\n", i)
	}
	for i := range users {
		fmt.Fprintf(&db, "@entity user B%d\n", i)
	}
	for i := range n {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&db, "mark(A%d)\n", i)
		}
	}
	scatter := func(rate float64, format string, rows, cols int) {
		for i := range rows {
			for k := range cols {
				if r.Float64() < rate {
					fmt.Fprintf(&db, format, i, k)
				}
			}
		}
	}
	scatter(0.4, "link(A%d, A%d)\n", n, n)
	scatter(0.1, "edit(A%d, B%d)\n", n, users)
	scatter(0.02, "talk(B%d, B%d)\n", users, users)
	scatter(0.3, "act(A%d, B%d)\n", n, users)
	for i := range n {
		for k := range users {
			switch x := r.Float64(); {
			case x < 0.05:
				fmt.Fprintf(&db, "pick(A%d, B%d)\n", i, k)
			case x < 0.15:
				fmt.Fprintf(&db, "!pick(A%d, B%d)\n", i, k)
			}
		}
	}
	return newTask(largeModel, db.String())
}
