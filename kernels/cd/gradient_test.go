package cd_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/mcsat"
	"resolwe/kernels/network"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-8*max(1, math.Abs(b)) }

// Exact gradients, information and likelihoods are those of enumeration.
func TestWorker_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Shapes: seed%2 == 1, MaxAtoms: 8})
		fs := c.Model.Formulas
		r := rand.New(rand.NewPCG(seed, 52))
		weights := make([]float64, len(fs))
		for i := range weights {
			weights[i] = 2 * r.NormFloat64()
		}
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
		for i, ex := range grounded(t, c) {
			world := c.World(i)
			var g cd.Gradient
			check.OK(t, w.Gradient(&g, ex, weights, nil, nil))
			d, err := world.Enumerate(fs, weights, oracle.Rules{})
			check.OK(t, err)
			mean, cov := d.Mean(), d.Covariance()
			for a, n := range world.Values(fs) {
				if want := n - mean[a]; !near(g.Value[a], want) {
					t.Fatalf("seed %d, gradient of formula %d: got %v, want %v\n%s", seed, a, g.Value[a], want, c.Text)
				}
				for b := range fs {
					if got := g.Information[a*len(fs)+b]; !near(got, cov[a][b]) {
						t.Fatalf("seed %d, information of %d and %d: got %v, want %v\n%s", seed, a, b, got, cov[a][b], c.Text)
					}
				}
			}
			want, err := oracle.LogLikelihood(world, fs, weights)
			check.OK(t, err)
			got, ok, err := w.LogLikelihood(ex, weights, 20, nil)
			if err != nil || !ok || !near(got, want) {
				t.Fatalf("seed %d, log-likelihood: got %v, %t, %v, want %v\n%s", seed, got, ok, err, want, c.Text)
			}
			checkSlope(t, seed, w, ex, weights, &g)
		}
	}
}

// checkSlope holds a gradient against the likelihood's differences.
func checkSlope(t *testing.T, seed uint64, w *cd.Worker, ex *cd.Example, weights []float64, g *cd.Gradient) {
	t.Helper()
	const h = 1e-4
	for i := range weights {
		at := func(d float64) float64 {
			moved := slices.Clone(weights)
			moved[i] += d
			ll, _, err := w.LogLikelihood(ex, moved, 20, nil)
			check.OK(t, err)
			return ll
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(g.Value[i]-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("seed %d, slope of formula %d: got %v, want %v", seed, i, g.Value[i], want)
		}
	}
}

// Sampled gradients have the exact ones as their mean, once the chain has forgotten where it began.
func TestWorker_SampledMean(t *testing.T) {
	t.Parallel()
	exs := grounded(t, jointest.LoadCase(t, "testdata/links"))
	weights := []float64{0.6, 1.3, 1.1, -1.1, -1.6}
	exact := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT, MaxExact: 20})
	for _, sampler := range []mcsat.Method{mcsat.MethodMCSAT, mcsat.MethodGibbs} {
		sampled := cd.NewWorker(cd.Options{Samples: 20000, Sampler: sampler})
		for i, ex := range exs[:2] {
			var got, want cd.Gradient
			state := slices.Clone(ex.Data)
			check.OK(t, sampled.Gradient(&got, ex, weights, state, rand.New(rand.NewPCG(1, uint64(i)))))
			check.OK(t, exact.Gradient(&want, ex, weights, nil, nil))
			for k := range weights {
				check.Near(t, got.Value[k], want.Value[k], 0.3, "%v, subgraph %d, formula %d", sampler, i, k)
			}
		}
	}
}

