package gain_test

import (
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// Packed words add up to any number of rows at the limits of what a row can have.
func TestPackedSums(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 10_000} {
		for _, r := range []float64{-1, 1, -.5, 0} {
			for _, h := range []float64{0, .25} {
				for _, got := range gain.PackedSums(r, h, n) {
					check.Equal(t, "sums", got, [3]float64{r * float64(n), h * float64(n), float64(n)})
				}
			}
		}
	}
}

// Where predictions are certain, and so without variance, a column that corrects them gains g^2 / (2 lambda v) nats.
func TestGain_WithoutVariance(t *testing.T) {
	t.Parallel()
	check.Is(t, gain.GainOf(100, 0, 100, 100, 0, 400, 10), 100*100/(2*10*.25*.75), "gain")
	check.Is(t, gain.GainOf(400, 0, 400, 400, 0, 400, 10), 0, "gain of a constant")
}
