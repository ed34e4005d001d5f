package resolwe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"resolwe/format/facts"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/pool"
)

// DuplicateError says that a stream has two subgraphs of one name.
type DuplicateError struct{ Path, Name string }

// Error names the source of the second.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s: subgraph %s is in the stream already", e.Path, e.Name)
}

// handle is a subgraph that is read, or still to be read by the worker that gets it.
type handle struct {
	Entry
	schema *subgraph.Map
	sub    *subgraph.Subgraph
	file   *rsg.File // where sub is nil
	record int       // in the file
	offset int64     // of that record
	bytes  int64     // of that record
}

// loaded returns the handle of a subgraph that is read.
func loaded(sub *subgraph.Subgraph, b *subgraph.Map) handle {
	return handle{Entry: Entry{Index: sub.Index, Name: sub.Name, Fold: sub.Fold}, schema: b, sub: sub}
}

// iterator goes through the sources of a stream one after the other.
type iterator struct {
	stream *Stream
	rest   []source // not yet open
	cursor cursor
	base   int             // position of the cursor's first subgraph
	given  int             // pieces that the cursor gave
	at     int             // position behind the last handle
	names  map[string]bool // nil for a single source, which sees to its own names
}

// iterate begins an iteration, which must be closed at the end.
func (s *Stream) iterate() (*iterator, error) {
	if s.ReadOnce() {
		if s.consumed {
			return nil, ErrReadOnce
		}
		s.consumed = true
	}
	s.skipped.Store(0)
	r := &iterator{stream: s, rest: s.sources, base: s.opt.First, at: s.opt.First}
	if len(s.sources) > 1 {
		r.names = map[string]bool{}
	}
	return r, nil
}

// next returns the next handle, and io.EOF at the end.
func (r *iterator) next(ctx context.Context) (handle, error) {
	for {
		if ctx.Err() != nil {
			return handle{}, context.Cause(ctx)
		}
		if r.at >= r.stream.only.End() {
			return handle{}, io.EOF
		}
		p, err := r.following()
		if err != nil {
			return handle{}, err
		}
		r.at = p.Index + 1
		if r.stream.only.Has(p.Index) {
			return p, nil
		}
	}
}

// following returns the next handle of all.
func (r *iterator) following() (handle, error) {
	for {
		if r.cursor == nil {
			if len(r.rest) == 0 {
				return handle{}, io.EOF
			}
			c, err := r.rest[0].open()
			if err != nil {
				return handle{}, err
			}
			r.cursor, r.rest = c, r.rest[1:]
		}
		p, err := r.cursor.next()
		if err == io.EOF { //nolint:errorlint // one that is wrapped tells of damage
			r.close()
			continue
		}
		if err != nil {
			return handle{}, err
		}
		r.given++
		p.Index += r.base
		return p, r.unique(&p)
	}
}

// unique checks that no two sources have a subgraph of one name.
func (r *iterator) unique(p *handle) error {
	if r.names == nil {
		return nil
	}
	if r.names[p.Name] {
		return &DuplicateError{Path: p.schema.Path, Name: p.Name}
	}
	r.names[p.Name] = true
	return nil
}

// close ends the iteration over the present source.
func (r *iterator) close() {
	if r.cursor == nil {
		return
	}
	skipped := r.cursor.skipped()
	r.stream.skipped.Add(int64(skipped))
	r.base, r.given = r.base+r.given+skipped, 0
	if c, ok := r.cursor.(*sequentialCursor); ok {
		all := slices.Concat(r.stream.ignored, c.ignored())
		slices.Sort(all)
		r.stream.ignored = slices.Compact(all)
	}
	_ = r.cursor.close() // only read
	r.cursor = nil
}

// memory is where a subgraph is read, and seen as the model sees it. The zero value is empty.
type memory struct {
	buffer     rsg.Buffer
	projection subgraph.Projection
}

