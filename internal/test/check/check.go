// Package check provides assertions for tests.
package check

import "github.com/google/go-cmp/cmp"

// TB is the part common to tests of package testing and of rapid.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// OK ends the test if there is an error. It looks up its caller only then, because benchmarks call it in their loops.
func OK(tb TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

// Equal fails the test if values differ, and shows how.
func Equal(tb TB, what string, got, want any, opts ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
