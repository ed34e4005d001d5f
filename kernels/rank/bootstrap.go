package rank

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Cases are the query atoms of a fold, one subgraph after another.
type Cases struct {
	Atoms []Scored
	Sizes []int    // number of atoms by subgraph
	Units []uint64 // by atom, a hash of what it is about, such as its first argument; may be nil
}

// UnitsOf returns the units of another subgraph's atoms, or none if they are not needed.
func (c *Cases) UnitsOf(units func() []uint64) []uint64 {
	if len(c.Sizes) >= FewClusters {
		return nil
	}
	return units()
}

// Add adds the atoms of a subgraph. Units are kept while there are fewer than FewClusters subgraphs.
func (c *Cases) Add(atoms []Scored, units []uint64) {
	if len(atoms) == 0 {
		return
	}
	c.Atoms, c.Sizes = append(c.Atoms, atoms...), append(c.Sizes, len(atoms))
	if c.Units = append(c.Units, units...); len(c.Sizes) >= FewClusters {
		c.Units = nil
	}
}

// FewClusters is the number of subgraphs below which atoms are resampled by their units instead.
const FewClusters = 10

// draws is the number of samples of a bootstrap.
const draws = 1000

// Intervals are 95% intervals of pooled measures, each the mean over the folds for which it is defined. Undefined bounds are NaN.
type Intervals struct {
	AUCROC, AUCPR, LogLoss, Accuracy [2]float64
	Clusters                         int  // that were resampled
	ByUnit                           bool // clusters are units, not subgraphs
}

// Bootstrap returns the intervals of systems that predict the same atoms in the same folds. Clusters, which are subgraphs, or units if
// there are few subgraphs and more units, are drawn with replacement 1,000 times; draws depend on seed alone. Bounds are percentiles,
// moved outwards as Student's t is wider than the normal distribution with as many clusters (Hesterberg, The American Statistician 69,
// 2015). With one cluster, or where a measure is undefined, there are none.
func Bootstrap(systems [][]Cases, seed uint64) []Intervals {
	of, n, byUnit := clusters(systems[0])
	samples := make([]resample, len(systems))
	values := make([][4][]float64, len(systems))
	for i, folds := range systems {
		for f := range folds {
			samples[i] = append(samples[i], newFoldSample(folds[f].Atoms, of[f], n))
		}
	}
	weights, blocks := make([]int32, n), []block(nil)
	for draw := range uint64(draws) {
		if n < 2 {
			break
		}
		clear(weights)
		source := rand.NewPCG(seed, draw)
		for i := 0; i < n; i += 2 { // 32 bits are enough to draw one of n
			bits := source.Uint64()
			weights[bits>>32*uint64(n)>>32]++
			if i+1 < n {
				weights[bits&math.MaxUint32*uint64(n)>>32]++
			}
		}
		for i := range samples {
			var of [4]float64
			of, blocks = samples[i].measure(weights, blocks)
			for k, v := range of {
				if !math.IsNaN(v) {
					values[i][k] = append(values[i][k], v)
				}
			}
		}
	}
	out := make([]Intervals, len(systems))
	for i := range values {
		v := &values[i]
		out[i] = Intervals{percentiles(v[0], n), percentiles(v[1], n), percentiles(v[2], n), percentiles(v[3], n), n, byUnit}
	}
	return out
}

// clusters numbers the clusters of atoms, by fold and atom.
func clusters(folds []Cases) (of [][]int32, n int, byUnit bool) {
	numbers, complete := map[uint64]int32{}, true
	for _, c := range folds {
		for _, unit := range c.Units {
			if _, ok := numbers[unit]; !ok {
				numbers[unit] = int32(len(numbers)) // #nosec G115 -- few
			}
		}
		complete = complete && len(c.Units) == len(c.Atoms)
		n += len(c.Sizes)
	}
	if byUnit = complete && n < FewClusters && len(numbers) > n; byUnit {
		n = len(numbers)
	}
	of = make([][]int32, len(folds))
	subgraph := int32(0)
	for f, c := range folds {
		if byUnit {
			for _, unit := range c.Units {
				of[f] = append(of[f], numbers[unit])
			}
			continue
		}
		for _, size := range c.Sizes {
			of[f] = append(of[f], slices.Repeat([]int32{subgraph}, size)...)
			subgraph++
		}
	}
	return of, n, byUnit
}

