package diagnostics_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/kernels/diagnostics"
)

// Two chains that agree on the first variable; for the second each is stuck in a mode of its own.
func ExampleConvergence() {
	var compared diagnostics.Convergence
	compared.Reset([]uint32{0, 1})
	for chain := range 2 {
		r := rand.New(rand.NewPCG(1, uint64(chain)))
		var batches diagnostics.Batches
		batches.Reset([]uint32{0, 1})
		for range 1000 {
			batches.Add([]float64{r.Float64(), float64(chain) + .1*r.Float64()}, 1)
		}
		compared.Add(&batches)
	}
	for i, name := range []string{"agree", "apart"} {
		v, _ := compared.Verdict(i)
		fmt.Printf("%s: R-hat above the limit: %t\n", name, v.RHat > diagnostics.RHatLimit)
	}
	// Output:
	// agree: R-hat above the limit: false
	// apart: R-hat above the limit: true
}
