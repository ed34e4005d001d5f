package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"resolwe"
	"resolwe/bench/workload"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// task is what every system has to count, and what resolwe counts.
type task struct {
	model   *resolwe.Model
	stream  *resolwe.Stream
	subs    []*subgraph.Subgraph // views of the stream
	counts  []*resolwe.Selection // by subgraph
	seconds float64              // that counting them all takes one worker
}

// runs is how often resolwe counts. The fastest run is told, as of queries.
const runs = 5

// task counts with resolwe. The caller closes the stream.
func (c *cli) task(ctx context.Context) (*task, error) {
	if c.Subgraphs < 1 {
		return nil, errors.New("--subgraphs: at least 1")
	}
	m, err := resolwe.ReadModel(c.Model, resolwe.ModelOptions{})
	if err != nil {
		return nil, err
	}
	for _, f := range m.Formulas {
		if !writes(m.Schema, f.Body) {
			return nil, fmt.Errorf("%s: counting literals, orders of numbers and targets that are not listed are not written in SQL: %s",
				c.Model, mln.FormatFormula(f))
		}
	}
	open := func() (*resolwe.Stream, error) {
		return resolwe.OpenStream(m, c.Stream, resolwe.StreamOptions{Names: true})
	}
	cost, err := workload.Select(ctx, workload.Source{Model: m, Open: open}, workload.Options{Subgraphs: c.Subgraphs, Workers: 1, Runs: runs})
	if err != nil {
		return nil, err
	}
	t := &task{model: m, seconds: cost.Main().Wall.Least}
	if t.stream, err = open(); err != nil {
		return nil, err
	}
	if err := t.load(ctx, c.Subgraphs); err != nil {
		return nil, errors.Join(err, t.stream.Close())
	}
	return t, nil
}

// writes reports whether queries have what an expression holds.
func writes(schema *mln.Schema, x mln.Expr) bool {
	switch x := x.(type) {
	case *mln.Compare, *mln.Count:
		return false
	case *mln.Atom:
		return schema.Predicates[x.Pred].Role != mln.RoleTarget
	}
	return !slices.ContainsFunc(mln.Operands(x), func(y mln.Expr) bool { return !writes(schema, y) })
}

// load reads the first n subgraphs, and counts on each by itself.
func (t *task) load(ctx context.Context, n int) error {
	err := resolwe.Each(ctx, t.stream.Range(0, n), resolwe.Run{Workers: 1}, func(sub *subgraph.Subgraph) error {
		t.subs = append(t.subs, sub.Clone())
		one := resolwe.NewStream(t.model, t.subs[len(t.subs)-1:])
		sel, err := resolwe.Select(ctx, t.model, one, resolwe.SelectOptions{Criterion: resolwe.Paper})
		t.counts = append(t.counts, sel)
		return err
	})
	if err == nil && len(t.subs) == 0 {
		err = errors.New("the stream has no subgraph")
	}
	return err
}

// want returns resolwe's counts of a candidate on a subgraph.
func (t *task) want(candidate, sub int) counts {
	c := &t.counts[sub].Candidates[candidate]
	out := counts{int64(c.Joint.Selected)}
	for k := range c.Conditional {
		out = append(out, int64(c.Conditional[k].Selected))
	}
	return append(out, int64(c.Joint.True))
}

// outcome is what a database took.
type outcome struct {
	load, count float64 // seconds; the limit stands for a query that was not finished
	unfinished  int     // queries
	formulas    []string
}

// compare loads the subgraphs and counts. Other counts than resolwe's are an error.
func (t *task) compare(ctx context.Context, db *database, limit time.Duration) (*outcome, error) {
	out, start := &outcome{}, time.Now()
	for s, sub := range t.subs {
		for _, table := range tables(t.model.Schema, sub, s) {
			if err := db.load(ctx, &table); err != nil {
				return nil, err
			}
		}
	}
	out.load = time.Since(start).Seconds()
	for i := range t.counts[0].Candidates {
		seconds, used := 0.0, []string{}
		for s := range t.subs {
			f, took, err := t.fastest(ctx, db, i, s, limit)
			switch {
			case errors.Is(err, errLimit):
				out.unfinished++
			case err != nil:
				return nil, err
			case !slices.Contains(used, string(f)):
				used = append(used, string(f))
			}
			seconds += took.Seconds()
		}
		out.count += seconds
		formula := mln.FormatFormula(t.counts[0].Candidates[i].Candidate.Formula)
		out.formulas = append(out.formulas, fmt.Sprintf("%.1f\t%s\t%s\n", seconds*1e3, strings.Join(used, ", "), formula))
	}
	return out, nil
}

// firstLimit is the time that each way to write a query gets at first.
const firstLimit = 250 * time.Millisecond

// fastest returns the fastest way to write a candidate's query on a subgraph, and how long it takes. All ways get a short
// time, then a longer one, until one finishes; none gets more than the best before it took. The best is tried again, since
// the first to be tried reads for the others. The error is errLimit, and the time the limit, where no way finishes.
func (t *task) fastest(
	ctx context.Context, db *database, candidate, sub int, limit time.Duration,
) (best form, least time.Duration, err error) {
	for allowed := min(firstLimit, limit); best == ""; allowed = min(4*allowed, limit) {
		least = allowed
		for _, f := range forms {
			took, err := t.count(ctx, db, candidate, sub, f, least)
			switch {
			case errors.Is(err, errLimit):
			case err != nil:
				return "", 0, err
			case best == "" || took < least:
				best, least = f, took
			}
		}
		if best == "" && allowed == limit {
			return "", limit, errLimit
		}
	}
	again, err := t.count(ctx, db, candidate, sub, best, 2*limit)
	return best, min(least, again), err
}

// count runs one query, compares the counts and returns how long it took.
func (t *task) count(ctx context.Context, db *database, candidate, sub int, f form, limit time.Duration) (time.Duration, error) {
	c, want := t.counts[0].Candidates[candidate].Candidate, t.want(candidate, sub)
	q := query(c, t.subs[sub], sub, f)
	got, took, err := db.count(ctx, q, len(want), limit)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("counts are %v, resolwe's %v, on subgraph %s: %s", got, want, t.subs[sub].Name, mln.FormatFormula(c.Formula))
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, q)
	}
	return took, err
}
