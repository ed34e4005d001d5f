package mcsat_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

func TestExpectation_MatchesBruteForce(t *testing.T) {
	t.Parallel()
	const seed = 1
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m mcsat.Model // reused, as are the others: nothing may be left over
	var e mcsat.Expectation
	var inf mcsat.Inference
	for i := range 150 {
		w, weights := randomWorld(r, 8+r.IntN(3), []float64{0.3, 1, 4, 60}[i%4], i%3 > 0)
		want := w.enumerate(weights)
		m.Reset(w.network(), weights)
		m.SetExact(20)
		err := e.Compute(&m, true)
		if want.states == 0 {
			wantUnsatisfiable(t, err)
			continue
		}
		if err != nil {
			t.Fatalf("network %d: %v", i, err)
		}
		checkExpectation(t, i, &e, m.Network(), weights, want)
		if err := e.Compute(&m, false); err != nil {
			t.Fatal(err)
		}
		near(t, "mean without covariance", e.Mean[1]+float64(m.Network().Constant[1]), want.mean[1], 1e-10)

		got := make([]float64, w.atoms)
		opt := mcsat.DefaultOptions()
		opt.Method = mcsat.MethodExact
		if _, err := inf.Marginals(got, &m, opt, nil); err != nil {
			t.Fatal(err)
		}
		for a := range got {
			near(t, "marginal", got[a], want.marginals[a], 1e-10)
		}
		if t.Failed() {
			t.Fatalf("network %d: %d atoms, weights %v", i, w.atoms, weights)
		}
	}
}

func checkExpectation(t *testing.T, i int, e *mcsat.Expectation, net *ground.Network, weights []float64, want truth) {
	t.Helper()
	logZ := e.LogZ
	for f, n := range net.Constant {
		logZ += weights[f] * float64(n)
		near(t, "mean", e.Mean[f]+float64(n), want.mean[f], 1e-10)
		for g := range net.Constant {
			near(t, "covariance", e.Cov[f*len(net.Constant)+g], want.cov[f][g], 1e-9)
		}
	}
	near(t, "log Z", logZ, want.logZ, 1e-10)
	if t.Failed() {
		t.Fatalf("network %d", i)
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*max(1, math.Abs(want))) {
		t.Errorf("%s: got %.14g, want %.14g", what, got, want)
	}
}

func wantUnsatisfiable(t *testing.T, err error) {
	t.Helper()
	var unsatisfiable *mcsat.UnsatisfiableError
	if !errors.As(err, &unsatisfiable) {
		t.Fatalf("got error %v, want *UnsatisfiableError", err)
	}
	if !unsatisfiable.Proven {
		t.Errorf("got %v, want a proof", err)
	}
}

func TestExpectation_PublishedNetworks(t *testing.T) {
	t.Parallel()
	for _, b := range benches() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			if b.exact == nil {
				b.exact = b.world.enumerate(b.weights).marginals
			}
			var m mcsat.Model
			m.Reset(b.world.network(), b.weights)
			got := make([]float64, b.world.atoms)
			d, err := new(mcsat.Inference).Marginals(got, &m, mcsat.DefaultOptions(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if d.Exact != b.world.atoms || d.Sampled != 0 {
				t.Errorf("got %d exact and %d sampled, want all exact", d.Exact, d.Sampled)
			}
			for a := range got {
				near(t, "marginal", got[a], b.exact[a], 1e-12)
			}
		})
	}
}

// Weights far beyond what exp can hold must not overflow, and the state of most energy must win.
func TestExpectation_HugeWeights(t *testing.T) {
	t.Parallel()
	for _, weight := range []float64{1e3, 1e6, 1e200, math.MaxFloat64} {
		w := newWorld(4, 1)
		for a := range 4 {
			w.and(0, 3, pos(a))
			w.and(0, 3, pos(a), pos((a+1)%4), pos((a+2)%4))
		}
		var m mcsat.Model
		m.Reset(w.network(), []float64{weight})
		m.SetExact(20)
		var e mcsat.Expectation
		if err := e.Compute(&m, false); err != nil {
			t.Fatal(err)
		}
		near(t, "mean", e.Mean[0], 24, 1e-12)
	}
}

func TestModel_Components(t *testing.T) {
	t.Parallel()
	w := newWorld(9, 2)
	w.and(0, 1, pos(5), pos(0)) // tied, though its weight is 0
	w.and(1, 1, pos(8))
	w.hardClause(pos(2), neg(7))
	w.feature(1, 1, node(ground.OpOr, leaf(pos(7)), leaf(pos(3))))
	w.and(1, 1, neg(1), pos(4), pos(6))
	var m mcsat.Model
	m.Reset(w.network(), []float64{0, 1})
	want := [][]uint32{{0, 5}, {1, 4, 6}, {2, 3, 7}, {8}}
	if got := m.NumComponents(); got != len(want) {
		t.Fatalf("got %d components, want %d", got, len(want))
	}
	for c := range want {
		if diff := diffOf(m.Component(c), want[c]); diff != "" {
			t.Errorf("component %d: %s", c, diff)
		}
	}
	if diff := diffOf(m.SampledAtoms(), []uint32{0, 1, 2, 3, 4, 5, 6, 7}); diff != "" {
		t.Errorf("sampled by default: %s", diff)
	}
	m.SetExact(2)
	if diff := diffOf(m.SampledAtoms(), []uint32{1, 2, 3, 4, 6, 7}); diff != "" {
		t.Errorf("sampled beyond 2: %s", diff)
	}
	m.SetExact(0)
	if got := len(m.SampledAtoms()); got != 9 {
		t.Errorf("sampled beyond 0: got %d atoms, want 9", got)
	}
}

