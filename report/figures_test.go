package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/kernels/rank"
	"resolwe/report"
)

var near = cmpopts.EquateApprox(1e-9, 1e-12)

// Intervals of weights are those of the sandwich estimator, computed from the whole matrix; for odd seeds they come from the sums over a
// sample of the subgraphs, scaled up. Shares are those of the atoms.
func TestWeigh(t *testing.T) {
	t.Parallel()
	const model = "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n0.3 log: e(x, y) ^ q(x)\n-0.2 e(x, y) ^ f(y) => q(x)\n0.1 f(y) => r(y)\n-.4 q(x)\n.5 r(y)\n"
	m := streamtest.Parse(t, model)
	for seed := range uint64(6) {
		const subgraphs = 15
		s := streamtest.InMemory(t, m, streamtest.IndependentDB(seed, subgraphs))
		shrink := []float64{10, 10, 10, 0, 0}
		p := map[int][]float64{}
		check.OK(t, inferring.Infer(t.Context(), m, s, resolwe.InferOptions{}, func(r *resolwe.Marginals) error {
			if seed%2 == 0 || r.Index%3 > 0 {
				p[r.Index] = append([]float64(nil), r.P...)
			}
			return nil
		}))
		n, sampled := len(m.Formulas), float64(len(p))
		information, spread, mean := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		var gradients []*mat.VecDense
		support, positives := make([]float64, n), make([]float64, n)
		columns := make([][]float64, n)
		check.OK(t, inferring.Features(t.Context(), m, s, resolwe.FeatureOptions{}, func(r *resolwe.FeatureRows) error {
			g := mat.NewVecDense(n, nil)
			for i := range r.Len() {
				x, y := mat.NewVecDense(n, r.Values(i, nil)), 0.
				if r.Truth(i) == subgraph.True {
					y = 1
				}
				pred, _ := r.Args(i)
				for c, v := range x.RawVector().Data {
					if v != 0 {
						support[c]++
						positives[c] += y
					}
					if isQ := c < 2 || c == 3; isQ == (m.Schema.Predicates[pred].Name == "q") {
						columns[c] = append(columns[c], v)
					}
				}
				if p[r.Index] == nil {
					continue
				}
				pi := p[r.Index][i]
				g.AddScaledVec(g, y-pi, x)
				var outer mat.Dense
				outer.Outer(pi*(1-pi), x, x)
				information.Add(information, &outer)
			}
			if p[r.Index] != nil {
				gradients = append(gradients, g)
				mean.AddScaledVec(mean, 1/sampled, g)
			}
			return nil
		}))
		for _, g := range gradients {
			var d mat.VecDense
			var outer mat.Dense
			d.SubVec(g, mean)
			outer.Outer(subgraphs/(sampled-1), &d, &d)
			spread.Add(spread, &outer)
		}
		information.Scale(subgraphs/sampled, information)
		for c := range n {
			_, variance := moments(columns[c])
			information.Set(c, c, information.At(c, c)+shrink[c]*variance)
		}
		var inverse, sandwich mat.Dense
		check.OK(t, inverse.Inverse(information))
		sandwich.Product(&inverse, spread, &inverse)
		edge := distuv.StudentsT{Sigma: 1, Nu: sampled - 1}.Quantile(.975)

		got, err := report.Weigh(t.Context(), m, s, p, shrink)
		check.OK(t, err)
		for c, f := range got {
			half := edge * math.Sqrt(sandwich.At(c, c))
			w := m.Formulas[c].Weight
			name := fmt.Sprintf("seed %d, formula %d: ", seed, c+1)
			check.Equal(t, name+"weight", f.Weight, report.Interval{Value: w, Low: w - half, High: w + half}, near)
			check.Equal(t, name+"support", float64(f.Support), support[c])
			check.Equal(t, name+"share", f.Rate.Value, positives[c]/support[c], near, cmpopts.EquateNaNs())
		}
	}
}

func moments(values []float64) (mean, variance float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		variance += (v - mean) * (v - mean) / float64(len(values))
	}
	return mean, variance
}

