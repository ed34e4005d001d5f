package resolwe

import (
	"encoding/binary"
	"hash/crc32"
)

// SetCacheBytes sets how many bytes of ground networks learning keeps from one pass to the next, and returns what it was.
func SetCacheBytes(n int) int {
	old := cacheBytes
	cacheBytes = n
	return old
}

// Divide returns the positions of the folds' subgraphs.
func Divide(entries []Entry, want int, seed uint64) ([][]int, error) {
	return divide(entries, want, seed)
}

// SetObjectiveStates sets how many states may be enumerated for the objective, and returns what it was.
func SetObjectiveStates(n int) int {
	old := objectiveStates
	objectiveStates = n
	return old
}

// Reseal gives a changed checkpoint the checksum of what it holds now.
func Reseal(data []byte) []byte {
	end := max(0, len(data)-checkpointTail)
	return binary.LittleEndian.AppendUint32(data[:end:end], crc32.Checksum(data[:end], castagnoli))
}

// Rewrite decodes a checkpoint and encodes it again.
func Rewrite(data []byte) ([]byte, error) {
	c, err := decodeCheckpoint(data)
	if err != nil {
		return nil, err
	}
	return encodeCheckpoint(c), nil
}
