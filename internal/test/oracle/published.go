package oracle

import "resolwe/kernels/network"

// Friends is a network of three atoms: smokes(A), smokes(B) and smokes(C). Formula 0 is smokes(x), formula 1 that A and
// B, and B and C, smoke together; a hard clause says that A or C smokes.
func Friends() *network.Network {
	return &network.Network{
		NumAtoms:   3,
		Constant:   []int64{0, 0},
		UnaryStart: []uint32{0, 1, 2, 3},
		Unary:      []network.Coef{{Formula: 0, Mult: 1}, {Formula: 0, Mult: 1}, {Formula: 0, Mult: 1}},
		Pairs:      []network.Pair{{A: 0, B: 1}, {A: 1, B: 2}},
		PairStart:  []uint32{0, 1, 2},
		PairCoefs:  []network.Coef{{Formula: 1, Mult: 1}, {Formula: 1, Mult: 1}},
		Clauses:    [][]network.Lit{{network.NewLit(0, false), network.NewLit(2, false)}},
	}
}
