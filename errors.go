package resolwe

import (
	"errors"

	"resolwe/format/source"
	"resolwe/internal/stage/run"
)

// The errors of stages.
type (
	// OptionError says that an option, named as a field of its struct, is out of range.
	OptionError = run.OptionError
	// NoTargetError says that a model has no target predicate.
	NoTargetError = run.NoTargetError
	// SubgraphError is an error in the computation on one subgraph.
	SubgraphError = run.SubgraphError
	// UnsatisfiableError says that the hard formulas of a subgraph have no solution, or that none was found.
	UnsatisfiableError = run.UnsatisfiableError
	// CheckpointError says that a run cannot continue from a checkpoint.
	CheckpointError = run.CheckpointError
)

// The errors of streams.
type (
	// SchemaError says that a stream does not fit a model.
	SchemaError = run.SchemaError
	// CenterError says that a subgraph has no center, although the model uses it.
	CenterError = run.CenterError
	// PathError says that a path does not lead to a stream.
	PathError = run.PathError
	// DuplicateError says that a stream has two subgraphs with the same name.
	DuplicateError = run.DuplicateError
)

var (
	// ErrReadOnce is returned if a stream would have to be read again that can be read only once.
	ErrReadOnce = source.ErrReadOnce
	// ErrBudget says that a Budget expired before there was a result.
	ErrBudget = run.ErrBudget

	// errEnded says that the caller of a sequence wants no more of it.
	errEnded = errors.New("ended")
)
