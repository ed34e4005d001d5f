package resolwe

import (
	"context"
	"iter"
	"time"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/run"
)

// Stream is a sequence of subgraphs that fit a model. It can be read many times, unless a part of it can be read only once, such as a
// pipe. It holds at most a few subgraphs per worker in memory, whatever its length. It must be used from one goroutine. Subset, Range and
// Pick return parts of it; Close releases its files.
type Stream = run.Stream

// StreamOptions say how to read a stream. The zero value suits selection, which prints no names of entities.
type StreamOptions = run.StreamOptions

// Entry describes a subgraph of a stream: its position, name, fold and time.
type Entry = run.Entry

// Time is a moment in UTC, to the second, or none.
type Time = run.Time

// Subset is one of two parts of a stream: to train on, and to test on. The zero value is the whole stream.
type Subset = run.Subset

// Part is the purpose of a Subset.
type Part = run.Part

// The parts.
const (
	Train = run.Train
	Test  = run.Test
)

// OpenStream opens a stream. Sources are .rsg and .db files, also .gz, .zst and .bz2; globs; manifests of shards (.json);
// directories, which stand for the shards of their manifest.json, or else for their .rsg and .db files in byte order of names;
// pipes; and "-" for standard input. Several sources follow one another in the given order. OpenStream checks that each fits the
// model. The error is a *SchemaError; a *PathError for paths that do not lead to a stream; or, for damaged files and pipes without
// a byte, one that matches subgraph.ErrCorrupt. Text is read later, with the errors of package facts. The caller must close the
// stream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	return run.OpenStream(m, paths, opt)
}

// NewStream makes a stream of subgraphs in memory, which it retains. Their relations must be in the order of the model's schema,
// and their names distinct. Positions count from 0, whatever Subgraph.Index is.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream { return run.NewStream(m, subgraphs) }

// StreamOf makes a stream of the subgraphs that a sequence gives, of which it keeps a few for each worker: they may be more than fit into memory.
// Their relations must be in the order of the model's schema, and their names distinct; the stream owns them. The sequence is ranged over
// whenever the stream is read, and must give the same each time.
func StreamOf(m *Model, subgraphs iter.Seq2[*subgraph.Subgraph, error]) *Stream {
	return run.StreamOf(m, subgraphs)
}

// Budget is a limit on the time of a computation, which ends soon after it with what it has. nil is no limit. Results depend on the
// clock only if it expires.
type Budget = run.Budget

// NewBudget returns a budget that begins now. The clock may be called by several goroutines; it never goes back.
func NewBudget(limit time.Duration, now func() time.Time) *Budget { return run.NewBudget(limit, now) }

// Run says how to carry out a computation: with how many workers, and whom to tell of its progress. The results do not depend on it.
type Run = run.Run

// Effort is the progress of grounding a formula in a subgraph.
type Effort = run.Effort

// Checkpoints say how to save a run of learning or discovery, and how to resume one. A resumed run gives the same bytes as an
// uninterrupted one, for any number of workers.
type Checkpoints = run.Checkpoints

// Subgraphs returns the subgraphs of a stream in order, as the model sees them. One is valid until the next is asked for; to keep it, see
// subgraph.Subgraph.Clone.
func Subgraphs(ctx context.Context, s *Stream, how Run) iter.Seq2[*subgraph.Subgraph, error] {
	return sequence(func(emit func(*subgraph.Subgraph) error) error { return run.Each(ctx, s, how, emit) })
}

// Each visits the subgraphs of a stream in order, as Subgraphs returns them.
func Each(ctx context.Context, s *Stream, how Run, visit func(*subgraph.Subgraph) error) error {
	return run.Each(ctx, s, how, visit)
}

// Process runs work on each subgraph of a stream, without its shared relations (subgraph.Shared), and passes the results to sink in
// stream order. It uses several workers, each with its own scratch. Skipped damaged subgraphs have no result. The error is that of
// the first subgraph that fails after sink has received all results before its own: work is repeated, with new scratch, if it fails earlier.
func Process[Scratch, Result any](
	ctx context.Context, s *Stream, how *Run, newScratch func() Scratch,
	work func(Scratch, *subgraph.Subgraph) (Result, error), sink func(Result) error,
) error {
	return run.Process(ctx, s, how, newScratch, work, sink)
}

// InTime returns an *OptionError unless all subgraphs of a stream have times, in ascending order, as the given option requires.
func InTime(entries []Entry, option string) error { return run.InTime(entries, option) }

// Expired reports whether err ended a computation under Budget.Context because the budget expired, and not its parent ctx.
func Expired(ctx context.Context, err error) bool { return run.Expired(ctx, err) }

// weighed is sequence for a stage that needs weights.
func weighed[Result any](m *Model, stage func(emit func(Result) error) error) iter.Seq2[Result, error] {
	if err := m.Weighs(); err != nil {
		return func(yield func(Result, error) bool) { yield(*new(Result), err) }
	}
	return sequence(stage)
}

// sequence returns the results that a stage passes to emit, then its error.
func sequence[Result any](stage func(emit func(Result) error) error) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		ended := false
		err := stage(func(r Result) error {
			if ended = !yield(r, nil); ended {
				return errEnded
			}
			return nil
		})
		if err != nil && !ended {
			yield(*new(Result), err)
		}
	}
}
