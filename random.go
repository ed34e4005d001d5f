package resolwe

import "math/rand/v2"

// purpose is what random numbers are drawn for. The values are part of the results.
type purpose uint64

const (
	learning purpose = iota
	inferring
)

// randomFor returns the random numbers of a purpose, a subgraph's position and a pass or chain: they depend on nothing
// else, so that results do not depend on workers.
func randomFor(what purpose, seed uint64, index, round int) *rand.Rand {
	return seeded(seed, uint64(what)<<60^uint64(index)<<24^uint64(round))
}

// seeded returns the random numbers PCG(seed, stream).
func seeded(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream))
}
