package crossval

import (
	"context"

	"resolwe"
	"resolwe/format/checkpoint"
)

// Divide returns the positions of the folds' subgraphs.
func Divide(entries []resolwe.Entry, want int, seed uint64) ([][]int, error) {
	return (&Options{Folds: want, Seed: seed, Random: true}).divide(context.Background(), nil, nil, entries)
}

// Again reads a checkpoint, for a number of folds and the given properties, and writes it again.
func Again(data []byte, folds int, identity []checkpoint.Property) ([]byte, error) {
	r := &run{folds: make([][]int, folds), identity: identity, done: map[trial]*record{}}
	err := r.resume(data)
	return r.encode(), err
}

// Identity returns the properties of a checkpoint.
func Identity(data []byte) []checkpoint.Property {
	_, run, err := form.Read(data)
	if err != nil {
		panic(err)
	}
	return run
}