// An example that was prepared, in memory that others have used, has the gradient that it has without.
func TestWorker_Prepared(t *testing.T) {
	t.Parallel()
	weights := []float64{0.6, 1.3, 1.1, -1.1, -1.6}
	for name, opt := range map[string]cd.Options{
		"exact": {Samples: 2, Sampler: mcsat.MethodMCSAT, MaxExact: 20},
		"mcsat": {Samples: 5, Sampler: mcsat.MethodMCSAT},
		"gibbs": {Samples: 5, Sampler: mcsat.MethodGibbs},
	} {
		var prepared cd.Prepared
		a, b := cd.NewWorker(opt), cd.NewWorker(opt)
		for i, ex := range grounded(t, jointest.LoadCase(t, "testdata/links")) {
			var got, want cd.Gradient
			check.OK(t, a.Gradient(&want, ex, weights, nil, rand.New(rand.NewPCG(1, uint64(i)))))
			prepared.Prepare(ex, opt)
			ex.Prepared = &prepared
			check.OK(t, b.Gradient(&got, ex, weights, nil, rand.New(rand.NewPCG(1, uint64(i)))))
			check.Equal(t, fmt.Sprintf("%s, subgraph %d", name, i), got, want)
		}
	}
}

// Examples keep what they are prepared with while there is room, and have the same gradients.
func TestWorker_Room(t *testing.T) {
	t.Parallel()
	opt, weights := cd.Options{Samples: 5, Sampler: mcsat.MethodGibbs}, []float64{0.6, 1.3, 1.1, -1.1, -1.6}
	var room atomic.Int64
	room.Store(1)
	w, kept := cd.NewWorker(opt), 0
	for i, ex := range grounded(t, jointest.LoadCase(t, "testdata/links")) {
		var first, again, want cd.Gradient
		check.OK(t, cd.NewWorker(opt).Gradient(&want, ex, weights, nil, rand.New(rand.NewPCG(1, uint64(i)))))
		ex.Room = &room
		check.OK(t, w.Gradient(&first, ex, weights, nil, rand.New(rand.NewPCG(1, uint64(i)))))
		check.OK(t, w.Gradient(&again, ex, weights, nil, rand.New(rand.NewPCG(1, uint64(i)))))
		check.Equal(t, "first", first, want)
		check.Equal(t, "again", again, want)
		if ex.Prepared != nil {
			kept++
		}
	}
	check.Equal(t, "kept", kept, 1)
	check.Equal(t, "room is left", room.Load() > 0, false)
}

func TestWorker_State(t *testing.T) {
	t.Parallel()
	ex := grounded(t, jointest.LoadCase(t, "testdata/links"))[0]
	w := cd.NewWorker(cd.Options{Samples: 5, Sampler: mcsat.MethodMCSAT})
	data, state := slices.Clone(ex.Data), slices.Clone(ex.Data)
	weights := make([]float64, 5)
	var g cd.Gradient
	for _, s := range [][]bool{nil, state} {
		check.OK(t, w.Gradient(&g, ex, weights, s, rand.New(rand.NewPCG(1, 1))))
	}
	if !slices.Equal(ex.Data, data) {
		t.Error("a chain that starts at the data changed it")
	}
	if slices.Equal(state, data) {
		t.Error("a persistent chain left no state")
	}
}

func TestWorker_LogLikelihood_TooLarge(t *testing.T) {
	t.Parallel()
	ex := grounded(t, jointest.LoadCase(t, "testdata/links"))[0]
	w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT})
	if _, ok, err := w.LogLikelihood(ex, make([]float64, 5), 1, nil); ok || err != nil {
		t.Errorf("got %t, %v, want no value and no error", ok, err)
	}
}

// Gradients of a network with bilinear factors are near the exact ones of the network that lists the pairs.
func TestWorker_Bilinear(t *testing.T) {
	t.Parallel()
	for seed, draw := range []oracle.Drawing{oracle.Bare, oracle.BareReplicas, oracle.CoupledReplicas} {
		factored, listed, weights := draw(rand.New(rand.NewPCG(uint64(seed), 48)), 12, 0.2)
		data := make([]bool, 12)
		data[2], data[4], data[11] = true, true, true
		var got, want cd.Gradient
		sampled := cd.NewWorker(cd.Options{Samples: 40_000, Sampler: mcsat.MethodGibbs})
		check.OK(t, sampled.Gradient(&got, &cd.Example{Net: factored, Data: data}, weights, nil, rand.New(rand.NewPCG(1, 1))))
		exact := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodGibbs, MaxExact: 20})
		check.OK(t, exact.Gradient(&want, &cd.Example{Net: listed, Data: data}, weights, nil, nil))
		for k, v := range want.Value {
			if bound := 0.05 * (1 + math.Sqrt(want.Information[k*(len(weights)+1)])); math.Abs(got.Value[k]-v) > bound {
				t.Errorf("seed %d, formula %d: got %v, want %v within %v", seed, k, got.Value[k], v, bound)
			}
		}
	}
}

