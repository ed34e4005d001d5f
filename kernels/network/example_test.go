package network_test

import (
	"fmt"

	"resolwe/kernels/network"
)

// Four atoms: a pair connects the first two, a clause the last two.
func ExampleComponents() {
	net := &network.Network{
		NumAtoms:   4,
		Constant:   []int64{0},
		UnaryStart: []uint32{0, 0, 0, 0, 0},
		Pairs:      []network.Pair{{A: 0, B: 1}},
		PairStart:  []uint32{0, 1},
		PairCoefs:  []network.Coef{{Formula: 0, Mult: 3}},
		Clauses:    [][]network.Lit{{network.NewLit(2, false), network.NewLit(3, true)}},
	}
	var components network.Components
	components.Find(net)
	for c := range components.Len() {
		fmt.Println(components.Atoms(c))
	}
	// Output:
	// [0 1]
	// [2 3]
}
