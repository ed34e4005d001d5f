package mcsat_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/mcsat"
)

// Information is the sum of the outer products of the conditional distributions that Visit shows, whichever way it goes.
func TestInformation_MatchesVisit(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]drawing{
		"bare": bareMeetings, "mixed": meetings, "bare copies": bareCopies, "mixed copies": copiedMeetings,
		"tied copies": tiedCopies,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var x mcsat.Information
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 47))
				net, _, weights := draw(r, 12, 0.3)
				var m mcsat.Model
				m.Reset(net, weights)
				m.SetExact(0)
				var c mcsat.Chain
				if err := c.Start(&m, make([]bool, 12), mcsat.DefaultOptions(), r); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					c.Step(r)
				}
				weights[r.IntN(len(weights))] += 0.1
				m.SetWeights(weights) // which the chain has not seen
				n := len(weights)
				got, want := make([]float64, n*n), make([]float64, n*n)
				got[0], want[0] = 1, 1
				x.Add(got, &c)
				new(mcsat.Conditionals).Visit(&m, c.State(), func(_ uint32, p float64, formulas []uint32, values []float64) {
					for j, a := range formulas {
						for k, b := range formulas {
							want[int(a)*n+int(b)] += p * (1 - p) * values[j] * values[k]
						}
					}
				})
				for i, v := range want {
					if math.Abs(got[i]-v) > 1e-7*max(1, math.Abs(v)) {
						t.Fatalf("seed %d, formulas %d and %d: got %v, want %v", seed, i/n, i%n, got[i], v)
					}
				}
			}
		})
	}
}
