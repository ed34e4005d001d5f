package console

import (
	"context"
	"errors"
	"math"
	"time"

	"resolwe/internal/machine"
)

// Forever is a time that is never over.
const Forever time.Duration = math.MaxInt64

// Await runs a command. If the command does not end within a grace after ctx is done, for example because it waits for standard input,
// Await abandons it and the program ends without it; at once if it takes too much memory.
func Await(ctx context.Context, grace time.Duration, run func() error, abandon func()) error {
	done := make(chan error, 1)
	go func() { done <- run() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if errors.As(context.Cause(ctx), new(*machine.MemoryError)) {
		grace = 0
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		abandon()
		return context.Cause(ctx)
	}
}
