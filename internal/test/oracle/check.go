package oracle

import (
	"errors"
	"math"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/loglinear"
)

// Near checks a number, with a tolerance that is relative if the number exceeds 1.
func Near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	check.Near(t, got, want, tolerance*max(1, math.Abs(want)), "%s", what)
}

// WantUnsatisfiable checks for an *UnsatisfiableError that is proven.
func WantUnsatisfiable(t *testing.T, err error) {
	t.Helper()
	var unsatisfiable *loglinear.UnsatisfiableError
	if !errors.As(err, &unsatisfiable) {
		t.Fatalf("got error %v, want *UnsatisfiableError", err)
	}
	if !unsatisfiable.Proven {
		t.Errorf("got %v, want a proof", err)
	}
}
