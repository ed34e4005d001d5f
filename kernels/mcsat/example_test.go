package mcsat_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// friends is a network of three atoms: smokes(A), smokes(B) and smokes(C). Formula 0 is smokes(x), formula 1 that A and
// B, and B and C, smoke together; a hard clause says that A or C smokes.
func friends() *ground.Network {
	return &ground.Network{
		NumAtoms:   3,
		Constant:   []int64{0, 0},
		UnaryStart: []uint32{0, 1, 2, 3},
		Unary:      []ground.Coef{{Formula: 0, N: 1}, {Formula: 0, N: 1}, {Formula: 0, N: 1}},
		Pairs:      []ground.Pair{{A: 0, B: 1}, {A: 1, B: 2}},
		PairStart:  []uint32{0, 1, 2},
		PairCoefs:  []ground.Coef{{Formula: 1, N: 1}, {Formula: 1, N: 1}},
		Clauses:    [][]ground.Lit{{ground.NewLit(0, false), ground.NewLit(2, false)}},
	}
}

func ExampleInference_Marginals() {
	var model mcsat.Model
	model.Reset(friends(), []float64{-1, 2})

	marginals := make([]float64, 3)
	var inference mcsat.Inference
	for _, method := range []mcsat.Method{mcsat.MethodExact, mcsat.MethodMCSAT} {
		options := mcsat.DefaultOptions()
		options.Method = method
		options.Samples = 20_000
		chain := rand.New(rand.NewPCG(1, 0))
		if _, err := inference.Marginals(marginals, &model, options, []*rand.Rand{chain}); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.2f\n", method, marginals)
	}
	// Output:
	// exact: [0.76 0.84 0.76]
	// mcsat: [0.76 0.84 0.76]
}

func ExampleExpectation_Compute() {
	var model mcsat.Model
	model.Reset(friends(), []float64{-1, 2})
	model.SetExact(20)

	var expectation mcsat.Expectation
	if err := expectation.Compute(&model, true); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("log Z %.3f, expected counts %.3f\n", expectation.LogZ, expectation.Mean)
	// Output:
	// log Z 1.721, expected counts [2.355 1.330]
}

func ExampleChain() {
	var model mcsat.Model
	model.Reset(friends(), []float64{-1, 2})

	r := rand.New(rand.NewPCG(1, 0))
	var chain mcsat.Chain
	if err := chain.Start(&model, []bool{true, false, false}, mcsat.DefaultOptions(), r); err != nil {
		fmt.Println(err)
		return
	}
	const steps = 20_000
	counts := make([]float64, 2)
	for range steps {
		chain.Step(r)
		chain.AddCounts(counts)
	}
	fmt.Printf("%.1f %.1f\n", counts[0]/steps, counts[1]/steps)
	// Output:
	// 2.4 1.3
}

func ExampleCounts() {
	counts := make([]int64, 2)
	if err := mcsat.Counts(counts, friends(), []bool{true, true, false}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counts)
	// Output:
	// [2 1]
}