// tableBytes returns how large the tables of a subgraph are, without what it parts.
func tableBytes(s *subgraph.Subgraph) int64 {
	n := 0
	for i := range s.Relations {
		r := &s.Relations[i]
		for _, t := range []*subgraph.Table{&r.True, &r.False, &r.Unknown} {
			n += t.Len() * len(t.Cols)
			n += len(t.Forward.Offsets) + len(t.Backward.Offsets) + len(t.Backward.IDs)
		}
	}
	return 4 * int64(n)
}

// withShared calls f with the subgraph of a handle as the model sees it, in memory of its own, without the relations that
// it shares, see subgraph.Shared, unless it is damaged and to be left out. What goes wrong in f, a panic too, is a
// *SubgraphError.
func (s *Stream) withShared(p handle, f func(*subgraph.Subgraph) error) error {
	return s.within(new(memory), p, f)
}

// within does what withShared does, in the given memory: the subgraph lives until that is used again.
func (s *Stream) within(m *memory, p handle, f func(*subgraph.Subgraph) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = p.panicked(v)
		}
	}()
	sub := p.sub
	if sub == nil {
		sub, err = p.file.AtInto(&m.buffer, p.record)
		if s.opt.SkipDamaged && errors.Is(err, subgraph.ErrCorrupt) {
			s.skipped.Add(1)
			return nil
		}
		if err != nil {
			return err
		}
	}
	if sub, err = p.schema.Project(&m.projection, sub, p.Index); err != nil {
		return err
	}
	if err := f(sub); err != nil {
		if p.file != nil && p.file.Changed() {
			return p.damaged(rsg.ErrChanged)
		}
		return &SubgraphError{Name: p.Name, Index: p.Index, Err: err}
	}
	return nil
}

// panicked turns a panic into an error.
func (p *handle) panicked(value any) error {
	if err := p.fault(value); err != nil {
		return err
	}
	err := &pool.PanicError{Item: uint64(p.Index), Value: value, Stack: debug.Stack()}
	return &SubgraphError{Name: p.Name, Index: p.Index, Err: err}
}

// recoverFault, deferred, turns a fault into an error. It lets other panics pass.
func (p *handle) recoverFault(err *error) {
	v := recover()
	if v == nil {
		return
	}
	if *err = p.fault(v); *err == nil {
		panic(v)
	}
}

// fault returns the error where a panic comes of the handle's mapped file, which has become shorter or was written to, else
// nil. The goroutine must have asked for panics at faults, see debug.SetPanicOnFault.
func (p *handle) fault(value any) error {
	if p.file == nil {
		return nil
	}
	if err := p.file.Fault(value); err != nil {
		return p.damaged(err)
	}
	return nil
}

// damaged says that the mapped file is damaged at the handle's record.
func (p *handle) damaged(err error) error {
	return &rsg.CorruptError{Path: p.schema.Path, Record: p.record, Name: p.Name, Section: "mapping", Offset: p.offset, Err: err}
}

// unchanged returns an error where a mapped file was written to since it was opened: what was made of it may be anything.
func (s *Stream) unchanged() error {
	for _, src := range s.sources {
		if m, ok := src.(*mapped); ok && m.file.Changed() {
			return &rsg.CorruptError{Path: m.schema.Path, Record: -1, Section: "mapping", Err: rsg.ErrChanged}
		}
	}
	return nil
}

// source is a part of a stream: a file, a pipe, or memory.
type source interface {
	// open starts reading from the beginning.
	open() (cursor, error)
	// length returns the number of subgraphs where it is known without reading them, else -1.
	length() int
	// once reports whether the source can be opened only once.
	once() bool
}

// cursor reads a source.
type cursor interface {
	// next returns a handle whose Index is its position in the source, and io.EOF at the end.
	next() (handle, error)
	// skipped returns how many damaged records next has left out.
	skipped() int
	close() error
}

