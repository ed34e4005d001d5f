// Package bitset provides the operations on dense bit sets used by the joins. Bit i of a set is bit i%64 of word i/64; bits beyond the
// universe are 0. All slices in a call have the same length.
//
// Operations over many words have vector kernels for amd64, chosen at start-up according to the CPU: AVX-512 (as in Ice Lake and Zen 4)
// or AVX2. The Go loops give the same results. They handle short sets and other CPUs, and are used exclusively under the build tag
// purego.
package bitset
