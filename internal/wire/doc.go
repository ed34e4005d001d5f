// Package wire encodes values as bytes that end with a checksum, and decodes them safely from arbitrary bytes.
//
// All numbers are little-endian. Integers are u64; a float is its IEEE 754 bits; a string or a list follows its length. A
// magic number comes first, a CRC-32C of all before it last.
package wire
