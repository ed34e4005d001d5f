// Package rsgtest forges streams for tests.
package rsgtest

import (
	"encoding/binary"

	"resolwe/internal/wire"
)

// Reseal corrects all checksums of a damaged stream, as far as its lengths can be followed.
func Reseal(data []byte) {
	le := binary.LittleEndian
	sum := func(at int, b []byte) { le.PutUint32(data[at:], wire.Checksum(b)) }
	if len(data) < 128 {
		return
	}
	sum(60, data[:60])
	sum(len(data)-12, data[len(data)-64:len(data)-12])
	for at := 64; at+96 <= len(data)-64; {
		n, length := int(le.Uint32(data[at+4:])), int(le.Uint64(data[at+8:]))
		table := at + 32
		next := (table + 32*n + 63) &^ 63
		if n > 64 || length < 64 || length > len(data)-at || next > len(data) {
			return
		}
		for i := range n {
			e := table + 32*i
			stored := int(le.Uint64(data[e+8:]))
			if stored < 0 || stored > len(data)-next {
				break
			}
			sum(e+24, data[next:next+stored])
			next = (next + stored + 63) &^ 63
		}
		sum(at+24, data[table:table+32*n])
		sum(at+28, data[at:at+28])
		at += length
	}
}