// Stop ends each kind of work at the call at which it returns an error.
func TestWorker_Stop(t *testing.T) {
	t.Parallel()
	ex := grounded(t, jointest.LoadCase(t, "testdata/links"))[0]
	weights, ended := []float64{0.6, 1.3, 1.1, -1.1, -1.6}, errors.New("ended")
	var g cd.Gradient
	for name, test := range map[string]struct {
		maxExact, least int // the least number of calls of a work that is not ended
		work            func(w *cd.Worker) error
	}{
		"sampled": {0, 7, func(w *cd.Worker) error { return w.Gradient(&g, ex, weights, nil, rand.New(rand.NewPCG(1, 1))) }},
		"exact":   {20, 1, func(w *cd.Worker) error { return w.Gradient(&g, ex, weights, nil, nil) }},
		"sums":    {20, 1, func(w *cd.Worker) error { return w.Evaluate(cd.NewSums(5, false), ex, weights, false, nil) }},
		"likelihood": {20, 1, func(w *cd.Worker) error {
			_, _, err := w.LogLikelihood(ex, weights, 20, nil)
			return err
		}},
		"margin": {0, 1, func(w *cd.Worker) error {
			return w.Margin(&g, ex, weights, func(uint32, int) *rand.Rand { return rand.New(rand.NewPCG(1, 1)) })
		}},
	} {
		w := cd.NewWorker(cd.Options{Samples: 7, Sampler: mcsat.MethodMCSAT, MaxExact: test.maxExact})
		calls, most := 0, math.MaxInt
		w.Stop = func() error {
			if calls++; calls >= most {
				return ended
			}
			return nil
		}
		check.OK(t, test.work(w))
		check.AtLeast(t, calls, test.least, "%s: calls of Stop", name)
		for most = 1; most <= test.least; most++ {
			calls = 0
			check.ErrorIs(t, test.work(w), ended, "%s, call %d", name, most)
			check.Equal(t, name+": calls", calls, most)
		}
	}
}

// Where one component of a network with bilinear factors is small enough for a junction tree and another is sampled, each counts once: the
// first ties atoms along a chain, the second all of its atoms. Without weights each atom is true half of the time.
func TestWorker_Bilinear_PartlyExact(t *testing.T) {
	t.Parallel()
	const atoms = 40 // of each component
	tied := network.Incidence{Start: []uint32{0}}
	for a := range uint32(atoms - 1) {
		tied.Atoms = append(tied.Atoms, a, a+1)
		tied.Start = append(tied.Start, uint32(len(tied.Atoms)))
	}
	for a := range uint32(atoms) {
		tied.Atoms = append(tied.Atoms, atoms+a)
	}
	tied.Start = append(tied.Start, uint32(len(tied.Atoms)))
	net := &network.Network{
		NumAtoms: 2 * atoms, Constant: []int64{0}, UnaryStart: make([]uint32, 2*atoms+1), PairStart: []uint32{0},
		Incidences: []network.Incidence{tied}, Bilinears: []network.Bilinear{{Coefs: []network.Coef{{Formula: 0, Mult: 1}}}},
	}
	data := slices.Repeat([]bool{true}, 2*atoms)
	w := cd.NewWorker(cd.Options{Samples: 20_000, Sampler: mcsat.MethodGibbs, MaxExact: 20})
	var g cd.Gradient
	check.OK(t, w.Gradient(&g, &cd.Example{Net: net, Data: data}, []float64{0}, nil, rand.New(rand.NewPCG(1, 1))))
	pairs, selves := 0.0, 0.0 // pairs of atoms in an entity, both ways, and atoms with themselves
	for e := range tied.Entities() {
		n := float64(tied.Start[e+1] - tied.Start[e])
		pairs, selves = pairs+n*(n-1), selves+n
	}
	check.Near(t, g.Value[0], pairs*3/4+selves/2, 5, "gradient")
}
