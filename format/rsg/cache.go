package rsg

import (
	"errors"
	"fmt"
	"sync"
)

// backgroundCache keeps the backgrounds of a file, one value for all subgraphs that use it. The zero value is empty.
type backgroundCache struct {
	sync.Mutex
	loaded map[int]loadedBackground // by record
	bytes  int64                    // of memory that they take
}

type loadedBackground struct {
	*background
	err error
}

// backgroundOf returns the background that record i with the head shares in, nil where it has none. It is safe for concurrent use,
// and forgets all backgrounds where they take too much memory.
func (f *File) backgroundOf(h *head, i int) (*background, error) {
	if h.background == noBackground {
		return nil, nil
	}
	k := int(h.background)
	if h.background > uint32(i) {
		return nil, damage(tagHead, int64(f.index.entry(i).offset), malformed("shares in record %d, which comes later", h.background))
	}
	cache := &f.backgrounds
	cache.Lock()
	defer cache.Unlock()
	l, ok := cache.loaded[k]
	if !ok {
		var bytes int64
		l.background, bytes, l.err = f.loadBackground(k)
		if cache.bytes += bytes; cache.bytes > maxDecoded || cache.loaded == nil {
			cache.loaded, cache.bytes = map[int]loadedBackground{}, bytes
		}
		cache.loaded[k] = l
	}
	if l.err == nil {
		return l.background, nil
	}
	var c *CorruptError // which all that use the background have in common
	errors.As(l.err, &c)
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
	bytes := int64(0)
	for t := range background.ranks {
		bytes += wordSize * int64(len(background.ranks[t].places))
	}
	if s, err := b.frame.find(tagShared); err == nil && s.codec != codecNone {
		bytes += s.size
	}
	return background, bytes, nil
}
