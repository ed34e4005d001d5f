package crossval_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"resolwe"
	"resolwe/crossval"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/test/check"
	"resolwe/kernels/rank"
)

// scored returns a result of two systems in folds, with the average precision of each test subgraph by fold.
func scored(overlap float64, a, b [][]float64) *crossval.Result {
	r := &crossval.Result{Folds: len(a), Finished: len(a), Overlap: overlap, Systems: make([]crossval.Outcome, 2)}
	for fold := range a {
		for range a[fold] {
			r.Tested = append(r.Tested, crossval.Tested{In: fold})
		}
		for k, values := range [][]float64{a[fold], b[fold]} {
			s, eval := &r.Systems[k], inferring.Evaluator{}
			for _, v := range values {
				f := inferring.Figures{Ranked: true, AveragePrecision: v, AUC: v, Atoms: 1, CLL: v}
				s.Figures = append(s.Figures, f)
				eval.AddFigures(f, nil, nil)
			}
			s.Folds = append(s.Folds, *eval.Evaluation())
		}
	}
	r.Compare()
	return r
}

// TestCompare_ByHand computes both corrected tests, and that in time, by hand.
func TestCompare_ByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		folds, size  int // of equal differences 1, 2, 3, .. in a fold
		overlap      float64
		byFold       bool
		n            int
		mean, tValue float64
	}{
		// Differences of four folds 1 to 4: deviation sqrt(5/3), variance of the mean 5/3 (1/4 + 1/3).
		{"few subgraphs", 4, 19, 1. / 3, true, 4, 2.5, 2.5 / math.Sqrt(5./3*(1./4+1./3))},
		// Of 80 subgraphs: variance 80/79 5/4, of the mean 5/316, times 4/3.
		{"many subgraphs", 4, 20, 1. / 3, false, 80, 2.5, 2.5 / math.Sqrt(5./316*4/3)},
		{"few in time", 4, 2, 0, false, 8, 2.5, 2.5 / math.Sqrt(10./7/8)},
		{"a single fold of several", 1, 5, 1. / 3, true, 1, 1, math.NaN()},
	} {
		a, b := make([][]float64, tt.folds), make([][]float64, tt.folds)
		for fold := range a {
			for range tt.size {
				a[fold], b[fold] = append(a[fold], float64(fold+1)), append(b[fold], 0)
			}
		}
		got := scored(tt.overlap, a, b)
		check.Is(t, got.ByFold(), tt.byFold, "%s: by fold", tt.name)
		for _, c := range got.Tests {
			check.Equal(t, tt.name, []int{c.N, c.DF}, []int{tt.n, tt.n - 1})
			check.Near(t, c.MeanDifference, tt.mean, 1e-12, "%s: mean", tt.name)
			if math.IsNaN(tt.tValue) {
				check.Is(t, math.IsNaN(c.T) && math.IsNaN(c.P), true, "%s: no t", tt.name)
				continue
			}
			check.Near(t, c.T, tt.tValue, 1e-12, "%s: t", tt.name)
			student := distuv.StudentsT{Sigma: 1, Nu: float64(tt.n - 1)}
			check.Near(t, c.P, 2*student.Survival(tt.tValue), 1e-10, "%s: p", tt.name)
			check.Near(t, c.CI95[1], tt.mean+student.Quantile(.975)*tt.mean/tt.tValue, 1e-9, "%s: upper bound", tt.name)
		}
	}
}

// Two equal learners each choose, on the training folds, the best of twenty columns of noise of their own. The corrected test seldom
// tells them apart; one without the correction does so far too often.
func TestCompare_EqualLearners(t *testing.T) {
	t.Parallel()
	runs, err := strconv.Atoi(cmp.Or(os.Getenv("NETWORKS"), "400"))
	check.OK(t, err)
	const seed = 1
	t.Logf("seed %d", seed)
	for _, subgraphs := range []int{20, 40, 80, 200} {
		if subgraphs > 40 && os.Getenv("NETWORKS") == "" {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(subgraphs)))
		found, naive := 0, 0
		for range runs {
			a, b, all := equalLearners(rng, subgraphs)
			if c := scored(1./3, a, b).Tests[2]; c.P < .05 {
				found++
			}
			if rank.PairedT(all[0], all[1]).P < .05 {
				naive++
			}
		}
		share, without := float64(found)/float64(runs), float64(naive)/float64(runs)
		name := fmt.Sprintf("%d subgraphs, %d runs: P(p < .05) %.3f, %.3f without the correction", subgraphs, runs, share, without)
		t.Log(name)
		check.AtMost(t, share, .07, "%s", name)
		if subgraphs <= 40 {
			check.AtLeast(t, without, .1, "%s", name)
		}
	}
}

// equalLearners returns the log-likelihoods of two learners by fold, and all of them.
func equalLearners(rng *rand.Rand, subgraphs int) (a, b [][]float64, all [2][]float64) {
	const atoms, columns, folds = 10, 20, 4
	// counts of false and true atoms by column, value and subgraph
	counts := make([][2 * columns][2][2]float64, subgraphs)
	for s := range counts {
		for range atoms {
			truth := 0
			if rng.Float64() < .3 {
				truth = 1
			}
			for c := range counts[s] {
				counts[s][c][rng.IntN(2)][truth]++
			}
		}
	}
	out := [2][][]float64{make([][]float64, folds), make([][]float64, folds)}
	for fold := range folds {
		for learner := range out {
			best, rates := -1, [2]float64{}
			most := math.Inf(-1)
			for c := learner * columns; c < (learner+1)*columns; c++ {
				var sum [2][2]float64
				for s := range counts {
					for v := range sum {
						if s%folds != fold {
							sum[v][0] += counts[s][c][v][0]
							sum[v][1] += counts[s][c][v][1]
						}
					}
				}
				var p [2]float64
				fit := 0.
				for v := range sum {
					p[v] = (sum[v][1] + .3) / (sum[v][0] + sum[v][1] + 1)
					fit += likelihood(sum[v], p[v])
				}
				if fit > most {
					best, rates, most = c, p, fit
				}
			}
			for s := fold; s < subgraphs; s += folds {
				v := (likelihood(counts[s][best][0], rates[0]) + likelihood(counts[s][best][1], rates[1])) / atoms
				out[learner][fold] = append(out[learner][fold], v)
				all[learner] = append(all[learner], v)
			}
		}
	}
	return out[0], out[1], all
}

func likelihood(n [2]float64, p float64) float64 { return n[0]*math.Log(1-p) + n[1]*math.Log(p) }

// naiveTest compares two systems' values by fold, which is all that a result with a correction may use of few subgraphs.
func naiveTest(a, b []resolwe.Evaluation, overlap float64, of func(*resolwe.Evaluation) float64) (n int, mean, t float64) {
	var d []float64
	for i := range a {
		if v := of(&a[i]) - of(&b[i]); !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	k := float64(len(d))
	mean, deviation := stat.MeanStdDev(d, nil)
	return len(d), mean, mean / (deviation * math.Sqrt(1/k+overlap))
}
