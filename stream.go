package resolwe

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"resolwe/format/subgraph"
)

// Stream is a sequence of subgraphs that fit a model. Its subgraphs may be read many times over, unless a part of it is a
// pipe, which is read once. It holds at most a few subgraphs for each worker in memory, whatever its length. Use it from
// one goroutine.
type Stream struct {
	*origin
	only positions
}

// origin is what a stream and its subsets share.
type origin struct {
	model    *Model
	sources  []source
	opt      StreamOptions
	files    []string // that are read
	listed   []Entry  // of all subgraphs, once they have been listed
	consumed bool     // a pipe has been read
	skipped  atomic.Int64
	closers  []io.Closer
}

// Entry describes a subgraph of a stream.
type Entry struct {
	Index int // position in the stream, from 0
	Name  string
	Fold  int // -1 where none
}

// StreamOptions say how to read a stream. The zero value is good for selection, which prints no names of entities.
type StreamOptions struct {
	// Names asks for the names of entities, which results are printed with. Without it a pipe takes the same memory
	// however long it is. The names of a model with numbers are read in any case.
	Names bool
	// SkipDamaged leaves out damaged records, and counts them. Each keeps its position: the first 30 subgraphs of a
	// stream are then those of its first 30 records that can be read.
	SkipDamaged bool
	// First is the position of the first subgraph, at least 0: of a stream that is a part of a longer one, the place in
	// that. Random numbers and Marginals.Index go by it.
	First int
	// Stdin is read where a path is "-".
	Stdin io.Reader
}

// ErrReadOnce is returned where a pipe would have to be read again.
var ErrReadOnce = errors.New("standard input and pipes can be read only once: give a file")

// NewStream makes a stream of subgraphs in memory, which it keeps. Their relations are in the order of the model's
// schema, their names distinct; positions count from 0 whatever Subgraph.Index says.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream {
	return (&origin{model: m, sources: []source{&inMemory{subgraphs, newSchemaMap(m, "memory")}}}).whole()
}

// whole returns the stream of all subgraphs.
func (o *origin) whole() *Stream { return &Stream{o, positions{o.opt.First, math.MaxInt, nil}} }

// Range returns the subgraphs of a stream at positions begin <= i < end, and Pick those at the positions of a list. They
// share the stream's sources, and keep their positions; how many of a subset are used or left out is counted within it.
func (s *Stream) Range(begin, end int) *Stream { return &Stream{s.origin, s.only.within(begin, end)} }

// Pick is described with Range.
func (s *Stream) Pick(list []int) *Stream { return &Stream{s.origin, s.only.among(list)} }

// Close releases the files of the stream and of its subsets. No subgraph of them, and no Marginals, may be used any more.
func (s *Stream) Close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c.Close())
	}
	s.closers = nil
	return err
}

// Skipped returns how many damaged records have been left out in the last iteration.
func (s *Stream) Skipped() int { return int(s.skipped.Load()) }

// Files returns the paths of the stream's files, "-" for standard input.
func (s *Stream) Files() []string { return slices.Clone(s.files) }

// ReadOnce reports whether the stream can be read only once.
func (s *Stream) ReadOnce() bool {
	for _, src := range s.sources {
		if src.once() {
			return true
		}
	}
	return false
}

// Len returns the number of subgraphs that are read, damaged ones included, where it is known without reading them, else
// -1.
func (s *Stream) Len() int {
	n := 0
	for _, src := range s.sources {
		k := src.length()
		if k < 0 {
			return -1
		}
		n += k
	}
	return s.only.within(0, s.opt.First+n).len()
}

// Entries describes the subgraphs in order, for which it reads the stream where it has no index. The error is ErrReadOnce,
// a *DuplicateError, or what a damaged or malformed stream gives.
func (s *Stream) Entries(ctx context.Context) ([]Entry, error) {
	if s.listed == nil {
		if err := s.list(ctx); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(s.listed), func(e Entry) bool { return !s.only.has(e.Index) }), nil
}

// list sets the entries of all subgraphs.
func (s *Stream) list(ctx context.Context) error {
	if s.ReadOnce() {
		return ErrReadOnce
	}
	r, err := s.whole().iterate()
	if err != nil {
		return err
	}
	defer r.close()
	out := []Entry{}
	for {
		p, err := r.next(ctx)
		if err == io.EOF { //nolint:errorlint // one that is wrapped tells of damage
			s.listed = out
			return nil
		}
		if err != nil {
			return err
		}
		out = append(out, p.Entry)
	}
}

// positions is a set of positions in a stream, begin <= i < end, and where picked is not nil only those in it.
type positions struct {
	begin, end int
	picked     *roaring64.Bitmap // shared, never changed
}

// within returns the positions begin <= i < end.
func (p positions) within(begin, end int) positions {
	p.begin = max(p.begin, begin)
	p.end = max(p.begin, min(p.end, end))
	return p
}

// among returns the positions that are in a list too.
func (p positions) among(list []int) positions {
	both := roaring64.New()
	for _, i := range list {
		if p.has(i) {
			both.Add(uint64(i))
		}
	}
	if both.IsEmpty() {
		return positions{picked: both}
	}
	return positions{int(both.Minimum()), int(both.Maximum()) + 1, both}
}

// has reports whether a position is in the set.
func (p positions) has(i int) bool {
	return p.begin <= i && i < p.end && (p.picked == nil || p.picked.Contains(uint64(i)))
}

// len returns the number of positions.
func (p positions) len() int {
	if p.picked == nil {
		return p.end - p.begin
	}
	return p.below(p.end) - p.below(p.begin)
}

// below returns how many picked positions are below i.
func (p positions) below(i int) int {
	if i == 0 {
		return 0
	}
	return int(p.picked.Rank(uint64(i - 1)))
}

// split divides the set after its first n positions.
func (p positions) split(n int) (first, rest positions) {
	at := p.end
	switch {
	case n >= p.len():
	case p.picked == nil:
		at = p.begin + n
	default:
		next, _ := p.picked.Select(uint64(p.below(p.begin) + n)) // there is one: n < len
		at = int(next)
	}
	return p.within(p.begin, at), p.within(at, p.end)
}
