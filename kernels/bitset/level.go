package bitset

// instructions is an instruction set beyond the baseline.
type instructions uint8

const (
	generic instructions = iota
	avx2
	avx512 // with BW, DQ, VL, VBMI, GFNI and VPOPCNTDQ
)

// vectorWords is the minimum length, in words, for which a vector kernel is faster than the Go loop.
const vectorWords = 8
