package mcsat_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

func ExampleInference_Marginals() {
	var model loglinear.Model
	model.Reset(oracle.Friends(), []float64{-1, 2})

	marginals := make([]float64, 3)
	var inference mcsat.Inference
	for _, method := range []mcsat.Method{mcsat.MethodExact, mcsat.MethodMCSAT} {
		options := mcsat.DefaultOptions()
		options.Method = method
		options.Samples = 80_000
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

func ExampleChain() {
	var model loglinear.Model
	model.Reset(oracle.Friends(), []float64{-1, 2})

	r := rand.New(rand.NewPCG(1, 0))
	var chain mcsat.Chain
	if err := chain.Start(&model, []bool{true, false, false}, mcsat.DefaultOptions(), r); err != nil {
		fmt.Println(err)
		return
	}
	const steps = 80_000
	counts := make([]float64, 2)
	for range steps {
		chain.Step(r)
		chain.Accumulate()
	}
	chain.AddAccumulated(counts)
	fmt.Printf("%.1f %.1f\n", counts[0]/steps, counts[1]/steps)
	// Output:
	// 2.4 1.3
}
