// Package check provides assertions for tests. What describes a case, a format and its values, is formatted only where a
// check fails; those of a Must function end the test.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	diff "github.com/google/go-cmp/cmp"
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

// Contains fails the test if a text lacks a part.
func Contains(tb TB, text, part, what string, args ...any) {
	if !strings.Contains(text, part) {
		tb.Helper()
		tb.Errorf("%s: got\n%s\nwant %q in it", fmt.Sprintf(what, args...), text, part)
	}
}

// Empty fails the test if there are elements.
func Empty[T any](tb TB, got []T, what string, args ...any) {
	if len(got) > 0 {
		tb.Helper()
		tb.Errorf("%s: got %v, want none", fmt.Sprintf(what, args...), got)
	}
}

// AtLeast fails the test if a value is less than a bound.
func AtLeast[T cmp.Ordered](tb TB, got, least T, what string, args ...any) {
	if got >= least { // not if it is NaN
		return
	}
	tb.Helper()
	tb.Errorf("%s: got %v, want at least %v", fmt.Sprintf(what, args...), got, least)
}

// MustAtLeast ends the test if a value is less than a bound.
func MustAtLeast[T cmp.Ordered](tb TB, got, least T, what string, args ...any) {
	if got >= least { // not if it is NaN
		return
	}
	tb.Helper()
	tb.Fatalf("%s: got %v, want at least %v", fmt.Sprintf(what, args...), got, least)
}

// AtMost fails the test if a value is more than a bound.
func AtMost[T cmp.Ordered](tb TB, got, most T, what string, args ...any) {
	if got <= most { // not if it is NaN
		return
	}
	tb.Helper()
	tb.Errorf("%s: got %v, want at most %v", fmt.Sprintf(what, args...), got, most)
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
func Equal(tb TB, what string, got, want any, opts ...diff.Option) {
	tb.Helper()
	NoDiff(tb, diff.Diff(want, got, opts...), "%s (-want +got)", what)
}

// MustEqual ends the test if values differ, and shows how.
func MustEqual(tb TB, what string, got, want any, opts ...diff.Option) {
	tb.Helper()
	MustNoDiff(tb, diff.Diff(want, got, opts...), "%s (-want +got)", what)
}

// NoDiff fails the test if there is a difference, and prints it.
func NoDiff(tb TB, difference, what string, args ...any) {
	if difference != "" {
		tb.Helper()
		tb.Errorf("%s:\n%s", fmt.Sprintf(what, args...), difference)
	}
}

// MustNoDiff ends the test if there is a difference, and prints it.
func MustNoDiff(tb TB, difference, what string, args ...any) {
	if difference != "" {
		tb.Helper()
		tb.Fatalf("%s:\n%s", fmt.Sprintf(what, args...), difference)
	}
}

// Err returns the error of a call that has one more result.
func Err[T any](_ T, err error) error { return err }

// Fails fails the test if there is no error.
func Fails(tb TB, err error, what string, args ...any) {
	if err == nil {
		tb.Helper()
		tb.Errorf("%s: got no error", fmt.Sprintf(what, args...))
	}
}

// ErrorIs fails the test if an error is another than wanted.
func ErrorIs(tb TB, err, want error, what string, args ...any) {
	if !errors.Is(err, want) {
		tb.Helper()
		tb.Errorf("%s: got %v, want %v", fmt.Sprintf(what, args...), err, want)
	}
}

// ErrorAs returns an error of type E, and ends the test if there is another or none.
func ErrorAs[E error](tb TB, err error, what string, args ...any) E {
	e, ok := errors.AsType[E](err)
	if !ok {
		tb.Helper()
		tb.Fatalf("%s: got %v, want a %T", fmt.Sprintf(what, args...), err, e)
	}
	return e
}

// Networks returns how many random networks a test tries: as the environment variable NETWORKS says, otherwise few.
func Networks(tb TB, few int) int {
	tb.Helper()
	text := os.Getenv("NETWORKS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	OKf(tb, err, "NETWORKS")
	return n
}
