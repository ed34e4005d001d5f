//go:build !amd64 || purego

package bitset

// Without vector kernels every call uses its Go loop.
const level = generic

const unreachable = "bitset: no vector kernels"

func countVector([]uint64) int { panic(unreachable) }

func andCountVector(_, _ []uint64) int { panic(unreachable) }

func andIntoVector(_, _ []uint64) { panic(unreachable) }

func orIntoVector(_, _ []uint64) { panic(unreachable) }

func orRowsVector(_, _ []uint64, _ []uint32) int { panic(unreachable) }

func transposeVector(*[64]uint64) { panic(unreachable) }

func addAndCountsVector(_ []uint64, _ uint64, _, _ []uint64, _ int) { panic(unreachable) }
