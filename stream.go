package resolwe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"resolwe/format/facts"
	"resolwe/format/subgraph"
)

// Stream is a sequence of subgraphs that fit a model. Its subgraphs may be read many times over, unless it comes from
// standard input, which is read once. Use it from one goroutine.
type Stream struct {
	model   *Model
	sources []source
	opt     StreamOptions
	entries []Entry // of all subgraphs, once they have been listed
	spent   bool    // standard input has been read
	skipped atomic.Int64
	closers []io.Closer
}

// Entry describes a subgraph of a stream.
type Entry struct {
	Name string
	Fold int // -1 where none
}

// StreamOptions say how to read a stream.
type StreamOptions struct {
	// Names asks for the names of entities, which results are printed with. Without it a pipe takes the same memory
	// however long it is.
	Names bool
	// SkipDamaged leaves out damaged records, and counts them.
	SkipDamaged bool
	// Stdin is read where a path is "-".
	Stdin io.Reader
}

// source is a part of a stream.
type source interface {
	// open starts reading from the beginning.
	open() (cursor, error)
	// entries lists the subgraphs where that is known without reading them.
	entries() ([]Entry, bool)
	once() bool
}

// cursor reads a source. A piece is loaded by the worker that gets it.
type cursor interface {
	next() (piece, error) // io.EOF at the end
	close() error
	skipped() int // damaged records that were left out
}

// piece is a subgraph that is still to be loaded.
type piece struct {
	index int // position in the stream
	sub   *subgraph.Subgraph
	file  *subgraph.File // where sub is nil
	at    int
	bind  *binding
}

// ErrReadOnce is returned where a stream from standard input would have to be read again.
var ErrReadOnce = errors.New("standard input can be read only once: give a file")

// NewStream makes a stream of subgraphs in memory, whose relations are in the order of the model's schema.
func NewStream(m *Model, subgraphs []*subgraph.Subgraph) *Stream {
	b, err := bind(m, "memory", m.Schema)
	if err != nil {
		panic(err) // a schema fits itself
	}
	return &Stream{model: m, sources: []source{&memory{subgraphs, b}}}
}

// Close releases the stream's files. No subgraph of it may be used any more.
func (s *Stream) Close() error {
	var errs []error
	for _, c := range s.closers {
		errs = append(errs, c.Close())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// Skipped returns how many damaged records have been left out in the last reading.
func (s *Stream) Skipped() int { return int(s.skipped.Load()) }

// ReadOnce reports whether the stream can be read only once.
func (s *Stream) ReadOnce() bool {
	for _, src := range s.sources {
		if src.once() {
			return true
		}
	}
	return false
}

// Len returns the number of subgraphs where it is known without reading them, else -1.
func (s *Stream) Len() int {
	if s.entries != nil {
		return len(s.entries)
	}
	n := 0
	for _, src := range s.sources {
		es, ok := src.entries()
		if !ok {
			return -1
		}
		n += len(es)
	}
	return n
}

// Entries describes all subgraphs in order, for which it reads the stream where it has no index.
func (s *Stream) Entries(ctx context.Context) ([]Entry, error) {
	if s.entries != nil {
		return s.entries, nil
	}
	if s.ReadOnce() {
		return nil, ErrReadOnce
	}
	var out []Entry
	for _, src := range s.sources {
		es, ok := src.entries()
		if !ok {
			var err error
			if es, err = list(ctx, src, s.opt.SkipDamaged); err != nil {
				return nil, err
			}
		}
		out = append(out, es...)
	}
	s.entries = out
	return out, nil
}

// list reads a source for its entries.
func list(ctx context.Context, src source, skip bool) ([]Entry, error) {
	c, err := src.open()
	if err != nil {
		return nil, err
	}
	defer c.close() //nolint:errcheck // only read
	var out []Entry
	for ctx.Err() == nil {
		p, err := c.next()
		if errors.Is(err, io.EOF) || (skip && errors.Is(err, subgraph.ErrCorrupt)) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{Name: p.sub.Name, Fold: p.sub.Fold})
	}
	return nil, context.Cause(ctx)
}

// pieces starts a reading of the subgraphs whose positions keep accepts, all where it is nil, until stop, where there is
// one, says that no more is wanted. next gives one after the other, then io.EOF; done must be called at the end.
func (s *Stream) pieces(keep func(int) bool, stop func() bool) (next func(context.Context) (piece, error), done func(), err error) {
	if s.ReadOnce() {
		if s.spent {
			return nil, nil, ErrReadOnce
		}
		s.spent = true
	}
	s.skipped.Store(0)
	r := &reading{stream: s, keep: keep, stop: stop, names: map[string]bool{}}
	return r.next, r.close, nil
}

// reading goes through the sources one after the other.
type reading struct {
	stream *Stream
	keep   func(int) bool
	stop   func() bool
	index  int
	source int
	cursor cursor
	names  map[string]bool // where names could repeat between sources
}

func (r *reading) next(ctx context.Context) (piece, error) {
	for {
		if ctx.Err() != nil {
			return piece{}, context.Cause(ctx)
		}
		if r.stop != nil && r.stop() {
			return piece{}, io.EOF
		}
		p, err := r.following()
		if err != nil {
			return piece{}, err
		}
		r.index++
		if r.keep == nil || r.keep(p.index) {
			return p, nil
		}
	}
}

// following returns the next piece of all.
func (r *reading) following() (piece, error) {
	for {
		if r.cursor == nil {
			if r.source == len(r.stream.sources) {
				return piece{}, io.EOF
			}
			c, err := r.stream.sources[r.source].open()
			if err != nil {
				return piece{}, err
			}
			r.source++
			r.cursor = c
		}
		p, err := r.cursor.next()
		if err != nil && r.stream.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt) {
			r.stream.skipped.Add(1)
			err = io.EOF
		}
		if errors.Is(err, io.EOF) {
			r.close()
			continue
		}
		if err != nil {
			return piece{}, err
		}
		p.index = r.index
		return p, r.unique(p)
	}
}

