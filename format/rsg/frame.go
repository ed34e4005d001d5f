package rsg

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"resolwe/internal/grow"
	"resolwe/internal/machine"
)

var errPadding = malformed("padding is not zero")

// frameHeader begins a frame.
type frameHeader struct {
	tag      string
	offset   int64 // in the stream
	sections int
	length   int64 // of the frame with its header
	ordinal  uint64
	tableCRC uint32
	raw      [frameHeaderSize]byte
}

// section is one entry of a frame's section table, with its bytes once read.
type section struct {
	tag    string
	codec  byte
	offset int64 // in the stream
	length int64 // as stored
	size   int64 // decoded
	crc    uint32
	stored []byte

	decoded []byte // memory for compressed sections
}

// parseFrameHeader reads a header from its frameHeaderSize bytes.
func parseFrameHeader(b []byte, offset int64) (frameHeader, error) {
	if checksum(b[:28]) != le.Uint32(b[28:]) {
		return frameHeader{}, damage(placeFrameHeader, offset, ErrChecksum)
	}
	h := frameHeader{tag: tagOf(b), offset: offset, ordinal: le.Uint64(b[16:]), tableCRC: le.Uint32(b[frameCRC:])}
	sections, length := le.Uint32(b[4:]), le.Uint64(b[8:])
	if sections > maxSections || length > math.MaxInt-trailerSize || length%alignment != 0 ||
		length < align(uint64(frameHeaderSize+tableEntrySize*sections)) || h.ordinal > math.MaxInt {
		return frameHeader{}, damage(placeFrameHeader, offset, malformed("length, number of sections or ordinal out of range"))
	}
	h.sections, h.length = int(sections), int64(length)
	copy(h.raw[:], b)
	return h, nil
}

// recordTags are the tags of a record's frame and its sections.
var recordTags = []string{tagSubgraph, tagHead, tagEntities, tagNames, tagShared, tagFacts, tagTime}

// tagOf returns the tag at the beginning of b, without allocating for those of a record.
func tagOf(b []byte) string {
	if i := slices.IndexFunc(recordTags, func(tag string) bool { return tag == string(b[:4]) }); i >= 0 {
		return recordTags[i]
	}
	return string(b[:4])
}

// tableSize returns the size of the section table in bytes, including padding.
func (h *frameHeader) tableSize() int {
	return int(align(uint64(frameHeaderSize+tableEntrySize*h.sections))) - frameHeaderSize
}

// parseTable reads the section table from its tableSize bytes, into the memory of sections if it suffices.
func (h *frameHeader) parseTable(sections []section, b []byte) ([]section, error) {
	at := h.offset + frameHeaderSize
	entries, padding := b[:h.sections*tableEntrySize], b[h.sections*tableEntrySize:]
	if checksum(entries) != h.tableCRC {
		return nil, damage(placeTable, at, ErrChecksum)
	}
	if !isZero(padding) {
		return nil, damage(placeTable, at+int64(len(entries)), errPadding)
	}
	sections = grow.To(sections, h.sections)
	next, end := at+int64(len(b)), h.offset+h.length
	for i := range sections {
		e := entries[i*tableEntrySize:]
		length, size := le.Uint64(e[8:]), le.Uint64(e[16:])
		if length > uint64(end-next) || size > math.MaxInt || align(length) > uint64(end-next) {
			return nil, damage(placeTable, at, malformed("sections are longer than their frame"))
		}
		sections[i] = section{
			tag: tagOf(e), codec: e[4], offset: next, length: int64(length), size: int64(size), crc: le.Uint32(e[24:]),
			decoded: sections[i].decoded,
		}
		next += int64(align(length))
	}
	if next != end {
		return nil, damage(placeTable, at, malformed("sections are shorter than their frame"))
	}
	return sections, nil
}

// frame is a whole frame in memory.
type frame struct {
	frameHeader
	all   []section
	table []byte // the entries of all
}

// parseBody reads the rest of a frame after its header. The sections are views of it.
func (f *frame) parseBody(h frameHeader, rest []byte) (err error) {
	f.frameHeader = h
	if f.all, err = h.parseTable(f.all, rest[:h.tableSize()]); err != nil {
		return err
	}
	f.table, rest = rest[:h.sections*tableEntrySize], rest[h.tableSize():]
	for i := range f.all {
		s := &f.all[i]
		end := align(uint64(s.length))
		if !isZero(rest[s.length:end]) {
			return damage(s.tag, s.offset+s.length, errPadding)
		}
		s.stored, rest = rest[:s.length:s.length], rest[end:]
	}
	return nil
}

// parse reads the frame at an offset of data, which must end by limit.
func (f *frame) parse(data []byte, offset, limit int64) error {
	if limit-offset < frameHeaderSize {
		return damage(placeFrameHeader, offset, ErrTruncated)
	}
	h, err := parseFrameHeader(data[offset:offset+frameHeaderSize], offset)
	if err != nil {
		return err
	}
	if h.length > limit-offset {
		return damage(h.tag, offset, ErrTruncated)
	}
	return f.parseBody(h, data[offset+frameHeaderSize:offset+h.length])
}

