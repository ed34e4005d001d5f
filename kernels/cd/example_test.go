package cd_test

import (
	"fmt"
	"math/rand/v2"

	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

// One formula, p(x), over four atoms of which three are true: its weight is near ln 3, less what the prior takes.
func ExampleOptimizer() {
	net := &network.Network{
		NumAtoms: 4, Constant: []int64{0}, PairStart: []uint32{0},
		UnaryStart: []uint32{0, 1, 2, 3, 4}, Unary: []network.Coef{{Mult: 1}, {Mult: 1}, {Mult: 1}, {Mult: 1}},
	}
	ex := &cd.Example{Net: net, Data: []bool{true, true, true, false}}
	worker := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT})
	const passes = 100
	o := cd.NewOptimizer([]float64{0}, []bool{false}, 100, 1, passes)
	var g cd.Gradient
	for range passes {
		if err := worker.Gradient(&g, ex, o.Weights, nil, rand.New(rand.NewPCG(1, 1))); err != nil {
			fmt.Println(err)
			return
		}
		o.Update([]*cd.Gradient{&g}, 1)
	}
	fmt.Printf("%.3f\n", o.Result()[0])
	// Output: 1.098
}
