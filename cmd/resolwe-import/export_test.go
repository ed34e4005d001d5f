package main

import (
	"context"
	"io"
	"log/slog"

	"resolwe/cmd/internal/console"
	"resolwe/internal/progress"
)

// Run is the program.
var Run = run

// Copy copies the tables of a database; meter shows the progress.
func Copy(ctx context.Context, database, dir string, meter progress.Options) error {
	c := cli{Database: database, Output: dir}
	_, err := c.copy(ctx, slog.New(console.NewMessages("", io.Discard, slog.LevelInfo)), meter)
	return err
}
