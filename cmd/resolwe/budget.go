package main

import (
	"time"

	"resolwe"
)

// budgetArg limits the time of a command.
type budgetArg struct {
	Budget time.Duration `help:"Stop after this time (30m) with what there is so far; 0 for no limit. With a limit, results depend on the clock." default:"0s" placeholder:"TIME"`
}

// budget returns the limit, which begins now, or nil if there is none.
func (a *budgetArg) budget() (*resolwe.Budget, error) {
	switch {
	case a.Budget < 0:
		return nil, &resolwe.OptionError{Option: "--budget", Reason: "at least 0"}
	case a.Budget == 0:
		return nil, nil
	}
	return resolwe.NewBudget(a.Budget, time.Now), nil
}

// stop returns a function that reports whether the time is over, or nil if there is no limit.
func (a *budgetArg) stop() (func() bool, error) {
	b, err := a.budget()
	return b.Stop(), err
}
