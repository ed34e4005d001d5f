package resolwe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"sync/atomic"

	"resolwe/format/rsg"
	"resolwe/format/source"
	"resolwe/format/subgraph"
	"resolwe/pool"
)

// Stream is a sequence of subgraphs that fit a model. Its subgraphs may be read many times over, unless a part of it is a
// pipe, which is read once. It holds at most a few subgraphs for each worker in memory, whatever its length. Use it from
// one goroutine.
type Stream struct {
	*origin
	only source.Positions
}

// origin is what a stream and its subsets share.
type origin struct {
	model   *Model
	opt     StreamOptions
	sources *source.Set
	listed  []Entry      // of all subgraphs, once they have been listed
	skipped atomic.Int64 // by workers
}

// Time is a moment in UTC, to the second, or none.
type Time = subgraph.Time

// Entry describes a subgraph of a stream.
type Entry struct {
	Index int // position in the stream, from 0
	Name  string
	Fold  int // -1 where none
	Time  Time
}

// StreamOptions say how to read a stream. The zero value is good for selection, which prints no names of entities.
type StreamOptions struct {
	// Names asks for the names of entities, which results are printed with. Without it a pipe takes the same memory
	// however long it is. The names of a model with numbers are read in any case.
	Names bool
	// SkipDamaged leaves out damaged records, and counts them. Each keeps its position: the first 30 subgraphs of a
	// stream are then those of its first 30 records that can be read.
	SkipDamaged bool
	// IgnoreUnknown leaves out facts of text about predicates that the model does not declare, and entities of types that it
	// does not; without it they are errors. Other streams may hold more than the model in any case.
	IgnoreUnknown bool
	// First is the position of the first subgraph, at least 0: of a stream that is a part of a longer one, the place in
	// that. Random numbers and Marginals.Index go by it.
	First int
	// Stdin is read where a path is "-".
	Stdin io.Reader
}

// The errors of sources.
type (
	// PathError says that a path gives no stream.
	PathError = source.PathError
	// DuplicateError says that a stream has two subgraphs of one name.
	DuplicateError = source.DuplicateError
)

// ErrReadOnce is returned where a pipe would have to be read again.
var ErrReadOnce = source.ErrReadOnce

// NewStream makes a stream of subgraphs in memory, which it keeps. Their relations are in the order of the model's
// schema, their names distinct; positions count from 0 whatever Subgraph.Index says.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream {
	return (&origin{model: m, sources: source.Memory(m.mapped(), subgraphs)}).whole()
}

// OpenStream opens a stream: .rsg and .db files, also .gz, .zst and .bz2; globs; manifests of shards (.json); directories, of
// which it takes the shards of manifest.json where there is one, else the .rsg and .db files in byte order of their names;
// pipes; or "-" for standard input. The sources follow one another in the order
// given. Whether each fits the model is checked before it returns: the error is then a *SchemaError, for paths without a
// stream a *PathError, and for damaged files and pipes without a byte one that matches subgraph.ErrCorrupt. Text is read later, and its errors are
// those of package facts. The caller closes the stream.
func OpenStream(m *Model, paths []string, opt StreamOptions) (*Stream, error) {
	t := source.Task{
		Model: m.mapped(), Names: opt.Names, SkipDamaged: opt.SkipDamaged, IgnoreUnknown: opt.IgnoreUnknown, First: opt.First, Stdin: opt.Stdin,
	}
	for _, f := range m.Formulas {
		for _, c := range f.Constants() {
			t.Wanted = append(t.Wanted, rsg.Constant{Type: m.Schema.Types[c.Type], Name: c.Name})
		}
	}
	sources, err := source.Open(t, paths)
	if err != nil {
		return nil, err
	}
	return (&origin{model: m, opt: opt, sources: sources}).whole(), nil
}

// whole returns the stream of all subgraphs.
func (o *origin) whole() *Stream { return &Stream{o, source.PositionsFrom(o.opt.First)} }

// Files returns the paths of the stream's files, "-" for standard input.
func (s *Stream) Files() []string { return slices.Clone(s.sources.Files) }

