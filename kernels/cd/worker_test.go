package cd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/elementary"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/exact"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// The score is the enumerated log-likelihood, and the product of conditionals that two states' counts give. It changes
// nothing about the gradient.
func TestWorker_Score(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Known: true})
		r := rand.New(rand.NewPCG(seed, 3))
		weights := make([]float64, len(c.Model.Formulas))
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		for _, ex := range grounded(t, c) {
			for _, most := range []int{0, 20} {
				w := cd.NewWorker(cd.Options{Samples: 3, Sampler: mcsat.MethodMCSAT, MaxExact: most})
				var plain, scored cd.Gradient
				scored.Score = &cd.Score{}
				for _, g := range []*cd.Gradient{&plain, &scored} {
					check.OK(t, w.Gradient(g, ex, weights, nil, rand.New(rand.NewPCG(seed, 9))))
				}
				if !slices.Equal(plain.Value, scored.Value) || !slices.Equal(plain.Information, scored.Information) {
					t.Fatalf("seed %d: the score changes the gradient", seed)
				}
				s := scored.Score
				if want := pseudoLikelihood(ex, weights); !near(s.Pseudo, want) || s.Atoms != len(ex.Data) {
					t.Errorf("seed %d: got a pseudo-log-likelihood of %v over %d atoms, want %v over %d", seed, s.Pseudo, s.Atoms, want, len(ex.Data))
				}
				want, exact, err := w.LogLikelihood(ex, weights, max(most, 1), nil)
				if err != nil || exact != s.Exact || exact && !near(s.Joint, want) {
					t.Errorf("seed %d, up to %d atoms: got %+v, want %v, %v (%v)", seed, most, s, want, exact, err)
				}
			}
		}
	}
}

// pseudoLikelihood is the pseudo-log-likelihood by the energies of the data and of each state one flip away.
func pseudoLikelihood(ex *cd.Example, weights []float64) float64 {
	energy := func(x []bool) float64 {
		counts, e := make([]float64, len(weights)), 0.0
		loglinear.AddCounts(counts, ex.Net, x)
		for i, n := range counts {
			e += weights[i] * n
		}
		return e
	}
	x, sum := slices.Clone(ex.Data), 0.0
	for a := range x {
		x[a] = !x[a]
		p := 1 / (1 + math.Exp(energy(x)-energy(ex.Data)))
		x[a] = !x[a]
		sum += math.Log(max(1e-6, min(p, 1-1e-6)))
	}
	return sum
}

// The information of sampled atoms is the sum of the outer products of their conditional distributions, where the chain ends.
func TestWorker_Information_Sampled(t *testing.T) {
	t.Parallel()
	sampled := 0
	for seed := range uint64(40) {
		c := randomTask(t, seed, oracle.TaskOptions{MaxAtoms: 8})
		r := rand.New(rand.NewPCG(seed, 53))
		f := len(c.Model.Formulas)
		weights := make([]float64, f)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		w := cd.NewWorker(cd.Options{Samples: 2, Sampler: mcsat.MethodGibbs})
		for _, ex := range grounded(t, c) {
			state := slices.Clone(ex.Data)
			var g cd.Gradient
			check.OK(t, w.Gradient(&g, ex, weights, state, r))
			var m loglinear.Model
			m.Reset(ex.Net, weights)
			sampled += len(m.Scope.Atoms)
			var exact exact.Expectation
			check.OK(t, exact.Compute(&m, true))
			want := slices.Clone(exact.Cov)
			new(cd.Conditionals).Visit(&m, state, func(_ uint32, h float64, formulas []uint32, values []float64) {
				p := elementary.Sigmoid(h)
				for j, a := range formulas {
					for k, b := range formulas {
						want[int(a)*f+int(b)] += p * (1 - p) * values[j] * values[k]
					}
				}
			})
			for i, v := range g.Information {
				if !near(v, want[i]) {
					t.Fatalf("seed %d, information of %d and %d: got %v, want %v\n%s", seed, i/f, i%f, v, want[i], c.Text)
				}
			}
		}
	}
	if sampled == 0 {
		t.Error("no atom was sampled")
	}
}
