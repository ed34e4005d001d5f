package bitset

// instructions says what a CPU has beyond the baseline.
type instructions uint8

const (
	generic instructions = iota
	avx2
	avx512 // with BW, DQ, VL, VBMI, GFNI and VPOPCNTDQ
)

// vectorWords is the length, in words, from which on a call of a vector kernel is faster than the Go loop.
const vectorWords = 8
