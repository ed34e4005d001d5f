package rsg

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unsafe"

	"resolwe/format/origin"
	"resolwe/format/subgraph"
	"resolwe/internal/wire"
)

// The layout of FORMAT.md. A test compares these constants with the page.
const (
	magic        = "\x89RSG\r\n\x1a\n"
	closingMagic = "\n\x1a\r\nGSR\x89"

	versionMajor = 1
	versionMinor = 1

	alignment       = 64
	fileHeaderSize  = 64
	frameHeaderSize = 32
	frameCRC        = 24 // offset of the section table's checksum
	tableEntrySize  = 32
	indexEntrySize  = 32
	headFixedSize   = 16
	trailerSize     = 64

	maxSections = 64
	maxSchema   = 1 << 20
	maxOrigin   = origin.MaxText
	maxDecoded  = 1 << 30

	codecNone = 0
	codecZstd = 1

	noCenter     = 0xffffffff
	noBackground = 0xffffffff
	noTime       = math.MinInt64
)

// Tags of frames and sections. A reader may skip an unknown one that begins with a lower-case letter.
const (
	tagSchema   = "SCHM"
	tagSubgraph = "SUBG"
	tagIndex    = "INDX"
	tagOrigin   = "orgn" // the frame, and its section

	tagHead     = "HEAD"
	tagEntities = "ENTS"
	tagNames    = "NAMS"
	tagShared   = "SHRD"
	tagFacts    = "FACT"
	tagTime     = "time" // of a record, and of all records in the index

	tagRecords = "RECS"
	tagOrder   = "ORDR"
	tagBases   = "BASE"
	tagSums    = "sums"
)

// Names for places of damage outside of frames.
const (
	placeFileHeader  = "file header"
	placeFrameHeader = "frame header"
	placeTable       = "section table"
	placeTrailer     = "trailer"
)

var le = binary.LittleEndian

func checksum(b []byte) uint32 { return wire.Checksum(b) }

// align rounds up to the next multiple of the alignment.
func align(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

func isOptional(tag string) bool { return tag[0] >= 'a' && tag[0] <= 'z' }

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// IsStream reports whether head, the first bytes of an input, begins an .rsg stream.
func IsStream(head []byte) bool { return strings.HasPrefix(string(head), magic) }

func fileHeader() []byte {
	b := make([]byte, fileHeaderSize)
	copy(b, magic)
	le.PutUint16(b[8:], versionMajor)
	le.PutUint16(b[10:], versionMinor)
	le.PutUint32(b[60:], checksum(b[:60]))
	return b
}

// promisesDigest reports whether a stream with that file header, which is valid, must have a digest.
func promisesDigest(header []byte) bool { return le.Uint16(header[10:]) >= 1 }

// checkFileHeader checks the first fileHeaderSize bytes of a stream, or fewer if it ends earlier.
func checkFileHeader(b []byte) error {
	n := min(len(b), len(magic))
	switch {
	case string(b[:n]) != magic[:n]:
		return damage(placeFileHeader, 0, ErrMagic)
	case len(b) < fileHeaderSize:
		return damage(placeFileHeader, int64(len(b)), ErrTruncated)
	case checksum(b[:60]) != le.Uint32(b[60:]):
		return damage(placeFileHeader, 0, ErrChecksum)
	case le.Uint16(b[8:]) != versionMajor, le.Uint32(b[12:]) != 0:
		return damage(placeFileHeader, 8, ErrVersion)
	}
	return nil
}

// trailer is the last block of a complete stream.
type trailer struct {
	indexOffset, indexLength, records uint64
}

func (t trailer) bytes() []byte {
	b := make([]byte, trailerSize)
	le.PutUint64(b[0:], t.indexOffset)
	le.PutUint64(b[8:], t.indexLength)
	le.PutUint64(b[16:], t.records)
	le.PutUint32(b[52:], checksum(b[:52]))
	copy(b[56:], closingMagic)
	return b
}

// parseTrailer reads the trailer, at an offset, from its trailerSize bytes.
func parseTrailer(b []byte, offset int64) (trailer, error) {
	switch {
	case string(b[56:]) != closingMagic:
		return trailer{}, damage(placeTrailer, offset, ErrTruncated)
	case checksum(b[:52]) != le.Uint32(b[52:]):
		return trailer{}, damage(placeTrailer, offset, ErrChecksum)
	}
	return trailer{indexOffset: le.Uint64(b[0:]), indexLength: le.Uint64(b[8:]), records: le.Uint64(b[16:])}, nil
}

const (
	wordSize = 4
	timeSize = 8
	sumSize  = 8
)

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// words returns the little-endian words of b, whose length is a multiple of wordSize: a view of b if the machine allows it, else a copy. It
// returns nil for no words.
func words(b []byte) []uint32 {
	if len(b) == 0 {
		return nil
	}
	p := unsafe.SliceData(b)
	if !littleEndian || uintptr(unsafe.Pointer(p))%wordSize != 0 {
		return decodeWords(b)
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(p)), len(b)/wordSize)
}

func decodeWords(b []byte) []uint32 {
	out := make([]uint32, len(b)/wordSize)
	for i := range out {
		out[i] = le.Uint32(b[i*wordSize:])
	}
	return out
}

func appendWords(dst []byte, ws []uint32) []byte {
	dst = slices.Grow(dst, wordSize*len(ws))
	for _, w := range ws {
		dst = le.AppendUint32(dst, w)
	}
	return dst
}

// appendTime writes a time.
func appendTime(dst []byte, t subgraph.Time) []byte {
	unix := int64(noTime)
	if t.Known {
		unix = t.Unix
	}
	return le.AppendUint64(dst, uint64(unix))
}

// parseTime reads a time, or none.
func parseTime(b []byte) (subgraph.Time, error) {
	if len(b) != timeSize {
		return subgraph.Time{}, malformed("a time takes %d bytes, not %d", timeSize, len(b))
	}
	unix := int64(le.Uint64(b))
	t, ok := subgraph.TimeAt(unix)
	if !ok && unix != noTime {
		return t, malformed("time out of range")
	}
	return t, nil
}

// appendFlag writes a flag as a word.
func appendFlag(dst []byte, flag bool) []byte {
	if flag {
		return le.AppendUint32(dst, 1)
	}
	return le.AppendUint32(dst, 0)
}