func TestMarginals_Errors(t *testing.T) {
	t.Parallel()
	ring := newWorld(mcsat.ExactLimit+1, 1)
	for a := range ring.atoms {
		ring.and(0, 1, pos(a), pos((a+1)%ring.atoms))
	}
	var m mcsat.Model
	m.Reset(ring.network(), []float64{1})
	var inf mcsat.Inference
	dst := make([]float64, ring.atoms)
	opt := mcsat.DefaultOptions()

	opt.Method = mcsat.MethodExact
	_, err := inf.Marginals(dst, &m, opt, nil)
	var size *mcsat.SizeError
	if !errors.As(err, &size) || size.Atoms != ring.atoms || size.Limit != mcsat.ExactLimit {
		t.Errorf("got error %v, want *SizeError", err)
	}

	opt = mcsat.DefaultOptions()
	_, err = inf.Marginals(dst, &m, opt, nil)
	var option *mcsat.OptionError
	if !errors.As(err, &option) || option.Option != "chains" {
		t.Errorf("got error %v, want *OptionError of chains", err)
	}
	opt.Samples = 0
	if _, err = inf.Marginals(dst, &m, opt, nil); !errors.As(err, &option) || option.Option != "samples" {
		t.Errorf("got error %v, want *OptionError of samples", err)
	}

	stopped := errors.New("stopped")
	opt = mcsat.DefaultOptions()
	opt.Stop = func() error { return stopped }
	if _, err = inf.Marginals(dst, &m, opt, []*rand.Rand{rand.New(rand.NewPCG(1, 1))}); !errors.Is(err, stopped) {
		t.Errorf("got error %v, want that of Stop", err)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	const seed = 2
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		w, _ := randomWorld(r, 9, 1, false)
		net := w.network()
		x := make([]bool, w.atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		want := w.counts(x)
		got := make([]int64, w.formulas)
		if err := mcsat.Counts(got, net, x); err != nil {
			t.Fatal(err)
		}
		if diff := diffOf(got, want); diff != "" {
			t.Fatal(diff)
		}
		sums := make([]float64, w.formulas)
		mcsat.AddCounts(sums, net, x)
		for i, n := range want {
			if sums[i] != float64(n-net.Constant[i]) {
				t.Fatalf("formula %d: got %v, want %v", i, sums[i], n-net.Constant[i])
			}
		}
	}
}

func TestCounts_Overflow(t *testing.T) {
	t.Parallel()
	w := newWorld(2, 2)
	w.and(1, math.MaxInt64, pos(0))
	w.and(1, math.MaxInt64, pos(1))
	w.and(1, -math.MaxInt64, pos(0), pos(1))
	dst := make([]int64, 2)
	if err := mcsat.Counts(dst, w.network(), []bool{true, true}); err != nil || dst[1] != math.MaxInt64 {
		t.Errorf("got %d, %v, want a sum that fits though its parts do not", dst[1], err)
	}
	w.and(0, math.MaxInt64, pos(0))
	w.and(0, 1, pos(1))
	err := mcsat.Counts(dst, w.network(), []bool{true, true})
	var overflow *mcsat.OverflowError
	if !errors.As(err, &overflow) || overflow.Formula != 0 {
		t.Errorf("got error %v, want *OverflowError of formula 0", err)
	}
}

func TestConditionals_MatchDefinition(t *testing.T) {
	t.Parallel()
	const seed = 3
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var m mcsat.Model
	var c mcsat.Conditionals
	for range 60 {
		w, weights := randomWorld(r, 9, 1, false)
		m.Reset(w.network(), weights)
		m.SetExact(0)
		x := make([]bool, w.atoms)
		for a := range x {
			x[a] = r.IntN(2) == 0
		}
		visits := uint32(0)
		c.Visit(&m, x, func(atom uint32, p float64, formulas []uint32, values []float64) {
			if atom != visits {
				t.Fatalf("got atom %d, want %d", atom, visits)
			}
			visits++
			y := append([]bool(nil), x...)
			y[atom] = true
			on := w.counts(y)
			y[atom] = false
			off := w.counts(y)
			got := make([]float64, w.formulas)
			for k, f := range formulas {
				got[f] = values[k]
			}
			h := 0.0
			for f := range on {
				if want := float64(on[f] - off[f]); got[f] != want {
					t.Fatalf("atom %d, formula %d: got %v, want %v", atom, f, got[f], want)
				}
				h += weights[f] * got[f]
			}
			near(t, "conditional", p, 1/(1+math.Exp(-h)), 1e-12)
		})
		if int(visits) != w.atoms {
			t.Fatalf("got %d atoms, want %d", visits, w.atoms)
		}
	}
}

func TestParseMethod(t *testing.T) {
	t.Parallel()
	for m := mcsat.MethodAuto; m <= mcsat.MethodExact; m++ {
		var got mcsat.Method
		if err := got.UnmarshalText([]byte(m.String())); err != nil || got != m {
			t.Errorf("%v: got %v, %v", m, got, err)
		}
	}
	_, err := mcsat.ParseMethod("magic")
	var method *mcsat.MethodError
	if !errors.As(err, &method) || method.Name != "magic" {
		t.Errorf("got error %v, want *MethodError", err)
	}
}
