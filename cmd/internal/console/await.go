package console

import (
	"context"
	"errors"
	"math"
	"time"

	"resolwe/internal/machine"
	"resolwe/pool"
)

// Forever is a time that is never over.
const Forever time.Duration = math.MaxInt64

// errExit reports a command that neither returned nor panicked.
var errExit = errors.New("the command ended its goroutine")

// Await runs a command. If the command does not end within a grace after ctx is done, for example because it waits for standard input,
// Await abandons it and the program ends without it; at once if it takes too much memory. A panic of pool.Helpers.Run becomes an error.
func Await(ctx context.Context, grace time.Duration, run func() error, abandon func()) error {
	done := make(chan error, 1)
	go func() {
		err := errExit
		defer func() {
			v := recover()
			if fault, ok := v.(*pool.PanicError); ok { // of a task, whose stack is in it
				err = fault
			} else if v != nil {
				panic(v)
			}
			done <- err
		}()
		err = run()
	}()
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
