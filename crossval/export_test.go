package crossval

import (
	"resolwe"
	"resolwe/internal/wire"
)

// Divide returns the positions of the folds' subgraphs.
var Divide = divide

// Again writes what it reads of a checkpoint of so many folds and of those properties.
func Again(data []byte, folds int, identity []resolwe.Property) ([]byte, error) {
	r := &run{folds: make([][]int, folds), identity: identity, opt: &Options{Checkpoints: resolwe.Checkpoints{Resume: data}}}
	err := r.resume()
	return r.encode(), err
}

// Identity returns the properties of a checkpoint.
func Identity(data []byte) []resolwe.Property {
	return readIdentity(wire.NewReader(data, checkpointMagic+checkpointVersion))
}
