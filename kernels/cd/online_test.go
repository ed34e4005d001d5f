package cd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// The first two steps of each rule, by hand: N = 2, sigma = 1, updates of one subgraph each.
func TestOptimizer_OnlineByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule        cd.Rule
		one, two    cd.Gradient
		first, then []float64
	}{
		{
			cd.AdaptiveGradient,
			cd.Gradient{Value: []float64{3, 0}},
			cd.Gradient{Value: []float64{4.375, -1}},
			[]float64{3. / 4, 0},
			[]float64{3./4 + 4./6, -1. / 2}, // 4.375 - .75/2 = 4, and 3^2 + 4^2 = 5^2
		},
		{
			cd.DualAscent,
			cd.Gradient{Value: []float64{1, 2}, Loss: 1},
			cd.Gradient{Value: []float64{0, 4}, Loss: 40},
			[]float64{.2, .4},
			[]float64{.1, .2 + 4*1.}, // 1/5 < 1/(.5 * 1); then (40 - .8)/16 > 1/(.5 * 2)
		},
	} {
		o := cd.NewOptimizer(make([]float64, 2), make([]bool, 2), 1, 2, 2).Follow(c.rule)
		for i, g := range []*cd.Gradient{&c.one, &c.two} {
			o.Update([]*cd.Gradient{g}, 1)
			for j, want := range [][]float64{c.first, c.then}[i] {
				check.Near(t, o.Weights[j], want, 1e-15, "rule %d, update %d, weight %d", c.rule, i+1, j)
			}
		}
	}
}

// The rules are their equations, for mini-batches, means of the prior and fixed weights.
func TestOptimizer_OnlineEquations(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 71))
		f, n, sigma := 1+r.IntN(5), 5+r.IntN(20), math.Exp(r.NormFloat64())
		mean, fixed := make([]float64, f), make([]bool, f)
		for i := range mean {
			mean[i], fixed[i] = r.NormFloat64(), r.IntN(5) == 0
		}
		grad := cd.NewOptimizer(mean, fixed, sigma, n, 40).Follow(cd.AdaptiveGradient)
		dual := cd.NewOptimizer(mean, fixed, sigma, n, 40).Follow(cd.DualAscent)
		w, squares, v := slices.Clone(mean), make([]float64, f), make([]float64, f)
		for update := 1; update <= 40; update++ {
			size := 1 + r.IntN(4)
			batch := make([]*cd.Gradient, size)
			sum, loss := make([]float64, f), 0.0
			for k := range batch {
				batch[k] = &cd.Gradient{Value: make([]float64, f), Loss: float64(r.IntN(9))}
				loss += batch[k].Loss
				for i := range sum {
					batch[k].Value[i] = float64(r.IntN(9) - 4)
					sum[i] += batch[k].Value[i]
				}
			}
			grad.Update(batch, size)
			dual.Update(batch, size)
			keep, along, square := float64(update-1)/float64(update), 0.0, 0.0
			for i, d := range sum {
				if fixed[i] {
					continue
				}
				g := d - float64(size)*(w[i]-mean[i])/(float64(n)*sigma*sigma)
				squares[i] += g * g
				w[i] += g / (1 + math.Sqrt(squares[i]))
				along += d * (mean[i] + keep*v[i])
				square += d * d
			}
			s := float64(size) / (float64(n) * sigma * sigma)
			step := min(1/(s*float64(update)), max(0, loss-along)/max(square, 1e-300))
			for i, d := range sum {
				if v[i] *= keep; !fixed[i] {
					v[i] += step * d
				}
				if !near(grad.Weights[i], w[i]) || !near(dual.Weights[i], mean[i]+v[i]) {
					t.Fatalf("seed %d, update %d, weight %d: got %v and %v, want %v and %v", seed, update, i, grad.Weights[i], dual.Weights[i], w[i], mean[i]+v[i])
				}
			}
		}
	}
}

