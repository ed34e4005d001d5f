package resolwe

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"resolwe/format/subgraph"
)

// Stream is a sequence of subgraphs that fit a model. Its subgraphs may be read many times over, unless a part of it is a
// pipe, which is read once. It holds at most a few subgraphs for each worker in memory, whatever its length. Use it from
// one goroutine.
type Stream struct {
	model   *Model
	sources []source
	opt     StreamOptions
	files   []string // that are read
	listed  []Entry  // of all subgraphs, once they have been listed
	spent   bool     // a pipe has been read
	skipped atomic.Int64
	closers []io.Closer
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
	// however long it is.
	Names bool
	// SkipDamaged leaves out damaged records, and counts them. Each keeps its position: the first 30 subgraphs of a
	// stream are then those of its first 30 records that can be read.
	SkipDamaged bool
	// First is the position of the first subgraph, at least 0: of a stream that is a part of a longer one, the place in
	// that. Random numbers and Marginals.Index go by it, and so do SelectOptions.Subgraphs and LearnOptions.Skip.
	First int
	// Within is the positions that are read; nil reads all.
	Within *Range
	// Stdin is read where a path is "-".
	Stdin io.Reader
}

// Range is the positions Begin <= i < End in a stream.
type Range struct{ Begin, End int }

// ErrReadOnce is returned where a pipe would have to be read again.
var ErrReadOnce = errors.New("standard input and pipes can be read only once: give a file")

// NewStream makes a stream of subgraphs in memory, which it keeps. Their relations are in the order of the model's
// schema, their names distinct; positions count from 0 whatever Subgraph.Index says.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream {
	return &Stream{model: m, sources: []source{&inMemory{subgraphs, newBinding(m, "memory")}}}
}

// Close releases the stream's files. No subgraph of it, and no Marginals, may be used any more.
func (s *Stream) Close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c.Close())
	}
	s.closers = nil
	return err
}

// Skipped returns how many damaged records have been left out in the last reading.
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
	if only := s.opt.Within; only != nil {
		first := s.opt.First
		return max(0, min(only.End, first+n)-max(only.Begin, first))
	}
	return n
}

// Entries describes all subgraphs in order, for which it reads the stream where it has no index. The error is ErrReadOnce,
// a *DuplicateError, or what a damaged or malformed stream gives.
func (s *Stream) Entries(ctx context.Context) ([]Entry, error) {
	if s.listed != nil {
		return s.listed, nil
	}
	if s.ReadOnce() {
		return nil, ErrReadOnce
	}
	r, err := s.read(nil, math.MaxInt)
	if err != nil {
		return nil, err
	}
	defer r.close()
	var out []Entry
	for {
		p, err := r.next(ctx)
		if err == io.EOF { //nolint:errorlint // one that is wrapped tells of damage
			s.listed = out
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, p.Entry)
	}
}
