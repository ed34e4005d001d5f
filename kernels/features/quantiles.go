package features

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Boundary separates numbers up to Below from those at or above From, the nearest numbers that occur.
type Boundary struct{ Below, From float64 }

// Quantiles returns the boundaries, ascending, that divide a sample into parts by rank; fewer than parts - 1 if equal values would be split.
// The values do not descend; times is how often each occurs, nil for once.
func Quantiles(values []float64, times []uint64, parts uint64) (out []Boundary) {
	occurs := func(i int) uint64 {
		if times == nil {
			return 1
		}
		return times[i]
	}
	total, before, first := uint64(0), uint64(0), uint64(0) // first: before the present value
	for i := range values {
		total += occurs(i)
	}
	for i, v := range values[:max(len(values)-1, 0)] {
		before += occurs(i)
		if v == values[i+1] {
			continue
		}
		if before*parts/total > first*parts/total {
			out = append(out, Boundary{v, values[i+1]})
		}
		first = before
	}
	return out
}

// Bin returns the number of boundaries up to a value.
func Bin(bounds []Boundary, v float64) int {
	n, _ := slices.BinarySearchFunc(bounds, v, func(b Boundary, v float64) int {
		if b.From <= v {
			return -1
		}
		return 1
	})
	return n
}

// Least returns the shortest decimal number above Below and at most From.
func (b Boundary) Least() float64 {
	return shortest(b.From, func(v float64) bool { return v > b.Below && v <= b.From })
}

// Most returns the shortest decimal number at least Below and less than From.
func (b Boundary) Most() float64 {
	return shortest(b.Below, func(v float64) bool { return v >= b.Below && v < b.From })
}

// shortest returns 0, or a multiple of the largest power of ten, that separates as well as v.
func shortest(v float64, divides func(float64) bool) float64 {
	if divides(0) {
		return 0
	}
	_, text, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	exponent, _ := strconv.Atoi(text)
	for k := exponent + 1; k > exponent-17; k-- {
		power, _ := strconv.ParseFloat(fmt.Sprint("1e", k), 64)
		times := math.Floor(v / power)
		for _, n := range [...]float64{times, times + 1, times - 1} {
			if short, err := strconv.ParseFloat(fmt.Sprintf("%.0fe%d", n, k), 64); err == nil && divides(short) {
				return short
			}
		}
	}
	return v
}
