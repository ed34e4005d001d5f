package resolwe

import (
	"errors"
	"io"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
)

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
	schema *schemaMap
}

func (m *inMemory) once() bool  { return false }
func (m *inMemory) length() int { return len(m.subs) }

func (m *inMemory) open() (cursor, error) {
	seen := make(map[string]bool, len(m.subs))
	for _, s := range m.subs {
		if seen[s.Name] {
			return nil, &DuplicateError{Path: m.schema.path, Name: s.Name}
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
	schema *schemaMap
}

func (m *mapped) once() bool            { return false }
func (m *mapped) length() int           { return m.file.Len() }
func (m *mapped) open() (cursor, error) { return &mappedCursor{mapped: m}, nil }

type mappedCursor struct {
	*mapped
	at    int
	names rsg.Buffer
}

func (c *mappedCursor) next() (p handle, err error) {
	if c.at == c.file.Len() {
		return handle{}, io.EOF
	}
	p = handle{Entry: Entry{Index: c.at}, schema: c.schema, file: c.file, record: c.at}
	defer p.recoverFault(&err)
	e := c.file.EntryInto(&c.names, c.at)
	p.Name, p.Fold, p.offset, p.bytes = e.Name, e.Fold, e.Offset, e.Bytes
	c.at++
	return p, nil
}

func (c *mappedCursor) skipped() int { return 0 }
func (c *mappedCursor) close() error { return nil }

// sequential is a source that is read from its beginning.
type sequential struct {
	openReader func() (reader, io.Closer, error)
	schema     *schemaMap
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
	schema *schemaMap
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

func (c *sequentialCursor) close() error { return c.closer.Close() }