// digest returns the digest of a stream up to this frame, given that of the frames before, 0 for none. The frame's header and table stand
// for its sections, whose checksums they hold.
func (f *frame) digest(before uint64) uint64 {
	var text [sumSize + frameHeaderSize + maxSections*tableEntrySize]byte
	b := append(append(le.AppendUint64(text[:0], before), f.raw[:]...), f.table...)
	sum := sha256.Sum256(b)
	return le.Uint64(sum[:])
}

// find returns the one section with the tag.
func (f *frame) find(tag string) (*section, error) {
	var found *section
	for i := range f.all {
		if f.all[i].tag != tag {
			continue
		}
		if found != nil {
			return nil, damage(tag, f.offset, malformed("section is there twice"))
		}
		found = &f.all[i]
	}
	if found == nil {
		return nil, damage(tag, f.offset, malformed("section is missing"))
	}
	return found, nil
}

// has reports whether a section with the tag exists.
func (f *frame) has(tag string) bool {
	return slices.ContainsFunc(f.all, func(s section) bool { return s.tag == tag })
}

// checkTags rejects unknown sections that a reader must understand.
func checkTags(sections []section, known ...string) error {
	for i := range sections {
		s := &sections[i]
		if !slices.Contains(known, s.tag) && !isOptional(s.tag) {
			return damage(s.tag, s.offset, ErrVersion)
		}
	}
	return nil
}

// Limits on zstd data: a block of 128 KiB takes at least four bytes; our encoder's window is 8 MiB.
const (
	zstdRatio = 1 << 15
	maxWindow = 64 << 20

	// Before more than affordable bytes are taken for a record, there must be memory for them, and for what is computed on it, several times as
	// much; a section that packs more than unlikely bytes in one is then damage.
	affordable = 4 << 20
	several    = 4
	unlikely   = 1 << 10
)

// decompressor decodes sections. It is safe for concurrent use. The zero value is ready, and costs nothing if no section is compressed.
type decompressor struct {
	once sync.Once
	zstd *zstd.Decoder
	err  error
	room sync.Mutex // held from asking for memory to taking it
}

func (d *decompressor) open() {
	d.zstd, d.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxDecoded), zstd.WithDecoderMaxWindow(maxWindow))
}

// read checks a section's checksum and has parse read its content: the stored bytes, or decoded ones in memory of the frame. An error of
// parse is damage in that section.
func (d *decompressor) read(f *frame, tag string, parse func(content []byte) error) error {
	s, err := f.find(tag)
	if err != nil {
		return err
	}
	var content []byte
	if checksum(s.stored) != s.crc {
		err = ErrChecksum
	} else if content, err = d.decode(s); err == nil {
		err = parse(content)
	}
	if err != nil && !errors.As(err, new(*machine.MemoryError)) {
		return damage(tag, s.offset, err)
	}
	return err
}

// readCounted reads a section that must have n words; one that claims another size is not decoded.
func (d *decompressor) readCounted(f *frame, tag string, n uint64, parse func(content []byte) error) error {
	s, err := f.find(tag)
	if err != nil {
		return err
	}
	if uint64(s.size) != n*wordSize {
		return damage(tag, s.offset, malformed("section has %d bytes, the counts ask for %d words", s.size, n))
	}
	return d.read(f, tag, parse)
}

func (d *decompressor) decode(s *section) ([]byte, error) {
	switch {
	case s.codec == codecNone && s.size == s.length:
		return s.stored, nil
	case s.codec == codecNone:
		return nil, malformed("size differs from length")
	case s.codec != codecZstd:
		return nil, ErrVersion
	case s.size > maxDecoded || s.size/zstdRatio > s.length:
		return nil, malformed("decoded size is out of range")
	}
	d.once.Do(d.open)
	if d.err != nil {
		return nil, d.err
	}
	if err := d.makeRoom(s); err != nil {
		return nil, err
	}
	out, err := d.zstd.DecodeAll(s.stored, s.decoded[:0:s.size])
	if err != nil {
		return nil, malformed("%v", err)
	}
	if int64(len(out)) != s.size {
		return nil, malformed("decodes to %d bytes, not %d", len(out), s.size)
	}
	return out, nil
}

// makeRoom takes the memory that a section claims to need.
func (d *decompressor) makeRoom(s *section) error {
	d.room.Lock()
	defer d.room.Unlock()
	if err := afford(s.size - int64(cap(s.decoded))); err != nil {
		if s.size/unlikely > s.length {
			return malformed("%d bytes that claim to be %d once decoded, for which there is no memory", s.length, s.size)
		}
		return err
	}
	s.decoded = slices.Grow(s.decoded[:0], int(s.size))
	return nil
}

// afford returns an error if there is no memory for n more bytes of a record.
func afford(n int64) error {
	if n <= affordable {
		return nil
	}
	return cmp.Or(machine.Within(uint64(several*n), ""), machine.Afford(uint64(n), "")) // #nosec G115 -- positive
}
