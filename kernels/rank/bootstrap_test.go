package rank_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

// naiveBootstrap repeats the atoms of every cluster as often as it is drawn.
func naiveBootstrap(folds []rank.Cases, cluster func(fold, atom int) int, n int, seed uint64) (out [4][2]float64) {
	var values [4][]float64
	for draw := range uint64(1000) {
		r, weights := rand.NewPCG(seed, draw), map[int]int{}
		for i := 0; i < n; i += 2 {
			bits := r.Uint64()
			weights[int(bits>>32*uint64(n)>>32)]++
			if i+1 < n {
				weights[int(bits%(1<<32)*uint64(n)>>32)]++
			}
		}
		var sums [4][]float64
		for f, c := range folds {
			var atoms []rank.Scored
			for i, a := range c.Atoms {
				atoms = append(atoms, slices.Repeat([]rank.Scored{a}, weights[cluster(f, i)])...)
			}
			loss, correct := 0., 0.
			for _, a := range atoms {
				p := min(max(a.P, 1e-6), 1-1e-6)
				if a.True != (math.RoundToEven(a.P*1e12) >= .5e12) {
					correct--
				}
				if !a.True {
					p = 1 - p
				}
				loss, correct = loss-math.Log(p), correct+1
			}
			all := []float64{oracle.AUCROC(atoms), math.NaN(), loss / float64(len(atoms)), correct / float64(len(atoms))}
			if !math.IsNaN(all[0]) {
				all[1] = oracle.AUCPR(atoms)
			}
			for k, v := range all {
				if !math.IsNaN(v) {
					sums[k] = append(sums[k], v)
				}
			}
		}
		for k, list := range sums {
			sum := 0.
			for _, v := range list {
				sum += v / float64(len(list))
			}
			if len(list) > 0 {
				values[k] = append(values[k], sum)
			}
		}
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(.975)
	tail := distuv.UnitNormal.Survival(t * math.Sqrt(float64(n)/float64(n-1)))
	for k, v := range values {
		if out[k] = [2]float64{math.NaN(), math.NaN()}; len(v) > 0 {
			slices.Sort(v)
			low := int(tail * float64(len(v)))
			out[k] = [2]float64{v[low], v[len(v)-1-low]}
		}
	}
	return out
}

func TestBootstrap_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 3))
		folds, other := make([]rank.Cases, 1+r.IntN(3)), []rank.Cases(nil)
		subgraphs := 0
		want := 2 + r.IntN(14)
		of := make([][]int, len(folds))
		for subgraphs < want {
			f := r.IntN(len(folds))
			atoms := randomAtoms(r, 1+r.IntN(5))
			if seed%3 == 0 {
				for i := range atoms {
					atoms[i].P = r.Float64()
				}
			}
			units := make([]uint64, len(atoms))
			for i := range units {
				units[i] = r.Uint64N(40)
			}
			folds[f].Add(atoms, units)
			of[f] = append(of[f], slices.Repeat([]int{subgraphs}, len(atoms))...)
			subgraphs++
		}
		place := 0 // of subgraphs, by fold
		numbers := map[uint64]int{}
		for f, c := range folds {
			i := 0
			for _, size := range c.Sizes {
				for range size {
					of[f][i] = place
					i++
				}
				place++
			}
			for _, u := range c.Units {
				if _, ok := numbers[u]; !ok {
					numbers[u] = len(numbers)
				}
			}
			flipped := rank.Cases{Sizes: c.Sizes, Units: c.Units}
			for _, a := range c.Atoms {
				flipped.Atoms = append(flipped.Atoms, rank.Scored{P: 1 - a.P, True: a.True})
			}
			other = append(other, flipped)
		}
		n, byUnit := subgraphs, subgraphs < rank.FewClusters && len(numbers) > subgraphs
		cluster := func(f, i int) int { return of[f][i] }
		if byUnit {
			n, cluster = len(numbers), func(f, i int) int { return numbers[folds[f].Units[i]] }
		}
		got := rank.Bootstrap([][]rank.Cases{folds, other}, seed)
		for k, system := range [][]rank.Cases{folds, other} {
			name := fmt.Sprintf("seed %d, system %d, %d subgraphs, by unit %t", seed, k, subgraphs, byUnit)
			check.Equal(t, name, []any{got[k].Clusters, got[k].ByUnit}, []any{n, byUnit})
			naive := naiveBootstrap(system, cluster, n, seed)
			for i, bounds := range [][2]float64{got[k].AUCROC, got[k].AUCPR, got[k].LogLoss, got[k].Accuracy} {
				check.Equal(t, fmt.Sprint(name, ", measure ", i), bounds, naive[i], near(1e-9), cmpopts.EquateNaNs())
			}
		}
	}
}

