package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"resolwe/format/mln"

	"resolwe/bench/peers/database"
	"resolwe/bench/peers/relational"
)

// outcome is what a database took.
type outcome struct {
	Database   string           `json:"database"`
	Load       float64          `json:"load_seconds"`
	Count      float64          `json:"count_seconds"` // the limit stands for a query that was not finished
	Ratio      float64          `json:"over_resolwe"`
	Unfinished int              `json:"unfinished"` // formulas, on some subgraph
	Formulas   []formulaOutcome `json:"formulas"`
}

// formulaOutcome is what one candidate took on all subgraphs.
type formulaOutcome struct {
	Formula  string   `json:"formula"`
	Forms    []string `json:"forms"` // that were the fastest on some subgraph
	Seconds  float64  `json:"seconds"`
	Finished bool     `json:"finished"`
}

// countError says that a database counts otherwise.
type countError struct {
	database, subgraph, formula, query string
	got, want                          relational.Counts
}

// Error gives both counts, and the query.
func (e *countError) Error() string {
	return fmt.Sprintf("%s counts %v where resolwe counts %v on subgraph %s: %s\n%s",
		e.database, e.got, e.want, e.subgraph, e.formula, e.query)
}

// comparison counts a task's candidates in one database.
type comparison struct {
	*task
	db    database.Database
	limit time.Duration // of a query
	done  func()        // called after each candidate
}

// run loads the subgraphs and counts. A *countError ends it.
func (c *comparison) run(ctx context.Context) (*outcome, error) {
	tables, err := relational.NewTables(c.model.Schema, c.subs)
	if err != nil {
		return nil, err
	}
	out := &outcome{Database: c.db.Name()}
	start := time.Now()
	if err := c.db.Load(ctx, tables); err != nil {
		return nil, fmt.Errorf("%s: %w", c.db.Name(), err)
	}
	out.Load = time.Since(start).Seconds()
	for i := range c.counts[0].Candidates {
		f, err := c.formula(ctx, i)
		if err != nil {
			return nil, err
		}
		out.Formulas = append(out.Formulas, f)
		out.Count += f.Seconds
		if !f.Finished {
			out.Unfinished++
		}
		c.done()
	}
	out.Ratio = out.Count / c.seconds()
	return out, nil
}

// formula counts a candidate on all subgraphs.
func (c *comparison) formula(ctx context.Context, candidate int) (formulaOutcome, error) {
	out := formulaOutcome{
		Formula: mln.FormatFormula(c.counts[0].Candidates[candidate].Candidate.Formula), Finished: true,
	}
	for s := range c.subs {
		form, took, err := c.fastest(ctx, candidate, s)
		if errors.Is(err, database.ErrLimit) {
			out.Finished = false
			took, err = c.limit, nil
		}
		if err != nil {
			return out, err
		}
		out.Seconds += took.Seconds()
		if form != 0 && !slices.Contains(out.Forms, form.String()) {
			out.Forms = append(out.Forms, form.String())
		}
	}
	return out, nil
}

// firstLimit is the time that each way to write a query gets at first.
const firstLimit = 250 * time.Millisecond

// fastest returns the fastest way to write a candidate's query on a subgraph, and how long it takes. All ways get a short
// time, then a longer one, until one finishes. The error is database.ErrLimit where none does.
func (c *comparison) fastest(ctx context.Context, candidate, sub int) (relational.Form, time.Duration, error) {
	for limit := min(firstLimit, c.limit); ; limit = min(4*limit, c.limit) {
		form, took, err := c.fastestWithin(ctx, candidate, sub, limit)
		if form != 0 || err != nil {
			return form, took, err
		}
		if limit == c.limit {
			return 0, 0, database.ErrLimit
		}
	}
}

// fastestWithin is fastest with one limit. It returns 0 where no way finishes. No way gets more time than the best before
// it took. The best is tried again, since the first to be tried reads for the others.
func (c *comparison) fastestWithin(
	ctx context.Context, candidate, sub int, limit time.Duration,
) (best relational.Form, least time.Duration, err error) {
	for _, form := range relational.Forms() {
		took, err := c.count(ctx, candidate, sub, form, limit)
		if errors.Is(err, database.ErrLimit) {
			continue
		}
		if err != nil {
			return 0, 0, err
		}
		if best == 0 || took < least {
			best, least, limit = form, took, took
		}
	}
	if best == 0 {
		return 0, 0, nil
	}
	again, err := c.count(ctx, candidate, sub, best, c.limit)
	return best, min(least, again), err
}

// count runs one query, compares the counts and returns how long it took.
func (c *comparison) count(
	ctx context.Context, candidate, sub int, form relational.Form, limit time.Duration,
) (time.Duration, error) {
	f := c.counts[0].Candidates[candidate].Candidate
	query := relational.Query(f, c.subs[sub], sub, form)
	got, took, err := c.db.Count(ctx, query, limit)
	if err != nil {
		if errors.Is(err, database.ErrLimit) {
			return 0, err
		}
		return 0, fmt.Errorf("%s: %w: %s", c.db.Name(), err, query)
	}
	if want := c.want(candidate, sub); !slices.Equal(got, want) {
		return 0, &countError{
			database: c.db.Name(), subgraph: c.subs[sub].Name, formula: mln.FormatFormula(f.Formula), query: query,
			got: got, want: want,
		}
	}
	return took, nil
}