// inMemory is a source of subgraphs in memory.
type inMemory struct {
	subs   []*subgraph.Subgraph
	schema *subgraph.Map
}

func (m *inMemory) once() bool  { return false }
func (m *inMemory) length() int { return len(m.subs) }

func (m *inMemory) open() (cursor, error) {
	seen := make(map[string]bool, len(m.subs))
	for _, s := range m.subs {
		if seen[s.Name] {
			return nil, &DuplicateError{Path: m.schema.Path, Name: s.Name}
		}
		seen[s.Name] = true
	}
	return &memoryCursor{inMemory: m}, nil
}

type memoryCursor struct {
	*inMemory
	at int
}

func (c *memoryCursor) next() (handle, error) {
	if c.at == len(c.subs) {
		return handle{}, io.EOF
	}
	p := loaded(c.subs[c.at], c.schema)
	p.Index = c.at
	c.at++
	return p, nil
}

func (c *memoryCursor) skipped() int { return 0 }
func (c *memoryCursor) close() error { return nil }

// mapped is a source in a mapped file, whose subgraphs are read by the workers that get them.
type mapped struct {
	file   *rsg.File
	schema *subgraph.Map
}

func (m *mapped) once() bool            { return false }
func (m *mapped) length() int           { return m.file.Len() }
func (m *mapped) open() (cursor, error) { return &mappedCursor{mapped: m}, nil }

type mappedCursor struct {
	*mapped
	at    int
	freed int64 // offset up to which the file is released
}

// window is how many bytes of a mapped file before the cursor stay in memory: workers are about there.
const window = 16 << 20

func (c *mappedCursor) next() (p handle, err error) {
	if c.at == c.file.Len() {
		return handle{}, io.EOF
	}
	p = handle{Entry: Entry{Index: c.at}, schema: c.schema, file: c.file, record: c.at}
	defer p.recoverFault(&err)
	e := c.file.Entry(c.at)
	p.Name, p.Fold, p.offset, p.bytes = e.Name, e.Fold, e.Offset, e.Bytes
	c.at++
	machine.ReleaseMapped()
	if p.offset-c.freed > 2*window {
		c.file.Release(c.freed, p.offset-window)
		c.freed = p.offset - window
	}
	return p, nil
}

func (c *mappedCursor) skipped() int { return 0 }
func (c *mappedCursor) close() error { return nil }

// sequential is a source that is read from its beginning.
type sequential struct {
	openReader func() (reader, io.Closer, error)
	schema     *subgraph.Map
	pipe       bool
	skip       bool // damage
}

// reader is what facts.Reader and rsg.Reader have in common.
type reader interface {
	Next() (*subgraph.Subgraph, error)
}

func (s *sequential) once() bool  { return s.pipe }
func (s *sequential) length() int { return -1 }

func (s *sequential) open() (cursor, error) {
	r, c, err := s.openReader()
	if err != nil {
		return nil, err
	}
	return &sequentialCursor{reader: r, closer: c, schema: s.schema, skip: s.skip}, nil
}

type sequentialCursor struct {
	reader reader
	closer io.Closer
	schema *subgraph.Map
	skip   bool
	lost   int // ends that were damaged
}

func (c *sequentialCursor) next() (handle, error) {
	sub, err := c.reader.Next()
	if c.skip && errors.Is(err, subgraph.ErrCorrupt) {
		c.lost++
		err = io.EOF
	}
	if err != nil {
		return handle{}, err
	}
	return loaded(sub, c.schema), nil
}

func (c *sequentialCursor) skipped() int {
	if r, ok := c.reader.(*rsg.Reader); ok && c.skip {
		return c.lost + r.Skipped()
	}
	return c.lost
}

// ignored returns the names of the predicates whose facts were left out.
func (c *sequentialCursor) ignored() []string {
	if r, ok := c.reader.(*facts.Reader); ok {
		return r.Ignored()
	}
	return nil
}

func (c *sequentialCursor) close() error { return c.closer.Close() }
