package mcsat_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/mcsat"
)

// The marginals of replicas that plain sweeps settle in part are the same in any lanes and whatever their memory held before, each is
// within 7 standard errors of the enumerated one unless there are warnings, and what is sampled moves.
func TestMarginals_Tied_Concurrent(t *testing.T) {
	t.Parallel()
	const seed = 1
	var reused mcsat.Inference
	differ, never, partly, squares, n := 0, 0, 0, 0.0, 0
	networks := check.Networks(t, 8)
	for i := range networks {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		w, net, weights := oracle.Tied(r)
		truth := w.Marginals(weights)
		opt := mcsat.DefaultOptions()
		opt.Method, opt.Samples, opt.BurnIn, opt.Rounds, opt.Parallel = mcsat.MethodMCSAT, 100, 64, 2, atOnce
		want := ""
		for _, setup := range []struct {
			f     *mcsat.Inference
			lanes int
		}{{new(mcsat.Inference), 1}, {&reused, 1}, {&reused, 2 + r.IntN(14)}, {new(mcsat.Inference), 16}, {&reused, 16}} {
			opt.Lanes = func() int { return setup.lanes }
			m := modelOf(net, weights)
			p, errs := make([]float64, w.Atoms), make([]float64, w.Atoms)
			d, err := setup.f.Marginals(p, m, opt, sources(i, 16))
			check.OK(t, err)
			setup.f.Errors(errs)
			got := fmt.Sprint(p, errs, d)
			if want != "" {
				if got != want {
					differ++
				}
				continue
			}
			want = got
			for place, replicas := range m.Scope.Replicas {
				if replicas&1 == 0 && replicas != 0 && !m.Bilinear.Tied(uint32(place)) {
					partly++
					break
				}
			}
			for a, e := range errs {
				off := math.Abs(p[a] - truth[a])
				if e == 0 {
					if off > 1e-9 {
						never++
					}
					continue
				}
				z := off / e
				if squares, n = squares+z*z, n+1; z > 7 && !d.Any() {
					t.Errorf("seed %d, network %d, atom %d: got %v, want %v, with a standard error of %v", seed, i, a, p[a], truth[a], e)
				}
			}
		}
	}
	t.Logf("seed %d: %d networks, the first replica settled before others in %d; %d of %d runs differ; %d of %d atoms never moved; errors of %.2f standard errors",
		seed, networks, partly, differ, 4*networks, never, n, math.Sqrt(squares/float64(n)))
	check.Is(t, differ, 0, "seed %d, other marginals in other lanes", seed)
	check.Is(t, never, 0, "seed %d, sampled atoms that never moved", seed)
	check.AtMost(t, math.Sqrt(squares/float64(n)), 1.25, "seed %d, errors in standard errors", seed)
	check.AtLeast(t, partly, 1, "seed %d, networks of which plain sweeps settle the first replica but not another", seed)
}