// Manifests returns the paths of the manifests that led to files of the stream.
func (s *Stream) Manifests() []string { return slices.Clone(s.sources.Manifests) }

// Range returns the subgraphs of a stream at positions begin <= i < end, and Pick those at the positions of a list. They
// share the stream's sources, and keep their positions; how many of a subset are used or left out is counted within it.
func (s *Stream) Range(begin, end int) *Stream { return &Stream{s.origin, s.only.Within(begin, end)} }

// Pick is described with Range.
func (s *Stream) Pick(list []int) *Stream { return &Stream{s.origin, s.only.Among(list)} }

// noTimes is said where an option needs the times of subgraphs.
const noTimes = "the subgraphs have no times; a recipe writes them where a date or time orders its centers, as in: center c by t"

// Part is what a Subset is for.
type Part uint8

// The parts.
const (
	Train Part = iota
	Test
)

// String names the part.
func (p Part) String() string { return [...]string{"train", "test"}[p] }

// Subset is one of two parts of a stream: to train on, and to test on. The zero value is the whole stream.
type Subset struct {
	Part  Part
	Fold  *int    // where not nil, the subgraphs of this fold are the test part, all others the training part
	Split float64 // where not 0, this share of the stream, its first subgraphs, is the training part; below 1
	From  Time    // where there is one, the test part begins at the first subgraph of that time or a later one
}

