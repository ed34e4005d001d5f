//go:build !amd64 || purego

package wire

const vector = false

func updateVector(uint32, []byte) uint32 { panic("wire: no vector kernel") }
