package rsg

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"resolwe/format/mln"
	"resolwe/format/origin"
	"resolwe/format/subgraph"
	"resolwe/internal/input"
)

// File is a complete stream in memory, usually a mapped file, with random access to records. It is safe for concurrent use. Subgraphs of
// uncompressed records are views of the data: they are invalid after Close.
type File struct {
	decoder
	data   []byte
	path   string
	index  *index
	origin *origin.Origin
	names  []atomic.Pointer[newNames] // by record, on demand; nil if names are not requested
	mapped *input.Mapped              // nil if the bytes are the caller's

	mu          sync.Mutex // guards the following
	want        *wanted
	backgrounds map[int]func() (*background, error) // by record that contains one: loads it once
	held        int64                               // memory of the backgrounds in bytes
}

// Entry describes a record without reading it.
type Entry struct {
	Name   string
	Fold   int // -1 for none
	Time   subgraph.Time
	Offset int64 // of the record in the file
	Bytes  int64
}

// Open reads the head and the tail of a stream, which must be complete. path is for errors only. The data is borrowed until the last use of
// the File and its subgraphs. A stream without its tail is ErrTruncated; NewReader reads its intact part.
func Open(data []byte, path string, opt ReaderOptions) (*File, error) {
	f := &File{decoder: decoder{opt: opt}, data: data, path: path}
	if err := f.open(); err != nil {
		return nil, locate(err, path, -1, "")
	}
	return f, nil
}

// OpenFile maps a file and opens it. The caller closes it.
func OpenFile(path string, opt ReaderOptions) (*File, error) { return OpenFileOf(path, path, opt) }

// OpenFileOf is OpenFile for a file that holds the stream of another path, such as an archive's; errors of the stream name path.
func OpenFileOf(path, file string, opt ReaderOptions) (*File, error) {
	m, err := input.Map(file)
	if err != nil {
		return nil, err
	}
	f := &File{decoder: decoder{opt: opt}, data: m.Bytes(), path: path, mapped: m}
	if err := f.Guard(f.open); err != nil {
		return nil, errors.Join(locate(err, path, -1, ""), m.Close())
	}
	return f, nil
}

// Guard calls read, which reads the mapped file, and returns its error. If the file was written to or truncated since OpenFile, in which
// case read may have panicked, the error is a *CorruptError.
func (f *File) Guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			if err = f.Fault(v); err == nil {
				panic(v)
			}
		} else if err == nil && f.Changed() {
			err = ErrChanged
		}
		if errors.As(err, new(damageError)) && !errors.As(err, new(*CorruptError)) {
			err = locate(damage("mapping", 0, err), f.path, -1, "")
		}
	}()
	return read()
}

// Fault returns the damage that caused a panic with the given value because the mapped file was truncated or written to, nil if the cause
// is another. The goroutine must have enabled panics on faults, see debug.SetPanicOnFault.
func (f *File) Fault(value any) error {
	err, _ := value.(error)
	var fault interface {
		runtime.Error
		Addr() uintptr
	}
	switch {
	case errors.As(err, &fault) && f.contains(fault.Addr()):
		return fmt.Errorf("%w while it was read", ErrTruncated)
	case f.Changed():
		return ErrChanged
	}
	return nil
}

func (f *File) open() (err error) {
	if err := checkFileHeader(f.data[:min(len(f.data), fileHeaderSize)]); err != nil {
		return err
	}
	f.promised = promisesDigest(f.data)
	var head frame
	if err := head.parse(f.data, fileHeaderSize, int64(len(f.data))); err != nil {
		return err
	}
	if err := head.checkSchema(); err != nil {
		return err
	}
	if f.schema, err = schemaOf(&head, &f.unzip); err != nil {
		return err
	}
	if f.index, err = f.tail(head.offset + head.length); err != nil {
		return err
	}
	if len(f.index.sums) > 0 && f.index.sum(0) != head.digest(0) {
		return damage(tagSchema, head.offset, ErrForeign)
	}
	f.want, f.backgrounds = newWanted(f.schema, f.opt.Wanted), map[int]func() (*background, error){}
	if f.opt.Names || f.want.any() {
		f.names = make([]atomic.Pointer[newNames], f.index.n)
	}
	return nil
}

