package resolwe

import (
	"context"

	"resolwe/kernels/cd"
	"resolwe/kernels/network"
)

// WithStates returns the options with a bound on the states that may be enumerated for the objective.
func WithStates(o LearnOptions, n int) LearnOptions {
	o.states = n
	return o
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

// ComputeBatch computes a batch of n subgraphs, at whose positions gradient is called.
func ComputeBatch(ctx context.Context, n, workers int, gradient func(i int) error) error {
	b := newBatch(n, &LearnTask{opt: LearnOptions{Run: Run{Workers: workers}}})
	for i := range n {
		b.examples = append(b.examples, &example{Example: cd.Example{Net: &network.Network{NumAtoms: i % 7}}, index: i})
	}
	return b.compute(ctx, func(_ *learner, ex *example, _ *cd.Gradient, _ int) error { return gradient(ex.index) })
}