// Too few clusters, or measures that are never defined, have no interval.
func TestBootstrap_Undefined(t *testing.T) {
	t.Parallel()
	undefined := [2]float64{math.NaN(), math.NaN()}
	var one, positive rank.Cases
	one.Add([]rank.Scored{{P: .3, True: true}, {P: .2}}, nil)
	for range 20 {
		positive.Add([]rank.Scored{{P: .9, True: true}}, nil)
	}
	got := rank.Bootstrap([][]rank.Cases{{one}}, 1)[0]
	check.Equal(t, "one", got, rank.Intervals{AUCROC: undefined, AUCPR: undefined, LogLoss: undefined, Accuracy: undefined, Clusters: 1}, cmpopts.EquateNaNs())
	got = rank.Bootstrap([][]rank.Cases{{positive}}, 1)[0]
	loss := -math.Log(.9)
	check.Equal(t, "all true", got,
		rank.Intervals{AUCROC: undefined, AUCPR: undefined, LogLoss: [2]float64{loss, loss}, Accuracy: [2]float64{1, 1}, Clusters: 20}, cmpopts.EquateNaNs(), near(1e-12))
	check.Is(t, rank.Bootstrap([][]rank.Cases{nil}, 1)[0].Clusters, 0, "no folds")
}

// Of clustered atoms whose marginals and truth share a disturbance, the intervals contain the measures of the whole population about as
// often as they say.
func TestBootstrap_Coverage(t *testing.T) {
	t.Parallel()
	runs, err := strconv.Atoi(cmp.Or(os.Getenv("NETWORKS"), "40"))
	check.OK(t, err)
	const seed, atoms = 4, 8
	t.Logf("seed %d", seed)
	draw := func(r *rand.Rand, clusters int) (c rank.Cases) {
		for range clusters {
			shift, noise := r.NormFloat64(), r.NormFloat64()
			of := make([]rank.Scored, atoms)
			for i := range of {
				x := r.NormFloat64()
				p := 1 / (1 + math.Exp(1-shift-1.5*x))
				of[i] = rank.Scored{P: 1 / (1 + math.Exp(1-.5*noise-x)), True: r.Float64() < p}
			}
			c.Add(of, nil)
		}
		return c
	}
	r := rand.New(rand.NewPCG(seed, 0))
	p := rank.Pool(draw(r, 40_000).Atoms)
	truth := [...]float64{p.AUCROC, p.AUCPR, p.LogLoss, p.Accuracy}
	for _, clusters := range []int{10, 20} {
		var covered [4]float64
		for range runs {
			got := rank.Bootstrap([][]rank.Cases{{draw(r, clusters)}}, r.Uint64())[0]
			for k, b := range [...][2]float64{got.AUCROC, got.AUCPR, got.LogLoss, got.Accuracy} {
				if b[0] <= truth[k] && truth[k] <= b[1] {
					covered[k] += 1 / float64(runs)
				}
			}
		}
		t.Logf("%d clusters, %d runs: coverage %.3f", clusters, runs, covered)
		for k, share := range covered { // three standard deviations of the share are .1
			check.AtLeast(t, share, .82, "%d clusters, measure %d", clusters, k)
		}
	}
}

func BenchmarkBootstrap(b *testing.B) {
	for _, perSubgraph := range []int{1, 10} {
		r := rand.New(rand.NewPCG(5, 0))
		var c rank.Cases
		for range 100_000 / perSubgraph {
			atoms := make([]rank.Scored, perSubgraph)
			for i := range atoms {
				p := r.Float64() * r.Float64()
				atoms[i] = rank.Scored{P: p, True: r.Float64() < p}
			}
			c.Add(atoms, nil)
		}
		b.Run(strconv.Itoa(perSubgraph), func(b *testing.B) {
			for b.Loop() {
				rank.Bootstrap([][]rank.Cases{{c}}, 1)
			}
		})
	}
}
