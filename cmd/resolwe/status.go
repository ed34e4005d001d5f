package main

import (
	"context"
	"errors"
	"io"
	"syscall"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/lex"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/selection"
)

// Exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1   // while running
	exitUsage       = 2   // wrong usage, model or text
	exitDamaged     = 3   // damaged input
	exitInterrupted = 130 // by a signal
)

// statusOf returns the exit status of an error. That the reader of the output has gone is none.
func statusOf(ctx context.Context, err error) int {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return exitDone
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, subgraph.ErrCorrupt):
		return exitDamaged
	case errors.Is(err, resolwe.ErrReadOnce), isUsage(err):
		return exitUsage
	}
	return exitFailed
}

// isUsage reports whether a person has to change the command line, the model or the facts.
func isUsage(err error) bool {
	if u := (interface{ IsUsage() bool })(nil); errors.As(err, &u) && u.IsUsage() {
		return true
	}
	for _, kind := range []any{
		new(lex.Error), new(lex.ErrorList),
		new(usageError), new(mln.Error), new(mln.ErrorList), new(facts.InputError), new(*resolwe.SchemaError),
		new(*resolwe.CenterError), new(*resolwe.NoTargetError), new(*resolwe.OptionError), new(*resolwe.PathError),
		new(*resolwe.DuplicateError), new(*resolwe.FoldError), new(*resolwe.MarginalsError), new(*subgraph.DuplicateError),
		new(*atomicfile.SameFileError), new(*mcsat.OptionError), new(*selection.TooManyTargetsError),
	} {
		if errors.As(err, kind) {
			return true
		}
	}
	return false
}

// usageError is wrong usage that no package knows of.
type usageError string

// Error says what is wrong.
func (e usageError) Error() string { return string(e) }
