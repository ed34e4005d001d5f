//go:build !purego

package wire

import "golang.org/x/sys/cpu"

// vector says whether Checksum takes the vector kernel; it is set once, before any use.
var vector = available()

func available() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512VPCLMULQDQ && x.HasSSE42
}

// updateVector takes the checksum's register from before vectorBytes or more bytes to behind them.
//
//go:noescape
func updateVector(register uint32, p []byte) uint32
