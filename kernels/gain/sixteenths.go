package gain

import "slices"

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
