// Package check provides assertions for tests. What describes a case, a format and its values, is formatted only where a
// check fails; those of a Must function end the test.
package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// TB is the part common to tests of package testing and of rapid.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// OK ends the test if there is an error. It looks up its caller only then, because benchmarks call it in their loops.
func OK(tb TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatal(err)
	}
}

// OKf ends the test if there is an error, and says in which case.
func OKf(tb TB, err error, what string, args ...any) {
	if err != nil {
		tb.Helper()
		tb.Fatalf("%s: %v", fmt.Sprintf(what, args...), err)
	}
}

// Is fails the test if values differ.
func Is[T comparable](tb TB, got, want T, what string, args ...any) {
	if got != want {
		tb.Helper()
		tb.Errorf("%s", differ(got, want, what, args))
	}
}

// MustIs ends the test if values differ.
func MustIs[T comparable](tb TB, got, want T, what string, args ...any) {
	if got != want {
		tb.Helper()
		tb.Fatal(differ(got, want, what, args))
	}
}

// Slices fails the test if elements differ.
func Slices[T comparable](tb TB, got, want []T, what string, args ...any) {
	if !slices.Equal(got, want) {
		tb.Helper()
		tb.Errorf("%s", differ(got, want, what, args))
	}
}

// MustSlices ends the test if elements differ.
func MustSlices[T comparable](tb TB, got, want []T, what string, args ...any) {
	if !slices.Equal(got, want) {
		tb.Helper()
		tb.Fatal(differ(got, want, what, args))
	}
}

// Near fails the test if a number is not within the tolerance.
func Near(tb TB, got, want, tolerance float64, what string, args ...any) {
	if !near(got, want, tolerance) {
		tb.Helper()
		tb.Errorf("%s within %v", differ(got, want, what, args), tolerance)
	}
}

// MustNear ends the test if a number is not within the tolerance.
func MustNear(tb TB, got, want, tolerance float64, what string, args ...any) {
	if !near(got, want, tolerance) {
		tb.Helper()
		tb.Fatalf("%s within %v", differ(got, want, what, args), tolerance)
	}
}

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func differ(got, want any, what string, args []any) string {
	what = fmt.Sprintf(what, args...)
	g, w := fmt.Sprint(got), fmt.Sprint(want)
	switch _, text := got.(string); {
	case strings.Contains(g+w, "\n"):
		return fmt.Sprintf("%s: got\n%s\nwant\n%s", what, g, w)
	case text:
		return fmt.Sprintf("%s: got %q, want %q", what, g, w)
	}
	return fmt.Sprintf("%s: got %+v, want %+v", what, got, want)
}

// Equal fails the test if values differ, and shows how.
func Equal(tb TB, what string, got, want any, opts ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// MustEqual ends the test if values differ, and shows how.
func MustEqual(tb TB, what string, got, want any, opts ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		tb.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// ErrorIs fails the test if an error is another than wanted.
func ErrorIs(tb TB, err, want error, what string, args ...any) {
	if !errors.Is(err, want) {
		tb.Helper()
		tb.Errorf("%s: got error %v, want %v", fmt.Sprintf(what, args...), err, want)
	}
}

// ErrorAs returns an error of type E, and ends the test if there is another or none.
func ErrorAs[E error](tb TB, err error, what string, args ...any) E {
	e, ok := errors.AsType[E](err)
	if !ok {
		tb.Helper()
		tb.Fatalf("%s: got error %v, want a %T", fmt.Sprintf(what, args...), err, e)
	}
	return e
}
