package gain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Boundary divides numbers into those up to Below and those from From on, the nearest that occur.
type Boundary struct{ Below, From float64 }

// Sixteenths returns the boundaries, ascending, that divide a sample into sixteen parts by rank: at most 15, as equal values stay
// together. The values ascend, and each occurs so many times.
func Sixteenths(values []float64, times []uint64) (out []Boundary) {
	total, before := uint64(0), uint64(0)
	for _, n := range times {
		total += n
	}
	for i, v := range values[:max(len(values)-1, 0)] {
		first := before * 16 / max(total, 1)
		if before += times[i]; before*16/max(total, 1) > first {
			out = append(out, Boundary{v, values[i+1]})
		}
	}
	return out
}

// runs returns the different values of a list, ascending, and how many times each occurs. It sorts the list.
func runs(values []float64) (different []float64, times []uint64) {
	slices.Sort(values)
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			different, times = append(different, v), append(times, 0)
		}
		times[len(times)-1]++
	}
	return different, times
}

// from returns the shortest decimal number above Below, up to From.
func (b Boundary) from() float64 {
	return shortest(b.From, func(v float64) bool { return v > b.Below && v <= b.From })
}

// below returns the shortest decimal number from Below on, below From.
func (b Boundary) below() float64 {
	return shortest(b.Below, func(v float64) bool { return v >= b.Below && v < b.From })
}

// shortest returns 0, or a multiple of the greatest power of ten, that divides as well as v does.
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
