package console_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"resolwe/cmd/internal/console"
	"resolwe/internal/test/check"
	"resolwe/pool"
)

// A command that ends its goroutine, or a task of which panics, fails instead of never ending or taking the program with it.
func TestAwait(t *testing.T) {
	t.Parallel()
	await := func(run func() error) error { return console.Await(t.Context(), 0, run, func() {}) }
	broken := errors.New("broken")
	check.OK(t, await(func() error { return nil }))
	check.ErrorIs(t, await(func() error { return broken }), broken, "error")
	if err := await(func() error { runtime.Goexit(); return nil }); err == nil {
		t.Error("a command that ended its goroutine: got no error")
	}
	err := await(func() error {
		h := pool.NewHelpers(4)
		h.Begin()
		h.Run(8, func(int) { panic(broken) })
		return nil
	})
	p, ok := errors.AsType[*pool.PanicError](err)
	if !ok || !errors.Is(err, broken) || !strings.Contains(string(p.Stack), "TestAwait") {
		t.Errorf("a task that panics: got %v", err)
	}
}
