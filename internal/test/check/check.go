// Package check holds tests to what they expect.
package check

import "github.com/google/go-cmp/cmp"

// TB is what tests of package testing and of rapid can do alike.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// OK ends the test where there is an error. Its caller is found only then: benchmarks call it in their loops.
func OK(tb TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

// Equal fails the test where values differ, and says how.
func Equal(tb TB, what string, got, want any, opts ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