// Subset returns a part of a stream, as Range and Pick do. Where a part would be empty, a fold or share is none, or From is given and
// the stream is not in order of time, the error is an *OptionError, else those of Entries.
func (s *Stream) Subset(ctx context.Context, sub Subset) (*Stream, error) {
	switch {
	case sub.Fold == nil && sub.Split == 0 && !sub.From.Known:
		return s, nil
	case sub.Split != 0 && sub.From.Known:
		return nil, &OptionError{"Subset.Split", "a time divides the stream already"}
	case sub.Fold != nil && (sub.Split != 0 || sub.From.Known):
		return nil, &OptionError{"Subset.Split", "a fold divides the stream already"}
	case sub.Fold != nil && *sub.Fold < 0:
		return nil, &OptionError{"Subset.Fold", "at least 0"}
	case sub.Fold == nil && !sub.From.Known && !(sub.Split > 0 && sub.Split < 1): // NaN too
		return nil, &OptionError{"Subset.Split", "above 0 and below 1"}
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if sub.Fold == nil {
		n, err := sub.first(entries)
		if err != nil {
			return nil, err
		}
		at := entries[n].Index
		if sub.Part == Train {
			return s.Range(0, at), nil
		}
		return s.Range(at, math.MaxInt), nil
	}
	var in [2][]int // by part
	for _, e := range entries {
		part := Train
		if e.Fold == *sub.Fold {
			part = Test
		}
		in[part] = append(in[part], e.Index)
	}
	if len(in[Train]) == 0 || len(in[Test]) == 0 {
		return nil, &OptionError{"Subset.Fold", fmt.Sprintf("fold %d has %d of %d subgraphs", *sub.Fold, len(in[Test]), len(entries))}
	}
	return s.Pick(in[sub.Part]), nil
}

// first returns how many entries are before the test part.
func (sub *Subset) first(entries []Entry) (int, error) {
	at, n := fmt.Sprint(sub.Split), int(math.Round(sub.Split*float64(len(entries))))
	if sub.From.Known {
		if err := InTime(entries, "Subset.Split"); err != nil {
			return 0, err
		}
		at = sub.From.String()
		n, _ = slices.BinarySearchFunc(entries, sub.From, func(e Entry, t Time) int { return e.Time.Compare(t) })
	}
	if n == 0 || n == len(entries) {
		return 0, &OptionError{"Subset.Split", fmt.Sprintf("%s of %d subgraphs leaves none to train or to test on", at, len(entries))}
	}
	return n, nil
}

// InTime returns an *OptionError where the subgraphs of a stream do not have times, each none before the last, as an option takes
// them.
func InTime(entries []Entry, option string) error {
	for i, e := range entries {
		switch {
		case !e.Time.Known && !slices.ContainsFunc(entries, func(e Entry) bool { return e.Time.Known }):
			return &OptionError{option, noTimes}
		case !e.Time.Known:
			return &OptionError{option, fmt.Sprintf("subgraph %s has no time, and others have", subgraph.Shown(e.Name))}
		case i > 0 && e.Time.Compare(entries[i-1].Time) < 0:
			return &OptionError{option, fmt.Sprintf("the stream has to be in order of time: subgraph %s is of %v and follows one of %v",
				subgraph.Shown(e.Name), e.Time, entries[i-1].Time)}
		}
	}
	return nil
}

// Close releases the files of the stream and of its subsets. No subgraph of them, and no Marginals, may be used any more.
func (s *Stream) Close() error { return s.sources.Close() }

// Skipped returns how many damaged records have been left out in the last iteration.
func (s *Stream) Skipped() int { return int(s.skipped.Load()) + s.sources.Skipped }

// Ignored returns the names of the predicates whose facts were left out, of those that the stream has been read for, sorted.
func (s *Stream) Ignored() []string { return slices.Clone(s.sources.Ignored) }

// ReadOnce reports whether the stream can be read only once.
func (s *Stream) ReadOnce() bool { return s.sources.ReadOnce() }

// Len returns the number of subgraphs that are read, damaged ones included, where it is known without reading them, else
// -1.
func (s *Stream) Len() int {
	n := s.sources.Len()
	if n < 0 {
		return -1
	}
	return s.only.Within(0, s.opt.First+n).Len()
}

// Entries describes the subgraphs in order, for which it reads the stream where it has no index. The error is ErrReadOnce,
// a *DuplicateError, or what a damaged or malformed stream gives.
func (s *Stream) Entries(ctx context.Context) ([]Entry, error) {
	if s.listed == nil {
		if err := s.list(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(s.listed), func(e Entry) bool { return !s.only.Has(e.Index) }), nil
}

// list sets the entries of all subgraphs.
func (s *Stream) list(ctx context.Context) error {
	if s.ReadOnce() {
		return ErrReadOnce
	}
	it, err := s.whole().iterate()
	if err != nil {
		return err
	}
	defer it.Close()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // next reads indexes where they lie
	out := []Entry{}
	for {
		h, err := it.Next(ctx)
		if err == io.EOF { //nolint:errorlint // one that is wrapped tells of damage
			s.listed = out
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, Entry(h.Entry))
	}
}

// iterate begins an iteration, which must be closed at the end.
func (s *Stream) iterate() (*source.Iterator, error) {
	it, err := s.sources.Iterate(s.only)
	if err == nil {
		s.skipped.Store(0)
	}
	return it, err
}

// memory is where a subgraph is read, and seen as the model sees it. The zero value is empty.
type memory struct {
	buffer     rsg.Buffer
	projection subgraph.Projection
}

// within calls f with the subgraph of a handle as the model sees it, in the given memory, without the relations that
// it shares, see subgraph.Shared, unless it is damaged and to be left out. It lives until the memory is used again. What goes
// wrong in f, a panic too, is a *SubgraphError.
func (s *Stream) within(m *memory, h source.Handle, f func(*subgraph.Subgraph) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			if err = h.Fault(v); err == nil {
				err = &SubgraphError{h.Name, h.Index, &pool.PanicError{Item: uint64(h.Index), Value: v, Stack: debug.Stack()}}
			}
		}
	}()
	sub, err := h.Read(&m.buffer)
	if s.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt) {
		s.skipped.Add(1)
		return nil
	}
	if err != nil {
		return err
	}
	if sub, err = h.Schema.Project(&m.projection, sub, h.Index); err != nil {
		return err
	}
	if err := f(sub); err != nil {
		return cmp.Or(h.Changed(), error(&SubgraphError{Name: h.Name, Index: h.Index, Err: err}))
	}
	return nil
}
