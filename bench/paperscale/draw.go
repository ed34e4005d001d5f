package paperscale

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
)

// Streams of random numbers, one for each step, so that no step depends on how much another draws.
const (
	streamArticles = iota + 1
	streamLinks
	streamSimilarity
	streamCategory
	streamExternal
	streamEditors
	streamTalk
	streamNames
	streamNetwork
	streamTaggings
	streamStrangers
)

func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// mix turns neighbouring numbers into unrelated ones (the finalizer of SplitMix64, Steele et al. 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// powerLaw is a distribution over the ranks 0..n-1 with a density proportional to (x + offset)^-exponent at x = rank/n.
// The shape does not depend on n; the offset bounds the share of the first ranks.
type powerLaw struct {
	n                int
	offset, from, to float64
	inverse          float64
}

// newPowerLaw requires an exponent below 1.
func newPowerLaw(n int, exponent, offset float64) powerLaw {
	return powerLaw{
		n: n, offset: offset,
		from: elementary.Pow(offset, 1-exponent), to: elementary.Pow(1+offset, 1-exponent), inverse: 1 / (1 - exponent),
	}
}

// rank draws by inversion of the distribution function.
func (p powerLaw) rank(r *rand.Rand) int {
	x := elementary.Pow(p.from+float64(r.Float64()*(p.to-p.from)), p.inverse) - p.offset
	return min(int(x*float64(p.n)), p.n-1)
}

// pareto draws a number of at least 1 with P(X > x) = x^-alpha, cut off at most.
func pareto(r *rand.Rand, alpha, most float64) float64 {
	return min(elementary.Pow(1-float64(r.Float64()), -1/alpha), most)
}

// geometric draws a whole number of at least 0 with the given mean.
func geometric(r *rand.Rand, mean float64) int {
	return int(elementary.Log(1-float64(r.Float64())) / elementary.Log(mean/(mean+1)))
}

func chance(r *rand.Rand, p float64) bool { return r.Float64() < p }

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// apportion shares total out in proportion to the weights, each share between least and most. The shares sum to total
// where least*n <= total <= most*n.
func apportion(weights []float64, total, least, most int) []int32 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	unit := float64(total-least*len(weights)) / sum
	shares := make([]int32, len(weights))
	left := total
	for i, w := range weights {
		share := least + int(min(w*unit, float64(most-least)))
		shares[i] = int32(share)
		left -= share
	}
	// Rounding and the upper bound leave some, which goes round one by one.
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

// permutation is a shuffle of 0..n-1.
func permutation(r *rand.Rand, n int) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	r.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}
