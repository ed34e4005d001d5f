//go:build !amd64 || purego

package order

const vector = false

const unreachable = "order: no vector kernels"

func fallsVector([]uint32) (falls int, largest uint32) { panic(unreachable) }

func pairFallsVector(_, _ []uint32) (falls int, largest uint32) { panic(unreachable) }

func tieVector([]uint32, *[chunk / 64]uint64) { panic(unreachable) }