// The interval of a share contains it, is that of independent atoms if each is a cluster, and has a positive width even if all agree.
func TestRatio(t *testing.T) {
	t.Parallel()
	var singles [][2]int
	for i := range 400 {
		singles = append(singles, [2]int{i % 4 / 3, 1 - i%4/3})
	}
	edge := distuv.StudentsT{Sigma: 1, Nu: 399}.Quantile(.975)
	half := edge * math.Sqrt(.25*.75/399) / (.25 * .75)
	logit := func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
	z := math.Log(.25 / .75)
	check.Equal(t, "single atoms", report.RatioOf(singles), report.Interval{Value: .25, Low: logit(z - half), High: logit(z + half)}, near)
	all := report.RatioOf([][2]int{{5, 0}, {7, 0}, {2, 0}})
	check.Equal(t, "all true", all, report.Interval{Value: 1, Low: math.Pow(.025, 1./3), High: 1}, near)
	check.Equal(t, "none true", report.RatioOf([][2]int{{0, 5}, {0, 7}, {0, 2}}), report.Interval{Value: 0, Low: 0, High: 1 - math.Pow(.025, 1./3)}, near)
	check.Equal(t, "one cluster", report.RatioOf([][2]int{{5, 5}}).Defined(), false)
	check.Equal(t, "no atom", report.RatioOf(nil).Defined(), false)
}

// Holm's own example, with p = .01, .005, .03 and .04, and an undefined one.
func TestHolm(t *testing.T) {
	t.Parallel()
	var tests []crossval.Comparison
	for _, p := range []float64{.01, .005, math.NaN(), .03, .04} {
		tests = append(tests, crossval.Comparison{Test: rank.Test{P: p}})
	}
	check.Equal(t, "adjusted", report.Holm(tests), []float64{.03, .02, math.NaN(), .06, .06}, near, cmpopts.EquateNaNs())
}

// The areas under the drawn curves are the figures shown beside them.
func TestCurves(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 17))
		atoms := make([]rank.Scored, 20+r.IntN(3000))
		for i := range atoms {
			p := float64(r.IntN(50)) / 50
			atoms[i] = rank.Scored{P: p, True: i == 0 || i > 1 && r.Float64() < p}
		}
		auc := rank.Evaluate(atoms).AUC
		pool := rank.Pool(atoms)
		roc, pr := 0., 0.
		const steps = 20_000
		for i := range steps {
			x := (float64(i) + .5) / steps
			roc += report.TruePositives(pool.Curve, x) / steps
			pr += report.Precision(pool.Curve, x) / steps
		}
		for _, v := range [][2]float64{{roc, auc}, {pool.AUCROC, auc}, {pr, pool.AUCPR}} {
			if !(math.Abs(v[0]-v[1]) < .01) {
				t.Errorf("seed %d, %d atoms: area %v, want %v", seed, len(atoms), v[0], v[1])
			}
		}
	}
	perfect := []rank.Run{{True: 3}, {False: 5}}
	check.Equal(t, "perfect", []float64{report.TruePositives(perfect, 0), report.Precision(perfect, 1)}, []float64{1, 1})
	check.Equal(t, "of one kind", math.IsNaN(report.TruePositives([]rank.Run{{True: 3}}, .5)), true)
}

func TestTicks(t *testing.T) {
	t.Parallel()
	check.Equal(t, "unit", report.Ticks(0, 1), []string{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"})
	check.Equal(t, "log-likelihood", report.Ticks(-.0451, -.0219), []string{"−0.045", "−0.040", "−0.035", "−0.030", "−0.025"})
	check.Equal(t, "counts", report.Ticks(0, 137), []string{"0", "50", "100"})
	check.Equal(t, "nothing", len(report.Ticks(1, 1)) < 10, true)
}

// A weight beside formulas that tie its target atoms to others has no interval: the information of single atoms is not the joint one.
func TestWeights_BesideTies(t *testing.T) {
	t.Parallel()
	const free = "e(a, b)\nf(b)\ntarget q(a)\ntarget listed r(b)\n-0.3 q(x)\n0.5 e(x, y) ^ f(y) => q(x)\n-1 f(y) => r(y)\n-0.2 r(y)\n"
	for more, want := range map[string][]bool{
		"":                                       {true, true, true, true},
		"0.4 e(x, y) ^ e(z, y) ^ q(x) => q(z)\n": {false, false, true, true, false},
		"0.2 e(x, y) ^ q(x) => r(y)\n":           {false, false, false, false, false},
		"!r(x) v !q(y) v f(x).\n":                {false, false, false, false, false},
	} {
		m := streamtest.Parse(t, free+more)
		r, err := report.Make(t.Context(), m, streamtest.InMemory(t, m, streamtest.IndependentDB(3, 16)), report.Options{})
		check.OK(t, err)
		var got []bool
		for i := range r.Formulas {
			got = append(got, r.Formulas[i].Weight.Defined())
		}
		check.Equal(t, "intervals beside "+more, got, want)
	}
}
