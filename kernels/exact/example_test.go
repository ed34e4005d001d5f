package exact_test

import (
	"fmt"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
)

// Three atoms in a row; a hard clause asks that the first or the last holds.
func ExampleTree() {
	var model loglinear.Model
	model.Reset(oracle.Friends(), []float64{-1, 2})

	var tree exact.Tree
	if err := tree.Bind(&model, []uint32{0, 1, 2}, exact.Largest); err != nil {
		fmt.Println(err)
		return
	}
	if err := tree.Sum(); err != nil {
		fmt.Println(err)
		return
	}
	for a := range uint32(3) {
		fmt.Printf("%.4f\n", tree.Marginal(a))
	}
	fmt.Printf("log of the partition function: %.4f\n", tree.LogZ())
	// Output:
	// 0.7553
	// 0.8442
	// 0.7553
	// log of the partition function: 1.7209
}
