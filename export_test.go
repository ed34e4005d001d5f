package resolwe

import (
	"context"
	"io"

	"resolwe/format/mln"
	"resolwe/kernels/selection"
)

// WithStates returns the options with a bound on the states that may be enumerated for the objective.
func WithStates(o LearnOptions, n int) LearnOptions {
	o.states = n
	return o
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
	r, err := s.iterate()
	if err != nil {
		return nil, err
	}
	defer r.close()
	jobs := &splitter{iterator: r, task: task, workers: workers}
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

// Rewrite decodes a checkpoint and encodes it again.
func Rewrite(data []byte) ([]byte, error) {
	c, err := decodeCheckpoint(data)
	if err != nil {
		return nil, err
	}
	return c.encode(), nil
}

// Moved says in a checkpoint that the run stands somewhere else.
func Moved(data []byte, pass, next, seen int) []byte {
	c, err := decodeCheckpoint(data)
	if err != nil {
		panic(err)
	}
	c.Pass, c.Next, c.Seen = pass, next, seen
	return c.encode()
}

// Share runs tasks as a worker does, while so many others are busy.
func Share(workers, busy, n int, task func(i int)) {
	h := newHelpers(workers)
	for range busy {
		h.begin()
	}
	h.begin()
	defer h.end()
	h.run(n, task)
}
