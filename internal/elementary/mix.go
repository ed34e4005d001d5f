package elementary

// Golden is the number that SplitMix64 adds to its state in each step: 2^64 divided by the golden ratio.
const Golden = 0x9e3779b97f4a7c15

// Mix maps neighbouring numbers to unrelated ones, and different numbers to different ones (a step of SplitMix64; Steele, Lea and
// Flood, 2014).
func Mix(x uint64) uint64 {
	x += Golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns the FNV-1a hash of a text, of 64 bits.
func Hash[T string | []byte](text T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// Dot returns the inner product of two vectors of equal length, with independent chains of additions.
func Dot(x, y []float64) float64 {
	var a, b, c, d float64
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + b) + (c + d)
}

// Add adds a vector to another, which is not shorter.
func Add[T float64 | uint64](to, more []T) {
	for i, v := range more {
		to[i] += v
	}
}

// Sigmoid returns the probability of log-odds.
func Sigmoid(z float64) float64 { return 1 / (1 + Exp(-z)) }