// Margin finds the state of the largest sum of weights and loss, by enumeration, whatever ties the atoms.
func TestWorker_Margin(t *testing.T) {
	t.Parallel()
	broken := 0
	for seed := range uint64(60) {
		c := randomTask(t, seed, oracle.TaskOptions{General: true, Hard: seed%3 == 0, Shapes: seed%2 == 1, MaxAtoms: 8})
		r := rand.New(rand.NewPCG(seed, 53))
		weights := make([]float64, len(c.Model.Formulas))
		for i, f := range c.Model.Formulas {
			if !f.Hard {
				weights[i] = r.NormFloat64()
			}
		}
		w := cd.NewWorker(cd.Options{Samples: 1, Sampler: mcsat.MethodMCSAT})
		next := func(first uint32, try int) *rand.Rand { return rand.New(rand.NewPCG(uint64(first), uint64(try))) }
		for _, ex := range grounded(t, c) {
			value := func(x []bool) (sum float64) {
				counts := make([]float64, len(weights))
				loglinear.AddCounts(counts, ex.Net, x)
				for i, n := range counts {
					if ex.Net.Scale != nil {
						n *= ex.Net.Scale[i]
					}
					sum += weights[i] * n
				}
				return sum
			}
			best, x := math.Inf(-1), make([]bool, ex.Net.NumAtoms)
			for state := range 1 << len(x) {
				loss := 0.0
				for a := range x {
					if x[a] = state>>a&1 == 1; x[a] != ex.Data[a] {
						loss++
					}
				}
				if !cd.Breaks(ex.Net, x) {
					best = max(best, value(x)+loss)
				}
			}
			var g cd.Gradient
			if err := w.Margin(&g, ex, weights, next); math.IsInf(best, -1) {
				broken++
				check.Fails(t, err, "seed %d: no state is possible", seed)
				continue
			} else if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			got := value(ex.Data) + g.Loss
			for i, d := range g.Value {
				got -= weights[i] * d
			}
			if !near(got, best) {
				t.Errorf("seed %d: the state has %v, the best one %v\n%s", seed, got, best, c.Text)
			}
		}
	}
	t.Logf("%d subgraphs without a possible state", broken)
}

// On a few subgraphs CDA goes to the optimum of the max-margin problem, by enumeration on a grid of two weights.
func TestOptimizer_DualAscentReachesOptimum(t *testing.T) {
	t.Parallel()
	const sigma = 1.5
	r := rand.New(rand.NewPCG(1, 54))
	rows, truth := make([][2]float64, 12), make([]float64, 12) // a subgraph of one atom each
	for i := range rows {
		rows[i], truth[i] = [2]float64{1, r.NormFloat64()}, float64(2*(i%2)-1)
		rows[i][1] += .7 * truth[i]
	}
	margin := func(i int, w []float64) (loss float64, d []float64) {
		// The other state differs by one atom: n(data) - n(y) is the row, with the sign of the truth.
		d = []float64{truth[i] * rows[i][0], truth[i] * rows[i][1]}
		if 1-d[0]*w[0]-d[1]*w[1] > 0 {
			return 1, d
		}
		return 0, []float64{0, 0}
	}
	primal := func(w []float64) float64 {
		sum := (w[0]*w[0] + w[1]*w[1]) / (2 * sigma * sigma)
		for i := range rows {
			loss, d := margin(i, w)
			sum += loss - d[0]*w[0] - d[1]*w[1]
		}
		return sum
	}
	best := math.Inf(1)
	for a := -3.; a <= 3; a += .01 {
		for b := -3.; b <= 3; b += .01 {
			best = min(best, primal([]float64{a, b}))
		}
	}
	const passes = 2000
	o := cd.NewOptimizer(make([]float64, 2), make([]bool, 2), sigma, len(rows), passes*len(rows)).Follow(cd.DualAscent)
	for range passes {
		for i := range rows {
			loss, d := margin(i, o.Weights)
			o.Update([]*cd.Gradient{{Value: d, Loss: loss}}, 1)
		}
	}
	check.AtMost(t, primal(o.Result()), best*1.001, "objective at %v", o.Result())
}
