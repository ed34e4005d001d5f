package oracle

import (
	"errors"
	"math"
	"testing"

	"resolwe/kernels/loglinear"
)

// Near checks a number, with a tolerance that is relative if the number exceeds 1.
func Near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.14g, want %.14g", what, got, want)
	}
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
