package resolwe

import (
	"context"
	"io"
)

// WithStates returns the options with a bound on the states that may be enumerated for the objective.
func WithStates(o LearnOptions, n int) LearnOptions {
	o.states = n
	return o
}

// Large says of each subgraph of a stream whether several workers count it.
func Large(s *Stream, workers int) ([]bool, error) {
	it, err := s.iterate()
	if err != nil {
		return nil, err
	}
	defer it.Close()
	d := divider{workers: workers}
	var out []bool
	for {
		h, err := it.Next(context.Background())
		switch {
		case err == io.EOF: //nolint:errorlint // as the pool does
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, d.isLarge(&h))
	}
}

// Rewrite decodes a checkpoint and encodes it again.
func Rewrite(data []byte) ([]byte, error) {
	c, err := decoded(data)
	if err != nil {
		return nil, err
	}
	return c.encode(), nil
}

func decoded(data []byte) (*Checkpoint, error) {
	r, run, err := learnForm.Read(data)
	if err != nil {
		return nil, err
	}
	return decodeCheckpoint(r, run)
}

// Moved says in a checkpoint that the run stands somewhere else.
func Moved(data []byte, pass, next, seen int) []byte {
	c, err := decoded(data)
	if err != nil {
		panic(err)
	}
	c.Pass, c.Next, c.Seen = pass, next, seen
	return c.encode()
}
