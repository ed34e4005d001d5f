package main

import (
	"context"
	"time"

	"resolwe/bench/peers/database"
)

// What tests call.
var Run = run

// CountError is the error of counts that differ.
type CountError = countError

// Compare counts on the first subgraphs of a stream in a database, and returns its ratio to resolwe and the number of
// formulas that it did not finish.
func Compare(ctx context.Context, model, stream string, db database.Database) (ratio float64, unfinished int, err error) {
	t, err := newTask(ctx, &taskOptions{Model: model, Stream: []string{stream}, Subgraphs: 2, Runs: 1})
	if err != nil {
		return 0, 0, err
	}
	defer t.close()
	c := &comparison{task: t, db: db, limit: time.Second, done: func() {}}
	out, err := c.run(ctx)
	if err != nil {
		return 0, 0, err
	}
	return out.Ratio, out.Unfinished, nil
}
