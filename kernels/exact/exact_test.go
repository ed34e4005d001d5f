package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

func TestExpectation_MatchesBruteForce(t *testing.T) {
	t.Parallel()
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m loglinear.Model // reused, as are the others: nothing may be left over
	var e exact.Expectation
	var inf mcsat.Inference
	for i := range 150 {
		w, weights := oracle.Random(r, 8+r.IntN(3), []float64{0.3, 1, 4, 60}[i%4], i%3 > 0)
		want := w.Enumerate(weights)
		m.Reset(w.Network(), weights)
		m.SetExact(20)
		err := e.Compute(&m, true)
		if want.States == 0 {
			oracle.WantUnsatisfiable(t, err)
			continue
		}
		check.OKf(t, err, "network %d", i)
		checkExpectation(t, i, &e, m.Net, weights, want)
		logZ := e.LogZ
		if check.OK(t, e.Compute(&m, false)); e.LogZ != logZ {
			t.Errorf("log Z alone: got %v, want %v", e.LogZ, logZ)
		}

		got := make([]float64, w.Atoms)
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodExact
		check.OK(t, check.Err(inf.Marginals(got, &m, opt, nil)))
		for a := range got {
			oracle.Near(t, "marginal", got[a], want.Marginals[a], 1e-10)
		}
		if t.Failed() {
			t.Fatalf("network %d: %d atoms, weights %v", i, w.Atoms, weights)
		}
	}
}

func checkExpectation(t *testing.T, i int, e *exact.Expectation, net *network.Network, weights []float64, want oracle.Truth) {
	t.Helper()
	logZ := e.LogZ
	for f, n := range net.Constant {
		logZ += weights[f] * float64(n)
		oracle.Near(t, "mean", e.Mean[f]+float64(n), want.Mean[f], 1e-10)
		for g := range net.Constant {
			oracle.Near(t, "covariance", e.Cov[f*len(net.Constant)+g], want.Cov[f][g], 1e-9)
		}
	}
	oracle.Near(t, "log Z", logZ, want.LogZ, 1e-10)
	if t.Failed() {
		t.Fatalf("network %d", i)
	}
}

// Weights far beyond what exp can hold must not overflow, and the state of most energy must win.
func TestExpectation_HugeWeights(t *testing.T) {
	t.Parallel()
	for _, weight := range []float64{1e3, 1e6, mln.MaxWeight} {
		w := oracle.New(4, 1)
		for a := range 4 {
			w.And(0, 3, oracle.Pos(a))
			w.And(0, 3, oracle.Pos(a), oracle.Pos((a+1)%4), oracle.Pos((a+2)%4))
		}
		var m loglinear.Model
		m.Reset(w.Network(), []float64{weight})
		m.SetExact(20)
		var e exact.Expectation
		check.OK(t, e.Compute(&m, true))
		oracle.Near(t, "mean", e.Mean[0], 24, 1e-12)
	}
}

func ExampleExpectation_Compute() {
	var model loglinear.Model
	model.Reset(oracle.Friends(), []float64{-1, 2})
	model.SetExact(20)

	var expectation exact.Expectation
	if err := expectation.Compute(&model, true); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("log Z %.3f, expected counts %.3f\n", expectation.LogZ, expectation.Mean)
	// Output:
	// log Z 1.721, expected counts [2.355 1.330]
}
