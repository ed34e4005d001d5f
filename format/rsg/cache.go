package rsg

import (
	"errors"
	"fmt"
	"sync"
)

// backgroundCache keeps the backgrounds of a file, one value for all subgraphs that use it. It is safe for concurrent use; the zero
// value is empty.
type backgroundCache struct {
	mu     sync.Mutex
	loaded map[int]loadedBackground // by record
	bytes  int64                    // of memory that they take
}

type loadedBackground struct {
	background *background
	err        error
}

// get returns the background of a record, which load reads. It forgets all backgrounds where they take too much memory.
func (c *backgroundCache) get(record int, load func() (background *background, bytes int64, err error)) (*background, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.loaded[record]; ok {
		return l.background, l.err
	}
	background, bytes, err := load()
	if c.bytes += bytes; c.bytes > maxDecoded || c.loaded == nil {
		c.loaded, c.bytes = map[int]loadedBackground{}, bytes
	}
	c.loaded[record] = loadedBackground{background, err}
	return background, err
}

// backgroundOf returns the background that record i with the head shares in, nil where it has none.
func (f *File) backgroundOf(h *head, i int) (*background, error) {
	if h.background == noBackground {
		return nil, nil
	}
	k := int(h.background)
	if h.background > uint32(i) {
		return nil, damage(tagHead, int64(f.index.entry(i).offset), malformed("shares in record %d, which comes later", h.background))
	}
	background, err := f.backgrounds.get(k, func() (*background, int64, error) { return f.loadBackground(k) })
	if err == nil {
		return background, nil
	}
	var c *CorruptError // which all that use the background have in common
	errors.As(err, &c)
	if k == i {
		return nil, damage(c.Section, c.Offset, c.Err)
	}
	return nil, damage(c.Section, c.Offset, fmt.Errorf("%w: record %d: %w", ErrLostBackground, k, c.Err))
}

// loadBackground reads the background that a record brings, and says how much memory it takes beside the file's.
func (f *File) loadBackground(i int) (*background, int64, error) {
	b := new(Buffer)
	if err := f.frame(b, i); err != nil {
		return nil, 0, err
	}
	background, err := f.readBackground(&b.frame, b.names.appendNext(nil))
	if err != nil {
		return nil, 0, err
	}
	if background == nil {
		return nil, 0, damage(tagShared, b.frame.offset, malformed("section is missing"))
	}
	bytes := background.owned()
	if s, err := b.frame.find(tagShared); err == nil && s.codec != codecNone {
		bytes += s.size
	}
	return background, bytes, nil
}
