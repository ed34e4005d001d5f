package rank

import "math"

// ByMeasure returns average precision, AUC, CLL and Brier score, each for the subgraphs for which it is defined.
func ByMeasure(figures []Figures) (out [4][]float64) {
	for _, f := range figures {
		if f.Ranked {
			out[0], out[1] = append(out[0], f.AveragePrecision), append(out[1], f.AUC)
		}
		if f.Atoms > 0 {
			out[2], out[3] = append(out[2], f.CLL), append(out[3], f.Brier)
		}
	}
	return out
}

// Test is the result of a two-sided paired t-test. Undefined values are NaN.
type Test struct {
	N              int        // pairs
	MeanDifference float64    // mean of a - b; undefined without pairs
	CI95           [2]float64 // 95% confidence interval of the mean difference
	T              float64    // infinite if all differences are equal and not 0
	DF             int        // degrees of freedom, N - 1, or 0 without pairs
	P              float64    // probability of a |t| at least this large if the true mean is 0
}

// PairedT compares two systems by their values a[i] and b[i] on the i-th test subgraph. With fewer than two pairs, or with values that
// are not finite, CI95, T and P are undefined. If all differences are 0, T is 0 and P is 1. PairedT panics if a and b differ in length.
func PairedT(a, b []float64) Test { return CorrectedT(a, b, 0) }

// CorrectedT is PairedT for pairs that are not independent: the variance of the mean difference is that of a difference times 1/n +
// excess, excess at least 0. For means of n folds whose training sets overlap, excess is the ratio of the numbers of test and training
// cases (Nadeau and Bengio, Machine Learning 52, 2003).
func CorrectedT(a, b []float64, excess float64) Test {
	if len(a) != len(b) {
		panic("kernels/rank: samples of unequal length are no pairs")
	}
	n := len(a)
	mean, deviation := differences(a, b)
	nan := math.NaN()
	test := Test{N: n, MeanDifference: mean, CI95: [2]float64{nan, nan}, T: nan, DF: max(n-1, 0), P: nan}
	if n < 2 || math.IsNaN(deviation) || math.IsInf(deviation, 0) {
		return test
	}
	if mean == 0 && deviation == 0 {
		test.T, test.P, test.CI95 = 0, 1, [2]float64{}
		return test
	}
	distribution := student(test.DF)
	stderror := deviation / math.Sqrt(float64(n)) * math.Sqrt(1+float64(float64(n)*excess))
	half := float64(distribution.edge(0.05) * stderror)
	test.CI95 = [2]float64{mean - half, mean + half}
	test.T = mean / stderror
	test.P = distribution.beyond(math.Abs(test.T))
	return test
}

// differences returns the mean and standard deviation of a - b. They are computed relative to the first difference, so that equal
// differences have deviation 0.
func differences(a, b []float64) (mean, deviation float64) {
	if len(a) == 0 {
		return math.NaN(), math.NaN()
	}
	first, n := a[0]-b[0], float64(len(a))
	sum := 0.0
	for i := range a {
		sum += a[i] - b[i] - first
	}
	shift := sum / n
	squares := 0.0
	for i := range a {
		d := a[i] - b[i] - first - shift
		squares += float64(d * d)
	}
	return first + shift, math.Sqrt(squares / (n - 1))
}
