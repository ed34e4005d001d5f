package resolwe

import (
	"context"

	"resolwe/internal/stage/discovering"
	"resolwe/internal/stage/selecting"
)

// DiscoverOptions are the parameters of Discover. The zero value is the default.
type DiscoverOptions = discovering.Options

// Discovery is the result of Discover.
type Discovery = discovering.Discovery

// Discover finds candidates for selection, from a model's declarations and a sample of a stream's subgraphs. A candidate is a
// conjunction of evidence literals, and at most one literal of a target predicate, connected to the variables of a query atom; of
// candidates with equal counts on all atoms, the shortest is kept. Discover also finds counts and aggregates of the rows that
// belong to these variables, if their thresholds tell more about the truth than chance would. Constants are the center, and the
// entities of types that have few, for which the stream must have been opened with StreamOptions.Names. The stream is read several
// times; for a pipe the error is ErrReadOnce. An option out of range is an *OptionError, a checkpoint of another run a
// *CheckpointError; other errors are those of reading and saving.
func Discover(ctx context.Context, m *Model, s *Stream, opt DiscoverOptions) (*Discovery, error) {
	return discovering.Discover(ctx, m, s, opt)
}

// SelectOptions are the parameters of selection. The zero value is selection by gain on all subgraphs.
type SelectOptions = selecting.Options

// GainOptions are the parameters of selection by gain. The zero value is the default.
type GainOptions = selecting.GainOptions

// Criterion decides which formulas Select keeps.
type Criterion = selecting.Criterion

// The criteria of selection.
const (
	Paper = selecting.Paper
	Lift  = selecting.Lift
	KL    = selecting.KL
	LLR   = selecting.LLR
	Gain  = selecting.Gain
)

// Selection is the result of Select. Its method Model returns the task with the selected formulas instead of its candidates.
type Selection = selecting.Selection

// Select chooses among the model's candidates, its formulas without weight or period: by what they add to the likelihood of
// held-out atoms (Gain, the default), or by Algorithm 1 of the paper and its relatives, which read no more of the stream than
// the first opt.Subgraphs. A pipe that must be read several times, for numbers or for formulas with several target literals, is kept in a
// temporary file. Formulas that are not candidates give an mln.ErrorList, options out of range an *OptionError.
func Select(ctx context.Context, m *Model, s *Stream, opt SelectOptions) (*Selection, error) {
	return selecting.Select(ctx, m, s, opt)
}
