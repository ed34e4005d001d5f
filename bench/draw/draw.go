// Package draw draws from the distributions that data generators need, with the same numbers on any processor.
package draw

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
)

// Source is a source of random numbers.
type Source struct{ *rand.Rand }

// New returns the source for a seed and a stream. Different seeds or streams give unrelated numbers.
func New(seed, stream uint64) Source { return Source{rand.New(rand.NewPCG(seed, stream))} }

// Chance draws true with the given probability.
func (s Source) Chance(p float64) bool { return s.Float64() < p }

// Pick draws an element of a list.
func Pick[T any](s Source, from []T) T { return from[s.IntN(len(from))] }

// Geometric draws an integer of at least 0 with the given mean.
func (s Source) Geometric(mean float64) int {
	return int(elementary.Log(1-float64(s.Float64())) / elementary.Log(mean/(mean+1)))
}

// Pareto draws a number of at least 1 with P(X > x) = x^-alpha, capped at most.
func (s Source) Pareto(alpha, most float64) float64 {
	return min(elementary.Pow(1-float64(s.Float64()), -1/alpha), most)
}

// Permutation draws a shuffle of 0..n-1.
func (s Source) Permutation(n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	s.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// PowerLaw is a distribution over the ranks 0..n-1 with a density proportional to (x + offset)^-exponent at x = rank/n.
// The shape does not depend on n; the offset bounds the share of the first ranks.
type PowerLaw struct {
	n                         int
	offset, from, to, inverse float64
}

// NewPowerLaw requires an exponent below 1.
func NewPowerLaw(n int, exponent, offset float64) PowerLaw {
	return PowerLaw{n, offset, elementary.Pow(offset, 1-exponent), elementary.Pow(1+offset, 1-exponent), 1 / (1 - exponent)}
}

// Rank draws a rank, by inverting the distribution function.
func (p PowerLaw) Rank(s Source) int {
	x := elementary.Pow(p.from+float64(s.Float64()*(p.to-p.from)), p.inverse) - p.offset
	return min(int(x*float64(p.n)), p.n-1)
}

// Apportion divides total in proportion to the weights, with each share between least and most. The shares sum to total if least*n
// <= total <= most*n.
func Apportion(weights []float64, total, least, most int) []int32 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	unit := float64(total-least*len(weights)) / sum
	shares, left := make([]int32, len(weights)), total
	for i, w := range weights {
		share := least + int(min(w*unit, float64(most-least)))
		shares[i] = int32(share)
		left -= share
	}
	// Rounding and the upper bound leave a remainder, which is distributed one by one.
	for room := true; left > 0 && room; {
		room = false
		for i := range shares {
			if left > 0 && int(shares[i]) < most {
				shares[i]++
				left--
				room = true
			}
		}
	}
	return shares
}
