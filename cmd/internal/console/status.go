package console

import (
	"context"
	"errors"
	"io"
	"syscall"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/lex"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
	"resolwe/internal/machine"
	"resolwe/internal/stage/inferring"
	"resolwe/kernels/features"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/selection"
)

// Exit statuses.
const (
	Done        = 0
	Failed      = 1   // while running
	Usage       = 2   // wrong usage, model or text
	Damaged     = 3   // damaged input
	Memory      = 4   // more memory is needed than allowed
	Interrupted = 130 // by a signal
)

// Status returns the exit status of an error. It is no error if the reader of the output has gone.
func Status(ctx context.Context, err error) int {
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return Done
	case errors.As(context.Cause(ctx), new(*machine.MemoryError)), errors.As(err, new(*machine.MemoryError)):
		return Memory
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return Interrupted
	case errors.Is(err, subgraph.ErrCorrupt):
		return Damaged
	case errors.Is(err, resolwe.ErrReadOnce), isUsage(err):
		return Usage
	}
	return Failed
}

// isUsage reports whether the user must change the command line, the model or the facts.
func isUsage(err error) bool {
	if u := (interface{ IsUsage() bool })(nil); errors.As(err, &u) && u.IsUsage() {
		return true
	}
	for _, kind := range []any{
		new(lex.Error), new(lex.ErrorList), new(UsageError), new(*resolwe.SchemaError),
		new(*resolwe.CenterError), new(*resolwe.NoTargetError), new(*resolwe.OptionError), new(*resolwe.PathError),
		new(*resolwe.DuplicateError), new(*crossval.FoldError), new(*inferring.MarginalsError), new(*rsg.DuplicateError),
		new(*atomicfile.SameFileError), new(*mcsat.OptionError), new(*selection.TooManyTargetsError), new(*features.DuplicateError),
	} {
		if errors.As(err, kind) {
			return true
		}
	}
	return false
}

// UsageError is an error of usage that only the command line can detect.
type UsageError string

// Error says what is wrong.
func (e UsageError) Error() string { return string(e) }
