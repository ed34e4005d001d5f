package gain_test

import (
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

// Rules of measures are columns of ones, also where there are too many columns for the whole Hessian.
func TestSquared_Ones(t *testing.T) {
	t.Parallel()
	check.Equal(t, "sum", gain.SquaredOnes([]uint32{0, 2}, []float64{1, 2, 4, 8}), 5.)
}
