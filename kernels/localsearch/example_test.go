package localsearch_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/loglinear"
)

func ExampleSearch_Run() {
	var model loglinear.Model
	model.Reset(oracle.Friends(), []float64{-1, 2})

	state := make([]bool, 3)
	var search localsearch.Search
	search.Bind(&model, state)
	source := func(try int) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(try))) }
	violated, err := search.Run(state, []uint32{0, 1, 2}, localsearch.DefaultOptions(), source)
	fmt.Println(state, violated, err)
	// Output:
	// [true true true] 0 <nil>
}
