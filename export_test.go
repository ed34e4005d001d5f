package resolwe

import (
	"context"
	"encoding/binary"
	"io"
	"math"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/castagnoli"
	"resolwe/kernels/selection"
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

// Shares returns into how many shares each subgraph of a stream is divided.
func Shares(m *Model, s *Stream, workers int) ([]int, error) {
	candidates, _, err := mln.Candidates(m.task)
	if err != nil {
		return nil, err
	}
	task, err := selection.Compile(m.Schema, candidates, Paper)
	if err != nil {
		return nil, err
	}
	r, err := s.read(nil, math.MaxInt)
	if err != nil {
		return nil, err
	}
	defer r.close()
	jobs := &splitter{reading: r, task: task, workers: workers}
	var out []int
	for {
		j, first, err := jobs.next(context.Background())
		switch {
		case err == io.EOF: //nolint:errorlint // as the pool does
			return out, nil
		case err != nil:
			return nil, err
		case first:
			out = append(out, 0)
		}
		out[j.Index]++
	}
}

// Reseal gives a changed checkpoint the checksum of what it holds now.
func Reseal(data []byte) []byte {
	end := max(0, len(data)-checkpointTail)
	return binary.LittleEndian.AppendUint32(data[:end:end], castagnoli.Checksum(data[:end]))
}

// Rewrite decodes a checkpoint and encodes it again.
func Rewrite(data []byte) ([]byte, error) {
	c, err := decodeCheckpoint(data)
	if err != nil {
		return nil, err
	}
	return encodeCheckpoint(c), nil
}

// Moved says in a checkpoint that the run stands somewhere else.
func Moved(data []byte, pass, next, seen int) []byte {
	c, err := decodeCheckpoint(data)
	if err != nil {
		panic(err)
	}
	c.pass, c.next, c.seen = pass, next, seen
	return encodeCheckpoint(c)
}

// NewStreamAt makes a stream in memory that is a part of a longer one.
func NewStreamAt(m *Model, subgraphs []*subgraph.Subgraph, first int) *Stream {
	s := NewStream(m, subgraphs)
	s.opt.First = first
	return s
}
