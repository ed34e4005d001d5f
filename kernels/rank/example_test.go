package rank_test

import (
	"fmt"

	"resolwe/kernels/rank"
)

func ExampleEvaluate() {
	f := rank.Evaluate([]rank.Scored{{P: .9, True: true}, {P: .5, True: true}, {P: .5}, {P: .5}, {P: .1}})
	fmt.Printf("AUC %.6f\n", f.AUC)
	fmt.Printf("AP  %.6f\n", f.AveragePrecision)
	fmt.Printf("all ranks %.6f and %.6f\n", f.PrecisionAllRanks, f.TrueNegativeAllRanks)
	fmt.Printf("CLL %.6f, Brier score %.3f\n", f.CLL, f.Brier)
	// Output:
	// AUC 0.833333
	// AP  0.861111
	// all ranks 0.624444 and 0.533333
	// CLL -0.458033, Brier score 0.154
}

func ExamplePool() {
	p := rank.Pool([]rank.Scored{{P: .9, True: true}, {P: .5}, {P: .1, True: true}})
	fmt.Printf("AUC-PR %.6f, calibration error %.2f\n", p.AUCPR, p.CalibrationError)
	// Output: AUC-PR 0.791667, calibration error 0.50
}

func ExamplePairedT() {
	test := rank.PairedT([]float64{.8, .7, .9, .6}, []float64{.6, .7, .7, .5})
	fmt.Printf("mean difference %.3f [%.3f, %.3f], t(%d) = %.3f, p = %.3f\n",
		test.MeanDifference, test.CI95[0], test.CI95[1], test.DF, test.T, test.P)
	// Output: mean difference 0.125 [-0.027, 0.277], t(3) = 2.611, p = 0.080
}
