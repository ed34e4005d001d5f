package draw_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"resolwe/bench/draw"
	"resolwe/internal/test/check"
)

func TestApportion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0.001, 1e6), 1, 50).Draw(t, "weights")
		least := rapid.IntRange(0, 5).Draw(t, "least")
		most := rapid.IntRange(least, 1000).Draw(t, "most")
		total := rapid.IntRange(least*len(weights), most*len(weights)).Draw(t, "total")
		sum := 0
		for i, share := range draw.Apportion(weights, total, least, most) {
			sum += int(share)
			if int(share) < least || int(share) > most {
				t.Fatalf("share %d: got %d, want %d to %d", i, share, least, most)
			}
		}
		check.MustIs(t, sum, total, "sum")
	})
}

// The ranks drawn have the distribution function that the density implies.
func TestPowerLaw(t *testing.T) {
	t.Parallel()
	const seed, draws, n, exponent, offset = 1, 200_000, 1000, 0.7, 0.01
	counts := make([]int, n)
	r, law := draw.New(seed, 0), draw.NewPowerLaw(n, exponent, offset)
	for range draws {
		counts[law.Rank(r)]++
	}
	below := 0
	for rank, count := range counts {
		below += count
		integral := func(x float64) float64 { return math.Pow(x+offset, 1-exponent) - math.Pow(offset, 1-exponent) }
		want := integral(float64(rank+1)/n) / integral(1)
		check.MustNear(t, float64(below)/draws, want, 4*math.Sqrt(want*(1-want)/draws)+1e-9, "seed %d: P(rank <= %d)", seed, rank)
	}
}

func TestDraws_HaveTheirMeans(t *testing.T) {
	t.Parallel()
	const seed, draws = 1, 200_000
	r := draw.New(seed, 0)
	for _, want := range []float64{0.3, 1, 3.7} {
		sum := 0
		for range draws {
			sum += r.Geometric(want)
		}
		check.Near(t, float64(sum)/draws, want, 0.05, "seed %d: geometric, mean", seed)
	}
	above := 0
	for range draws {
		if r.Pareto(1.5, 1e3) > 4 {
			above++
		}
	}
	check.Near(t, float64(above)/draws, math.Pow(4, -1.5), 0.003, "seed %d: P(Pareto > 4)", seed)
}
