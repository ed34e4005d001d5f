// Package rsgtest forges streams for tests.
package rsgtest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"resolwe/internal/wire"
)

// Reseal corrects all checksums of a damaged stream and its digest, as far as its lengths can be followed.
func Reseal(data []byte) { reseal(data, true) }

// ResealFrames corrects the checksums and leaves the digest as it is.
func ResealFrames(data []byte) { reseal(data, false) }

func reseal(data []byte, digest bool) {
	le := binary.LittleEndian
	sum := func(at int, b []byte) { le.PutUint32(data[at:], wire.Checksum(b)) }
	if len(data) < 128 {
		return
	}
	sum(60, data[:60])
	sum(len(data)-12, data[len(data)-64:len(data)-12])
	var sums []byte
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
			if digest && string(data[at:at+4]) == "INDX" && string(data[e:e+4]) == "sums" {
				copy(data[next:next+stored], sums)
			}
			sum(e+24, data[next:next+stored])
			next = (next + stored + 63) &^ 63
		}
		sum(at+24, data[table:table+32*n])
		sum(at+28, data[at:at+28])
		if tag := string(data[at : at+4]); tag == "SCHM" || tag == "SUBG" {
			before := append(make([]byte, 8), sums...)
			next := sha256.Sum256(slices.Concat(before[len(before)-8:], data[at:table+32*n]))
			sums = append(sums, next[:8]...)
		}
		at += length
	}
}
