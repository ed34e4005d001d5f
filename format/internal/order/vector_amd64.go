//go:build !purego

package order

import "golang.org/x/sys/cpu"

// vector says whether the vector kernels are used; it is set once, before any use.
var vector = available()

func available() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL }

// fallsVector is Falls for 2 ids or more.
//
//go:noescape
func fallsVector(ids []uint32) (falls int, largest uint32)

// pairFallsVector is PairFalls for 2 pairs or more.
//
//go:noescape
func pairFallsVector(first, second []uint32) (falls int, largest uint32)

// tieVector leaves of the bits in fall, one for each of 2 to chunk + 1 ids but the first, those whose id equals the one
// before it, clears those whose id exceeds it, and sets those whose id is below.
//
//go:noescape
func tieVector(ids []uint32, fall *[chunk / 64]uint64)