// resample is a system's folds.
type resample []foldSample

// foldSample is a fold, from the highest marginal down, so that a draw only has to weigh it.
type foldSample struct {
	atoms []int32 // twice the cluster, and 1 if true
	ends  []int   // of blocks of atoms whose order does not matter: tied ones, and runs that are all true or all false
	sums  []clusterSum
}

// clusterSum are what the measures that are means over atoms need of a cluster.
type clusterSum struct {
	cluster        int32
	atoms, correct int32
	loss           float64
}

func newFoldSample(atoms []Scored, clusters []int32, n int) (f foldSample) {
	order, sums := make([]int32, len(atoms)), make([]clusterSum, n)
	for i, a := range atoms {
		order[i] = int32(i) // #nosec G115 -- memory holds fewer
		sum := &sums[clusters[i]]
		sum.cluster = clusters[i]
		sum.atoms++
		sum.loss -= a.logLikelihood()
		if a.correct() {
			sum.correct++
		}
	}
	f.sums = slices.DeleteFunc(sums, func(s clusterSum) bool { return s.atoms == 0 })
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(atoms[b].P, atoms[a].P) })
	for start, last := 0, 0; start < len(order); {
		end, classes := start, 0
		for level := round12(atoms[order[start]].P); end < len(order) && round12(atoms[order[end]].P) == level; end++ {
			a := clusters[order[end]] << 1
			if atoms[order[end]].True {
				a++
			}
			f.atoms, classes = append(f.atoms, a), classes|1<<(a&1)
		}
		if classes != last || classes == 3 {
			f.ends = append(f.ends, 0)
		}
		f.ends[len(f.ends)-1] = end
		start, last = end, classes
	}
	return f
}

// measure returns the measures of the resampled system: AUC-ROC, AUC-PR, log-loss, accuracy. blocks is scratch.
func (r resample) measure(weights []int32, blocks []block) (mean [4]float64, _ []block) {
	var defined [4]float64
	for f := range r {
		var values [4]float64
		values, blocks = r[f].measure(weights, blocks)
		for k, v := range values {
			if !math.IsNaN(v) {
				mean[k], defined[k] = mean[k]+v, defined[k]+1
			}
		}
	}
	for k := range mean {
		mean[k] /= defined[k]
	}
	return mean, blocks
}

func (f *foldSample) measure(weights []int32, blocks []block) (values [4]float64, _ []block) {
	var correct, n int64
	loss := 0.
	for _, s := range f.sums {
		w := weights[s.cluster]
		correct, n, loss = correct+int64(w)*int64(s.correct), n+int64(w)*int64(s.atoms), loss+float64(float64(w)*s.loss)
	}
	blocks = blocks[:0]
	r := ranking{}
	start := 0
	for _, end := range f.ends {
		size, positives := int32(0), int32(0)
		for _, a := range f.atoms[start:end] {
			w := weights[a>>1]
			size, positives = size+w, positives+w&-(a&1)
		}
		if start = end; size > 0 {
			b := block{int(positives), int(size - positives)}
			blocks, r.positives, r.negatives = append(blocks, b), r.positives+b.positives, r.negatives+b.negatives
		}
	}
	values = [4]float64{math.NaN(), math.NaN(), loss / float64(n), float64(correct) / float64(n)}
	if r.blocks = blocks; r.ranked() {
		values[0], values[1] = auc(blocks), r.aucPR()
	}
	return values, blocks
}

// percentiles returns the bounds of a measure from its values over draws.
func percentiles(values []float64, clusters int) [2]float64 {
	if len(values) == 0 {
		return [2]float64{math.NaN(), math.NaN()}
	}
	slices.Sort(values)
	n := float64(clusters)
	const normal = 1e6 // degrees of freedom that are as good as infinitely many
	tail := student(normal).beyond(T95(clusters-1)*math.Sqrt(n/(n-1))) / 2
	low := int(tail * float64(len(values)))
	return [2]float64{values[low], values[len(values)-1-low]}
}
