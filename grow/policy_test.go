package grow_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/grow"
	"resolwe/internal/test/check"
	kernel "resolwe/kernels/grow"
)

// Within a budget the rule with the best held-out figure is taken, however little it spends; of equal ones the cheapest. Later look-ups
// here cost more and may harm.
func TestPolicy_Budget(t *testing.T) {
	t.Parallel()
	cheaper := 0
	for range 60 {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 0))
		var traces []*kernel.Trace
		const steps = 4
		use := [steps + 1]float64{}
		for k := range steps {
			use[k+1] = use[k] + r.NormFloat64()/4
		}
		full := 0.
		for i := range 80 {
			x := &kernel.Trace{Fold: i % kernel.Folds, Atoms: 3, Ranked: true}
			hard := r.Float64()
			for k := range steps + 1 {
				p := kernel.Point{AP: .5 + float64(use[k]*hard/4) + r.NormFloat64()/40, CLL: -1 + float64(use[k]*hard)}
				p.Cost, p.Features[kernel.Pending] = float64(k), hard
				x.Points = append(x.Points, p)
			}
			full += steps
			traces = append(traces, x)
		}
		for _, loss := range []kernel.Loss{kernel.LossAP, kernel.LossCLL} {
			_, stops := kernel.Sweep(traces, loss)
			budget := .3 + r.Float64()*.7
			best, at, dearest := 0., -1., 0.
			for _, s := range append(stops, everywhere(len(traces), steps)) {
				cost, value := 0., 0.
				for i, x := range traces {
					p := x.Points[s[i]]
					cost += p.Cost
					if value += p.AP; loss == kernel.LossCLL {
						value += p.CLL - p.AP
					}
				}
				if cost > budget*full {
					continue
				}
				dearest = max(dearest, cost)
				if at < 0 || value > best+1e-9 {
					best, at = value, cost
				}
			}
			got := grow.Induce(traces, loss, budget)
			value := got.MAP
			if loss == kernel.LossCLL {
				value = got.CLL
			}
			if n := float64(len(traces)); at >= 0 && (value*n < best-1e-9 || got.Cost*n > budget*full+1e-9) {
				t.Errorf("seed %d: got %v at %v, want %v at %v", seed, value*n, got.Cost*n, best, at)
			}
			if at < dearest {
				cheaper++
			}
		}
	}
	check.AtLeast(t, cheaper, 10, "budgets within which the dearest rule is not the best")
}

// everywhere returns stops after the same step.
func everywhere(n, step int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = step
	}
	return out
}
