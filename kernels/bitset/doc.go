// Package bitset has the operations on dense words of bits that the joins are made of. Bit i of a set is bit i%64 of
// word i/64; bits beyond the universe are 0. Slices of one call have one length.
//
// What runs over many words has vector kernels for amd64, chosen at start by what the CPU has: AVX-512 as of Ice Lake
// and Zen 4, or AVX2. The Go loops beside them give the same results, serve short sets and every other CPU, and are all
// that the build tag purego leaves.
package bitset
