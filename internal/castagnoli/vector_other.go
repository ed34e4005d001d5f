//go:build !amd64 || purego

package castagnoli

const vector = false

func updateVector(uint32, []byte) uint32 { panic("castagnoli: no vector kernel") }
