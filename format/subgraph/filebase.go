package subgraph

import (
	"errors"
	"fmt"
	"sync"
)

// baseCache keeps the bases of a file, one value for all subgraphs that use it. It is safe for concurrent use; the zero
// value is empty.
type baseCache struct {
	mu     sync.Mutex
	loaded map[int]loadedBase // by record
	bytes  int64              // of memory that they take
}

type loadedBase struct {
	base *baseRecord
	err  error
}

// get returns the base of a record, which load reads. It forgets all bases where they take too much memory.
func (c *baseCache) get(record int, load func() (base *baseRecord, bytes int64, err error)) (*baseRecord, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.loaded[record]; ok {
		return l.base, l.err
	}
	base, bytes, err := load()
	if c.bytes += bytes; c.bytes > maxDecoded || c.loaded == nil {
		c.loaded, c.bytes = map[int]loadedBase{}, bytes
	}
	c.loaded[record] = loadedBase{base, err}
	return base, err
}

// baseOf returns the base that record i with the head shares in, nil where it has none.
func (f *File) baseOf(h *head, i int) (*baseRecord, error) {
	if h.base == noBase {
		return nil, nil
	}
	k := int(h.base)
	if h.base > uint32(i) {
		return nil, damage(tagHead, int64(f.index.entry(i).offset), malformed("shares in record %d, which comes later", h.base))
	}
	base, err := f.bases.get(k, func() (*baseRecord, int64, error) { return f.loadBase(k) })
	if err == nil {
		return base, nil
	}
	var c *CorruptError // which all that use the base have in common
	errors.As(err, &c)
	if k == i {
		return nil, damage(c.Section, c.Offset, c.Err)
	}
	return nil, damage(c.Section, c.Offset, fmt.Errorf("%w: record %d: %w", ErrLostBase, k, c.Err))
}

// loadBase reads the base that a record brings, and says how much memory it takes beside the file's.
func (f *File) loadBase(i int) (*baseRecord, int64, error) {
	b := new(Buffer)
	if err := f.frame(b, i); err != nil {
		return nil, 0, err
	}
	base, err := f.newBase(&b.frame, b.names.appendNext(nil))
	if err != nil {
		return nil, 0, err
	}
	if base == nil {
		return nil, 0, damage(tagShared, b.frame.offset, malformed("section is missing"))
	}
	bytes := base.owned()
	if s, err := b.frame.find(tagShared); err == nil && s.codec != codecNone {
		bytes += s.size
	}
	return base, bytes, nil
}
