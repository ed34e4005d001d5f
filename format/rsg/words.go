package rsg

import (
	"encoding/binary"
	"slices"
	"unsafe"
)

const wordSize = 4

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// words returns the little-endian words of b, whose length is a multiple of wordSize: a view of b where the machine
// allows it, else a copy. No words are nil.
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

// appendFlag writes a flag as a word.
func appendFlag(dst []byte, flag bool) []byte {
	if flag {
		return le.AppendUint32(dst, 1)
	}
	return le.AppendUint32(dst, 0)
}
