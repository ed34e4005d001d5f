package run

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"runtime/debug"
	"slices"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/pool"
)

// Stream is a sequence of subgraphs that fit a model. It can be read many times, unless a part of it is a pipe, which can be read
// only once. It holds at most a few subgraphs per worker in memory, whatever its length. It must be used from one goroutine.
type Stream struct {
	*common
	only    source.Positions
	repeats bool                // of names are allowed
	domains *subgraph.Constants // those in every domain; nil for those of the stage's model
}

// common is what a stream and its subsets share.
type common struct {
	model   *Model
	opt     StreamOptions
	sources *source.Set
	listed  []Entry    // all subgraphs, once listed
	hard    *hardCheck // nil if truth is not compared with hard formulas
}

// Time is a moment in UTC, to the second, or none.
type Time = subgraph.Time

// Entry describes a subgraph of a stream.
type Entry struct {
	Index int // position in the stream, from 0
	Name  string
	Fold  int // -1 if none
	Time  Time
}

// StreamOptions say how to read a stream. The zero value suits selection, which prints no names of entities.
type StreamOptions struct {
	// Names keeps the names of entities, which printed results need. Without it, reading a pipe takes the same memory however long
	// it is. With a model that has numbers, names are read in any case.
	Names bool
	// SkipDamaged skips damaged records, and counts them. They keep their positions: the first 30 subgraphs of a stream are then
	// those among its first 30 records that can be read.
	SkipDamaged bool
	// IgnoreUnknown skips text facts of predicates, and entities of types, that the model does not declare; without it they are
	// errors. Binary streams may always contain more than the model declares.
	IgnoreUnknown bool
	// First is the position of the first subgraph, at least 0. If the stream is a part of a longer one, it is the position in that
	// stream, on which random numbers and Marginals.Index are based.
	First int
	// Stdin is read for a path "-".
	Stdin io.Reader
}

// The errors of sources.
type (
	// PathError says that a path does not lead to a stream.
	PathError = source.PathError
	// DuplicateError says that a stream has two subgraphs with the same name.
	DuplicateError = source.DuplicateError
)

// ErrReadOnce is returned if a pipe would have to be read again.
var ErrReadOnce = source.ErrReadOnce

// NewStream makes a stream of subgraphs in memory, which it retains. Their relations must be in the order of the model's schema,
// and their names distinct. Positions count from 0, whatever Subgraph.Index is.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream {
	return (&common{model: m, sources: source.Memory(m.mapped(), subgraphs)}).whole()
}

// StreamOf is described with resolwe.StreamOf.
func StreamOf(m *Model, subgraphs iter.Seq2[*subgraph.Subgraph, error]) *Stream {
	return (&common{model: m, sources: source.Sequence(m.mapped(), subgraphs)}).whole()
}

// OpenStream is described with resolwe.OpenStream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	t := source.Task{
		Model: m.mapped(), Names: opt.Names, SkipDamaged: opt.SkipDamaged, IgnoreUnknown: opt.IgnoreUnknown, First: opt.First, Stdin: opt.Stdin,
	}
	for typ, constants := range m.domains() {
		for _, c := range constants {
			t.Wanted = append(t.Wanted, rsg.Constant{Type: m.Schema.Types[typ], Name: c})
		}
	}
	sources, err := source.Open(t, paths)
	if err != nil {
		return nil, err
	}
	return (&common{model: m, opt: opt, sources: sources}).whole(), nil
}

// whole returns the stream of all subgraphs.
func (c *common) whole() *Stream { return &Stream{common: c, only: source.PositionsFrom(c.opt.First)} }

// Files returns the paths of the stream's files, with "-" for standard input.
func (s *Stream) Files() []string { return slices.Clone(s.sources.Files) }

// Manifests returns the paths of the manifests that listed files of the stream.
func (s *Stream) Manifests() []string { return slices.Clone(s.sources.Manifests) }

// Origin returns what the whole stream was made of, nil if it does not say; a pipe or packed file says so once it was read. It is read-only.
func (s *Stream) Origin() *origin.Origin { return s.sources.Origin() }

// Range returns the subgraphs of a stream at positions begin <= i < end, and Pick those at listed positions. Both share the
// stream's sources and keep the subgraphs' positions, but options that use or skip a number of subgraphs count within the subset.
func (s *Stream) Range(begin, end int) *Stream { return s.at(s.only.Within(begin, end)) }

// Pick is described with Range.
func (s *Stream) Pick(list []int) *Stream { return s.at(s.only.Among(list)) }

// Cut returns the first n subgraphs of the stream, and the others.
func (s *Stream) Cut(n int) (first, rest *Stream) {
	a, b := s.only.Split(n)
	return s.at(a), s.at(b)
}

// Keep has a pipe kept in a temporary file as it is read, so that it can be read again.
func (s *Stream) Keep() { s.sources.Keep() }

// Consumed reports whether a pipe was read and cannot be read again.
func (s *Stream) Consumed() bool { return s.sources.Consumed() }

// Listed returns the entries of the subgraphs if they are known by now, else none.
func (s *Stream) Listed() []Entry {
	return slices.DeleteFunc(slices.Clone(s.listed), func(e Entry) bool { return !s.only.Has(e.Index) })
}

// at returns the subgraphs at some positions.
func (s *Stream) at(only source.Positions) *Stream {
	out := *s
	out.only = only
	return &out
}

