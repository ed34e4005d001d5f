//go:build !purego

package bitset

import "golang.org/x/sys/cpu"

// level is the instruction set that the kernels use; it is set before any of them runs.
var level = best()

// best returns the highest level of this CPU. The features of avx512 arrived together with Ice Lake and Zen 4.
func best() instructions {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VBMI && x.HasAVX512GFNI &&
		x.HasAVX512VPOPCNTDQ:
		return avx512
	case x.HasAVX2 && x.HasPOPCNT:
		return avx2
	default:
		return generic
	}
}

//go:noescape
func countVector(s []uint64) int

//go:noescape
func andCountVector(a, b []uint64) int

// addAndCountsVector requires a non-empty row, and a stride of whole registers.
//
//go:noescape
func addAndCountsVector(sums []uint64, to uint64, row, sets []uint64, stride int)

//go:noescape
func andIntoVector(dst, s []uint64)

//go:noescape
func orIntoVector(dst, s []uint64)

// orRowsVector returns the number of rows added: fewer than len(rows) if the next one is beyond the matrix.
//
//go:noescape
func orRowsVector(dst, matrix []uint64, rows []uint32) int

//go:noescape
func transposeVector(m *[64]uint64)
