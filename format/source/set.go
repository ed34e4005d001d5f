package source

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"

	"resolwe/format/origin"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
)

// Set is the sources of a stream, which follow one another.
type Set struct {
	Files     []string // the files that are read
	Manifests []string // the manifests that listed some of them
	Ignored   []string // sorted names of predicates whose facts were skipped so far
	Damage    Damage   // that was skipped so far

	sources  []*source
	first    int  // position of the first subgraph
	consumed bool // a pipe has been read
	closers  []io.Closer
}

// ErrReadOnce is returned if a pipe would have to be read again.
var ErrReadOnce = errors.New("standard input and pipes can be read only once: give a file")

// Memory returns a set of subgraphs in memory.
func Memory(m subgraph.ModelSchema, subs []*subgraph.Subgraph) *Set {
	return made(m, "memory", len(subs), func(yield func(*subgraph.Subgraph, error) bool) {
		for _, s := range subs {
			if !yield(s, nil) {
				return
			}
		}
	})
}

// Sequence returns a set of the subgraphs that a sequence gives whenever it is ranged over, always the same.
func Sequence(m subgraph.ModelSchema, seq iter.Seq2[*subgraph.Subgraph, error]) *Set {
	return made(m, "the sequence", -1, seq)
}

// made returns a set of subgraphs that a program makes.
func made(m subgraph.ModelSchema, name string, length int, seq iter.Seq2[*subgraph.Subgraph, error]) *Set {
	same, _ := subgraph.NewMap(m, name, m.Schema) // a schema does not differ from itself
	return &Set{sources: []*source{sequence(seq, length, same, m.Schema)}}
}

// ReadOnce reports whether the set can be read only once.
func (s *Set) ReadOnce() bool {
	return slices.ContainsFunc(s.sources, func(src *source) bool { return src.pipe != nil && !src.pipe.kept })
}

// Keep has what is read of pipes kept, in temporary files if it is long, so that the set can be read again. It has no effect on a set
// that was read before.
func (s *Set) Keep() {
	if s.consumed {
		return
	}
	for _, src := range s.sources {
		if src.pipe != nil {
			src.pipe.kept = true
		}
	}
}

// Consumed reports whether the set has been read and cannot be read again.
func (s *Set) Consumed() bool { return s.consumed }

// Len returns the number of subgraphs, including damaged ones, if it is known without reading them, else -1.
func (s *Set) Len() int {
	n := 0
	for _, src := range s.sources {
		if src.length < 0 {
			return -1
		}
		n += src.length
	}
	return n
}

// Skipped returns how many damaged records were skipped so far, each counted once.
func (s *Set) Skipped() int {
	n := s.Damage.Records()
	for _, src := range s.sources {
		n += src.skipped
	}
	return n
}

// Origin returns what the sources were made of, as far as they say, nil if none does. A source that is read from its beginning says so at its end.
func (s *Set) Origin() (all *origin.Origin) {
	for _, src := range s.sources {
		all = origin.Join(all, src.origin)
	}
	return all
}

// Close releases the files.
func (s *Set) Close() error {
	var err error
	for _, c := range s.closers {
		err = errors.Join(err, c.Close())
	}
	s.closers = nil
	return err
}

// Unchanged returns an error if a mapped file was written to since it was opened, so that results from it may be wrong.
func (s *Set) Unchanged() error {
	for _, src := range s.sources {
		if src.file != nil && src.file.Changed() {
			return &rsg.CorruptError{Path: src.schema.Path, Record: -1, Section: "mapping", Err: rsg.ErrChanged}
		}
	}
	return nil
}

// Iterator iterates over the sources one after another.
type Iterator struct {
	set     *Set
	only    Positions
	repeats bool      // are allowed
	rest    []*source // not yet open, after the cursor's
	open    *source   // the cursor's
	cursor  *cursor
	base    int             // position of the cursor's first subgraph
	given   int             // handles that the cursor returned
	at      int             // position after the last handle
	names   map[string]bool // nil for a single source, which checks its own names
}

// Iterate begins an iteration over the subgraphs at some positions, which the caller must close. Where repeats are allowed, a subgraph with
// an earlier one's name is marked as Later. The error is ErrReadOnce.
func (s *Set) Iterate(only Positions, repeats bool) (*Iterator, error) {
	if s.ReadOnce() {
		if s.consumed {
			return nil, ErrReadOnce
		}
		s.consumed = true
	}
	it := &Iterator{set: s, only: only, repeats: repeats, rest: s.sources, base: s.first, at: s.first}
	if len(s.sources) > 1 {
		it.names = map[string]bool{}
	}
	return it, nil
}

// Next returns the next handle, or io.EOF at the end. If two sources have a subgraph of the same name, which is not allowed, the error is
// a *DuplicateError.
func (it *Iterator) Next(ctx context.Context) (Handle, error) {
	for {
		if ctx.Err() != nil {
			return Handle{}, context.Cause(ctx)
		}
		if it.at >= it.only.End() {
			return Handle{}, io.EOF
		}
		h, err := it.following()
		if err != nil {
			return Handle{}, err
		}
		it.at = h.Index + 1
		if it.only.Has(h.Index) {
			return h, nil
		}
	}
}

// following returns the next handle at any position.
func (it *Iterator) following() (Handle, error) {
	for {
		if it.cursor == nil {
			if len(it.rest) == 0 {
				return Handle{}, io.EOF
			}
			c, err := it.rest[0].open(it.repeats)
			if err != nil {
				return Handle{}, err
			}
			it.open, it.cursor, it.rest = it.rest[0], c, it.rest[1:]
		}
		h, err := it.cursor.next()
		if err == io.EOF { //nolint:errorlint // a wrapped one means damage
			it.Close()
			continue
		}
		if err != nil {
			return Handle{}, err
		}
		it.given++
		h.Index += it.base
		if it.names[h.Name] {
			if !it.repeats {
				return Handle{}, &DuplicateError{Path: h.Schema.Path, Name: h.Name}
			}
			h.Later = true
		}
		if it.names != nil {
			it.names[h.Name] = true
		}
		return h, nil
	}
}

// Close ends the iteration over the current source.
func (it *Iterator) Close() {
	c := it.cursor
	if c == nil {
		return
	}
	skipped := 0
	if c.finish != nil {
		skipped = c.finish(it.set)
	}
	it.open.skipped = max(it.open.skipped, skipped)
	it.base, it.given = it.base+it.given+skipped, 0
	it.cursor = nil
}
