// Package castagnoli computes CRC-32C checksums as hash/crc32 does, at the speed of memory where the CPU multiplies
// polynomials in vectors.
package castagnoli

import "hash/crc32"

// vectorBytes is the length from which on the vector kernel is faster. It needs 256 bytes at least.
const vectorBytes = 256

var table = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of p.
func Checksum(p []byte) uint32 { return Update(0, p) }

// Update returns the CRC-32C of what crc is the checksum of, nothing for 0, followed by p.
func Update(crc uint32, p []byte) uint32 {
	if vector && len(p) >= vectorBytes {
		return ^updateVector(^crc, p)
	}
	return crc32.Update(crc, table, p)
}