// unique checks that no two sources have a subgraph of one name; each source checks itself.
func (r *reading) unique(p piece) error {
	if len(r.stream.sources) == 1 {
		return nil
	}
	name := ""
	if p.sub != nil {
		name = p.sub.Name
	} else {
		name = p.file.Entry(p.at).Name
	}
	if r.names[name] {
		return &DuplicateError{Path: p.bind.path, Name: name}
	}
	r.names[name] = true
	return nil
}

func (r *reading) close() {
	if r.cursor != nil {
		r.stream.skipped.Add(int64(r.cursor.skipped()))
		r.cursor.close() //nolint:errcheck // only read
		r.cursor = nil
	}
}

// DuplicateError says that two sources of a stream have a subgraph of one name.
type DuplicateError struct{ Path, Name string }

// Error names the second source.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s: subgraph %s is in the stream already", e.Path, e.Name)
}

// load returns a piece's subgraph as the model sees it, nil where it is damaged and to be skipped.
func (s *Stream) load(p piece) (*subgraph.Subgraph, error) {
	sub := p.sub
	if sub == nil {
		var err error
		sub, err = p.file.At(p.at)
		if err != nil && s.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt) {
			s.skipped.Add(1)
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return p.bind.view(sub, p.index)
}

// memory is a source of subgraphs in memory.
type memory struct {
	subs []*subgraph.Subgraph
	bind *binding
}

func (m *memory) once() bool { return false }

func (m *memory) entries() ([]Entry, bool) {
	out := make([]Entry, len(m.subs))
	for i, s := range m.subs {
		out[i] = Entry{Name: s.Name, Fold: s.Fold}
	}
	return out, true
}

func (m *memory) open() (cursor, error) { return &memoryCursor{memory: m}, nil }

type memoryCursor struct {
	*memory
	at int
}

func (c *memoryCursor) next() (piece, error) {
	if c.at == len(c.subs) {
		return piece{}, io.EOF
	}
	c.at++
	return piece{sub: c.subs[c.at-1], bind: c.bind}, nil
}

func (c *memoryCursor) close() error { return nil }
func (c *memoryCursor) skipped() int { return 0 }

// mapped is a source in a mapped file.
type mapped struct {
	file *subgraph.File
	bind *binding
}

func (m *mapped) once() bool { return false }

func (m *mapped) entries() ([]Entry, bool) {
	out := make([]Entry, m.file.Len())
	for i := range out {
		e := m.file.Entry(i)
		out[i] = Entry{Name: e.Name, Fold: e.Fold}
	}
	return out, true
}

func (m *mapped) open() (cursor, error) { return &mappedCursor{mapped: m}, nil }

type mappedCursor struct {
	*mapped
	at int
}

func (c *mappedCursor) next() (piece, error) {
	if c.at == c.file.Len() {
		return piece{}, io.EOF
	}
	c.at++
	return piece{file: c.file, at: c.at - 1, bind: c.bind}, nil
}

func (c *mappedCursor) close() error { return nil }
func (c *mappedCursor) skipped() int { return 0 }

// sequential is a source that is read from its beginning.
type sequential struct {
	openReader func() (reader, io.Closer, error)
	bind       *binding
	stdin      bool
}

// reader is what facts.Reader and subgraph.Reader have in common.
type reader interface {
	Next() (*subgraph.Subgraph, error)
}

var (
	_ reader = (*facts.Reader)(nil)
	_ reader = (*subgraph.Reader)(nil)
)

func (s *sequential) once() bool               { return s.stdin }
func (s *sequential) entries() ([]Entry, bool) { return nil, false }

func (s *sequential) open() (cursor, error) {
	r, c, err := s.openReader()
	if err != nil {
		return nil, err
	}
	return &sequentialCursor{reader: r, closer: c, bind: s.bind}, nil
}

type sequentialCursor struct {
	reader reader
	closer io.Closer
	bind   *binding
}

func (c *sequentialCursor) next() (piece, error) {
	sub, err := c.reader.Next()
	return piece{sub: sub, bind: c.bind}, err
}

func (c *sequentialCursor) close() error { return c.closer.Close() }

func (c *sequentialCursor) skipped() int {
	if r, ok := c.reader.(*subgraph.Reader); ok {
		return r.Skipped()
	}
	return 0
}