// WithoutCandidates returns the stream as selection sees it, for every stage: constants that only unweighted formulas of its model name do not
// belong to domains, whatever formulas a stage computes with. So systems are compared on the same atoms.
func (s *Stream) WithoutCandidates() *Stream {
	return s.settled(s.model.Schema.Domains(s.model.Constants, mln.Given(s.model.Formulas)))
}

// WithRepeats returns the stream with repeated names allowed: a subgraph with an earlier one's name is marked as Later.
func (s *Stream) WithRepeats() *Stream {
	out := *s
	out.repeats = true
	return &out
}

// AsStored returns the stream without the constants of formulas in its domains, which are those of the data and of type lines.
func (s *Stream) AsStored() *Stream { return s.settled(s.model.Constants) }

// settled returns the stream with constants in its domains, unless an outer stage has settled which.
func (s *Stream) settled(domains [][]string) *Stream {
	if s.domains != nil {
		return s
	}
	out := *s
	out.domains = subgraph.NewConstants(domains)
	return &out
}

// NoTimes is the reason of an error if an option needs subgraphs with times.
const NoTimes = "the subgraphs have no times; a recipe writes them if a date or time orders its centers, as in: center c by t"

// Close releases the files of the stream and of its subsets. Their subgraphs and Marginals must not be used any more.
func (s *Stream) Close() error { return s.sources.Close() }

// Skipped returns how many damaged records of the stream, with its subsets, were skipped so far, each counted once.
func (s *Stream) Skipped() int { return s.sources.Skipped() }

// Damaged describes the first of the damages that were skipped so far, at most five, in order of file and record.
func (s *Stream) Damaged() []*subgraph.CorruptError { return s.sources.Damage.First() }

// Ignored returns the sorted names of the predicates whose facts were skipped, in what has been read of the stream.
func (s *Stream) Ignored() []string { return slices.Clone(s.sources.Ignored) }

// ReadOnce reports whether the stream can be read only once.
func (s *Stream) ReadOnce() bool { return s.sources.ReadOnce() }

// Len returns the number of subgraphs, including damaged ones, if it is known without reading them, else -1.
func (s *Stream) Len() int {
	n := s.sources.Len()
	if n < 0 {
		return -1
	}
	return s.only.Within(0, s.opt.First+n).Len()
}

// Entries describes the subgraphs in order. If the stream has no index, it is read. The error is ErrReadOnce, a *DuplicateError, or
// that of a damaged or malformed stream.
func (s *Stream) Entries(ctx context.Context) ([]Entry, error) {
	if s.listed == nil {
		if err := s.list(ctx); err != nil {
			return nil, err
		}
	}
	return s.Listed(), nil
}

// list sets the entries of all subgraphs.
func (s *Stream) list(ctx context.Context) error {
	out := []Entry{}
	err := s.visit(ctx, func(h *source.Handle) error {
		out = append(out, Entry(h.Entry))
		return nil
	})
	if err == nil {
		s.listed = out
	}
	return err
}

// visit calls f with all subgraphs.
func (s *Stream) visit(ctx context.Context, f func(*source.Handle) error) error {
	if s.ReadOnce() {
		return ErrReadOnce
	}
	it, err := s.whole().iterate()
	if err != nil {
		return err
	}
	defer it.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // indexes are in mapped memory
	for {
		h, err := it.Next(ctx)
		if err == io.EOF { //nolint:errorlint // a wrapped one means damage
			return nil
		}
		if err != nil {
			return err
		}
		if err := f(&h); err != nil {
			return err
		}
	}
}

// Records returns a digest of all subgraphs of the stream, also of those that a subset leaves out, since their records may hold names
// and relations that others share. It reads no record that has a checksum. The error is one of Entries.
func (s *Stream) Records(ctx context.Context) (sum checkpoint.Records, err error) {
	err = s.visit(ctx, func(h *source.Handle) error {
		contents, err := h.Sum()
		sum.Add(h.Index, h.Name, h.Fold, h.Time, contents)
		return err
	})
	return sum, err
}

// iterate begins an iteration, which the caller must close.
func (s *Stream) iterate() (*source.Iterator, error) {
	return s.sources.Iterate(s.only, s.repeats)
}

// memory holds a subgraph and its view in the model's schema. The zero value is empty.
type memory struct {
	buffer     rsg.Buffer
	projection subgraph.Projection
}

// within reads the subgraph of a handle into the given memory and calls f with it, as the model sees it and without shared
// relations (see subgraph.Shared), unless it is damaged and is to be skipped. The subgraph is valid until the memory is used again.
// An error or panic in f becomes a *SubgraphError.
func (s *Stream) within(ctx context.Context, m *memory, h source.Handle, f func(*subgraph.Subgraph) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err = h.Fault(v); err == nil {
				err = &SubgraphError{h.Name, h.Index, pool.NewPanicError(uint64(h.Index), v)}
			}
		}
	}()
	sub, err := h.Read(&m.buffer)
	if s.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt) {
		s.sources.Damage.AddRecord(err)
		return nil
	}
	if err != nil {
		return err
	}
	if h.Later && !sub.Later {
		marked := *sub
		sub, marked.Later = &marked, true
	}
	if sub, err = h.Schema.Project(&m.projection, sub, h.Index, s.domains); err != nil {
		return err
	}
	if s.hard != nil {
		s.hard.check(ctx, sub)
	}
	if err := f(sub); err != nil {
		return cmp.Or(h.Changed(), error(&SubgraphError{Name: h.Name, Index: h.Index, Err: err}))
	}
	return nil
}