// tail reads the trailer and the index of a stream whose records begin at first.
func (f *File) tail(first int64) (*index, error) {
	at := int64(len(f.data)) - trailerSize
	if at < first {
		return nil, damage(placeTrailer, int64(len(f.data)), ErrTruncated)
	}
	t, err := parseTrailer(f.data[at:], at)
	if err != nil {
		return nil, err
	}
	if t.indexOffset < uint64(first) || t.indexOffset > uint64(at) || t.indexOffset%alignment != 0 {
		return nil, damage(placeTrailer, at, malformed("index is out of range"))
	}
	x := new(frame)
	if err := x.parse(f.data, int64(t.indexOffset), at); err != nil {
		return nil, err
	}
	if x.tag != tagIndex || x.offset+x.length != at || t.indexLength != uint64(x.length) || t.records != x.ordinal {
		return nil, damage(placeTrailer, at, malformed("trailer does not describe the index before it"))
	}
	if _, err := x.find(tagSums); err != nil && f.promised {
		return nil, err
	}
	idx, err := parseIndex(x, &f.unzip, len(f.schema.Types), first)
	if err != nil {
		return nil, err
	}
	for i := range idx.n {
		e := idx.entry(i)
		if err := f.optional(first, int64(e.offset)); err != nil {
			return nil, err
		}
		first = int64(e.offset + e.length)
	}
	return idx, f.optional(first, x.offset)
}

// optional checks that the bytes between two offsets, both multiples of the alignment, are frames that a reader may skip, and reads the
// origin if it is there.
func (f *File) optional(from, to int64) error {
	for from < to {
		h, err := parseFrameHeader(f.data[from:from+frameHeaderSize], from)
		switch {
		case err != nil:
			return err
		case h.tag == tagSubgraph || h.length > to-from:
			return damage(h.tag, from, malformed("frame is not in the index"))
		case !isOptional(h.tag):
			return damage(h.tag, from, ErrVersion)
		case h.tag == tagOrigin:
			var fr frame
			if err := cmp.Or(h.checkOrigin(f.origin), fr.parse(f.data, from, to)); err != nil {
				return err
			}
			if f.origin, err = originOf(&fr, &f.unzip); err != nil {
				return err
			}
		}
		from += h.length
	}
	return nil
}

// Close releases the mapping of OpenFile. No subgraph of the file may be used afterwards.
func (f *File) Close() error {
	if f.mapped == nil {
		return nil
	}
	return f.mapped.Close()
}

// Changed reports whether the file was written to since [OpenFile]; data read from it may then be wrong.
func (f *File) Changed() bool { return f.mapped != nil && f.mapped.Changed() }

// Release tells the system that the file's bytes between two offsets are not needed until read again; see input.Mapped.
func (f *File) Release(from, to int64) {
	if f.mapped != nil {
		f.mapped.Release(int(from), int(to))
	}
}

// contains reports whether an address lies in the stream's bytes.
func (f *File) contains(address uintptr) bool {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(f.data))) // #nosec G103 -- compared only
	return address >= first && address-first < uintptr(len(f.data))
}

// Schema returns the stream's types and predicates. They are read-only.
func (f *File) Schema() *mln.Schema { return f.schema }

// Origin returns what the stream was made of, nil if it does not say. It is read-only.
func (f *File) Origin() *origin.Origin { return f.origin }

// Len returns the number of subgraphs.
func (f *File) Len() int { return f.index.n }

// Bytes returns the length of the stream.
func (f *File) Bytes() int64 { return int64(len(f.data)) }

// Entities returns the number of distinct entities of a type in the stream.
func (f *File) Entities(typ int) int { return int(f.index.base(f.index.n, typ)) }

// Find returns the position of the subgraph with that name.
func (f *File) Find(name string) (int, bool) { return f.index.find(name) }

// Entry describes record i.
func (f *File) Entry(i int) Entry {
	e := f.index.entry(i)
	return Entry{Name: string(f.index.name(i)), Fold: int(e.fold), Time: e.time, Offset: int64(e.offset), Bytes: int64(e.length)}
}

// Sum returns the checksum of record i's section table, and so of all that the record stores, without reading more of it.
func (f *File) Sum(i int) uint32 { return le.Uint32(f.data[f.index.entry(i).offset+frameCRC:]) }

