package subgraph

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"resolwe/format/mln"
	"resolwe/internal/mmapfile"
)

// File is a complete stream in memory, usually a mapped file, with access to any record. It is safe for concurrent
// use. Subgraphs of uncompressed records are views of the data: they end with it, and with Close.
type File struct {
	decoder
	data  []byte
	path  string
	index *index
	names []atomic.Pointer[newNames] // by record, on demand; nil where no names are asked for
	mu    sync.Mutex                 // for want
	want  *wanted
	bases baseCache
	close func() error
}

// Entry describes a record without reading it.
type Entry struct {
	Name   string
	Fold   int   // -1 where none
	Offset int64 // of the record in the file
	Bytes  int64
}

// Open reads the head and the tail of a stream, which must be complete. path stands in errors only. The data is
// borrowed until the last use of the File and its subgraphs. A stream without its tail is ErrTruncated; NewReader
// reads what there is of it.
func Open(data []byte, path string, opt ReaderOptions) (*File, error) {
	f := &File{decoder: decoder{opt: opt}, data: data, path: path}
	if err := f.open(); err != nil {
		return nil, locate(err, path, -1, "")
	}
	return f, nil
}

// OpenFile maps a file and opens it. The caller closes it.
func OpenFile(path string, opt ReaderOptions) (*File, error) {
	m, err := mmapfile.Open(path)
	if err != nil {
		return nil, err
	}
	f, err := Open(m.Bytes(), path, opt)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	f.close = m.Close
	return f, nil
}

func (f *File) open() (err error) {
	if err := checkFileHeader(f.data[:min(len(f.data), fileHeaderSize)]); err != nil {
		return err
	}
	head, err := parseFrame(f.data, fileHeaderSize, int64(len(f.data)))
	if err != nil {
		return err
	}
	if err := head.checkSchema(); err != nil {
		return err
	}
	if f.schema, err = schemaOf(head, &f.unzip); err != nil {
		return err
	}
	if f.index, err = f.tail(head.offset + head.length); err != nil {
		return err
	}
	f.want = newWanted(f.schema, f.opt.Wanted)
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
	x, err := parseFrame(f.data, int64(t.indexOffset), at)
	if err != nil {
		return nil, err
	}
	if x.tag != tagIndex || x.offset+x.length != at || t.indexLength != uint64(x.length) || t.records != x.ordinal {
		return nil, damage(placeTrailer, at, malformed("trailer does not describe the index before it"))
	}
	return parseIndex(x, &f.unzip, len(f.schema.Types), first)
}

// Close releases a mapping that OpenFile made. No subgraph of the file may be used any more.
func (f *File) Close() error {
	if f.close == nil {
		return nil
	}
	return f.close()
}

// Schema returns the stream's types and predicates. They are read-only.
func (f *File) Schema() *mln.Schema { return f.schema }

// Len returns the number of subgraphs.
func (f *File) Len() int { return f.index.n }

// Entities returns the number of distinct entities of a type in the whole stream.
func (f *File) Entities(typ int) int { return int(f.index.base(f.index.n, typ)) }

// Find returns the position of the subgraph of that name.
func (f *File) Find(name string) (int, bool) { return f.index.find(name) }

// Entry describes record i.
func (f *File) Entry(i int) Entry {
	e := f.index.entry(i)
	return Entry{Name: string(f.index.name(i)), Fold: int(e.fold), Offset: int64(e.offset), Bytes: int64(e.length)}
}

// At returns subgraph i. It lives as long as the data. Damage of that record is a *CorruptError.
func (f *File) At(i int) (*Subgraph, error) {
	s, err := f.read(i)
	if err != nil {
		return nil, locate(err, f.path, i, string(f.index.name(i)))
	}
	return s, nil
}

func (f *File) read(i int) (*Subgraph, error) {
	fr, names, err := f.frame(i)
	if err != nil {
		return nil, err
	}
	var rec record
	if rec.head, err = f.head(fr); err != nil {
		return nil, err
	}
	if e := f.index.entry(i); rec.head.name != string(f.index.name(i)) || rec.head.fold != int(e.fold) {
		return nil, damage(tagHead, fr.offset, malformed("name or fold differs from the index"))
	}
	base, err := f.baseOf(rec.head, i)
	if err != nil {
		return nil, err
	}
	if err := f.body(fr, &rec, names.next(), base); err != nil {
		return nil, err
	}
	f.keep(i, names)
	found, err := f.resolve(&rec)
	if err != nil {
		return nil, err
	}
	var dict dictionary
	if f.opt.Names {
		dict = f
	}
	return f.subgraph(&rec, i, dict, found), nil
}

// frame reads the frame of record i and the names that it brings.
func (f *File) frame(i int) (*frame, *newNames, error) {
	e := f.index.entry(i)
	fr, err := parseFrame(f.data, int64(e.offset), int64(e.offset+e.length))
	if err != nil {
		return nil, nil, err
	}
	if fr.tag != tagSubgraph || fr.ordinal != uint64(i) || fr.length != int64(e.length) {
		return nil, nil, damage(fr.tag, fr.offset, malformed("frame is not the one in the index"))
	}
	names, err := f.decoder.names(fr)
	if err != nil {
		return nil, nil, err
	}
	for t, base := range names.bases {
		if base != f.index.base(i, t) || base+names.counts[t] != f.index.base(i+1, t) {
			return nil, nil, damage(tagNames, fr.offset, malformed("dictionary bases differ from the index"))
		}
	}
	return fr, names, nil
}

// resolve makes sure that all names which the record needs are there, and returns the wanted constants seen so far.
func (f *File) resolve(rec *record) ([]map[string]uint32, error) {
	if f.names == nil {
		return f.want.found, nil
	}
	for t, ids := range rec.ids {
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
				return nil, err
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.want.found), nil
}

// load returns the names that a record brings. Their damage is that of the record which needs them.
func (f *File) load(i int) (*newNames, error) {
	if n := f.names[i].Load(); n != nil {
		return n, nil
	}
	_, n, err := f.frame(i)
	if err != nil {
		var c *CorruptError
		errors.As(err, &c)
		return nil, damage(c.Section, c.Offset, fmt.Errorf("%w: record %d: %w", ErrLostNames, i, c.Err))
	}
	f.keep(i, n)
	return n, nil
}

// keep remembers the names that a record brings where they may be needed, and the wanted constants among them.
func (f *File) keep(i int, n *newNames) {
	if f.names == nil || f.names[i].Load() != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.want.take(n)
	f.names[i].Store(n)
}

// name returns the name of a global id of a subgraph that was read.
func (f *File) name(typ int, id uint32) []byte {
	n := f.names[f.index.owner(typ, id)].Load()
	return n.at(typ, id-n.bases[typ])
}