// At returns subgraph i, in memory of its own except for views of the data, with which it becomes invalid. Damage in that record is a
// *CorruptError.
func (f *File) At(i int) (*subgraph.Subgraph, error) { return f.AtInto(new(Buffer), i) }

// AtInto returns subgraph i like At, but in the memory of b: it is valid until b is used again. If the file's ReaderOptions do not request
// names, it allocates nothing once b has held a subgraph as large.
func (f *File) AtInto(b *Buffer, i int) (*subgraph.Subgraph, error) {
	s, err := f.read(b, i)
	if err != nil {
		return nil, locate(err, f.path, i, string(f.index.name(i)))
	}
	return s, nil
}

func (f *File) read(b *Buffer, i int) (*subgraph.Subgraph, error) {
	if err := f.frame(b, i); err != nil {
		return nil, err
	}
	if err := f.head(b); err != nil {
		return nil, err
	}
	if e := f.index.entry(i); b.head.name != string(f.index.name(i)) || b.head.fold != int(e.fold) || b.head.time != e.time {
		return nil, damage(tagHead, b.frame.offset, malformed("name, fold or time differs from the index"))
	}
	background, err := f.backgroundOf(&b.head, i)
	if err != nil {
		return nil, err
	}
	b.next = b.names.appendNext(b.next[:0])
	if err := f.body(b, b.next, background); err != nil {
		return nil, err
	}
	if err := f.resolve(b, i); err != nil {
		return nil, err
	}
	var dict dictionary
	if f.opt.Names {
		dict = f
	}
	if err := f.center(b, dict); err != nil {
		return nil, err
	}
	return f.subgraph(b, i, dict, b.found), nil
}

// frame reads the frame of record i and the names that it adds.
func (f *File) frame(b *Buffer, i int) error {
	e := f.index.entry(i)
	fr := &b.frame
	if err := fr.parse(f.data, int64(e.offset), int64(e.offset+e.length)); err != nil {
		return err
	}
	if fr.tag != tagSubgraph || fr.ordinal != uint64(i) || fr.length != int64(e.length) {
		return damage(fr.tag, fr.offset, malformed("frame is not the one in the index"))
	}
	if len(f.index.sums) > 0 && fr.digest(f.index.sum(i)) != f.index.sum(i+1) {
		return damage(fr.tag, fr.offset, ErrForeign)
	}
	if err := f.newNames(b); err != nil {
		return err
	}
	for t, base := range b.names.bases {
		if base != f.index.base(i, t) || base+b.names.counts[t] != f.index.base(i+1, t) {
			return damage(tagNames, fr.offset, malformed("dictionary bases differ from the index"))
		}
	}
	return nil
}

// resolve loads all names that record i needs, and records the wanted constants seen so far.
func (f *File) resolve(b *Buffer, i int) error {
	if f.names == nil {
		b.found = append(b.found[:0], f.want.found...) // it does not change
		return nil
	}
	if _, err := f.load(i); err != nil {
		return err
	}
	for t, ids := range b.ids {
		if !f.opt.Names && f.want.asked[t] == nil {
			continue
		}
		var last *newNames
		for _, id := range ids {
			if last != nil && last.has(t, id) {
				continue
			}
			var err error
			if last, err = f.load(f.index.owner(t, id)); err != nil {
				return err
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b.found = append(b.found[:0], f.want.found...)
	return nil
}

// load returns the names that a record adds, and records the wanted constants among them. Damage to them is reported for the record that
// needs them.
func (f *File) load(i int) (*newNames, error) {
	if n := f.names[i].Load(); n != nil {
		return n, nil
	}
	var b Buffer
	if err := f.frame(&b, i); err != nil {
		var c *CorruptError
		if !errors.As(err, &c) {
			return nil, err
		}
		return nil, damage(c.Section, c.Offset, fmt.Errorf("%w: record %d: %w", ErrLostNames, i, c.Err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.names[i].Load(); n != nil {
		return n, nil
	}
	n := b.names
	f.want.take(&n)
	f.names[i].Store(&n)
	return &n, nil
}

// name returns the name of a global id of a subgraph that was read.
func (f *File) name(typ int, id uint32) []byte {
	n := f.names[f.index.owner(typ, id)].Load()
	return n.at(typ, id-n.bases[typ])
}
