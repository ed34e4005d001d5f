package grow

import (
	"slices"

	"resolwe/kernels/features"
)

// Features are what the decision before a step depends on.
type Features [4]float64

// The features.
const (
	Entropy = iota // mean of the atoms' entropies, in nats
	Spread         // standard deviation of the atoms' probabilities
	Atoms          // number of atoms
	Pending        // look-ups in the first hop of the next step
)

// FeatureNames are the names of the features.
var FeatureNames = [...]string{"entropy", "spread", "atoms", "pending"}

// Tree is a regression tree: a leaf, or a split of a feature at a value.
type Tree struct {
	Leaf    float64
	Feature int
	At      float64
	Below   *Tree // nil for a leaf
	Above   *Tree
}

// Value returns the tree's value for the features.
func (t *Tree) Value(f *Features) float64 {
	for t.Below != nil {
		if f[t.Feature] < t.At {
			t = t.Below
		} else {
			t = t.Above
		}
	}
	return t.Leaf
}

const (
	depth    = 3  // of a tree
	treeBins = 32 // for each feature
)

// table is the features of many centers, each as a bin between bounds.
type table struct {
	bounds [len(FeatureNames)][]features.Boundary
	bins   [len(FeatureNames)][]uint8
}

// newTable bins the features of centers.
func newTable(list []Features) *table {
	t := &table{}
	for f := range FeatureNames {
		values := make([]float64, len(list))
		for i := range list {
			values[i] = list[i][f]
		}
		slices.Sort(values)
		t.bounds[f] = features.Quantiles(values, nil, treeBins)
		t.bins[f] = make([]uint8, len(list))
		for i := range list {
			t.bins[f][i] = uint8(features.Bin(t.bounds[f], list[i][f])) // #nosec G115 -- below treeBins
		}
	}
	return t
}

// fit returns the least-squares tree for the values of some rows of the table, with at least so many rows in each leaf.
func (t *table) fit(rows []int, values []float64, levels, least int) *Tree {
	total := 0.
	for _, i := range rows {
		total += values[i]
	}
	n := float64(len(rows))
	out := &Tree{Leaf: total / max(n, 1)}
	best, cut := float64(total*total/max(n, 1)), -1
	best += float64(1e-12 * (1 + best))
	for f := range FeatureNames {
		if levels == 0 {
			break
		}
		var sums [treeBins]float64
		var counts [treeBins]int
		for _, i := range rows {
			sums[t.bins[f][i]] += values[i]
			counts[t.bins[f][i]]++
		}
		below, under := 0., 0
		for c, bound := range t.bounds[f] {
			below, under = below+sums[c], under+counts[c]
			if over := len(rows) - under; under >= least && over >= least {
				above := total - below
				if fit := float64(below*below)/float64(under) + float64(above*above)/float64(over); fit > best {
					best, cut, out.Feature, out.At = fit, c, f, bound.From
				}
			}
		}
	}
	if cut < 0 {
		out.Feature, out.At = 0, 0
		return out
	}
	var low, high []int
	for _, i := range rows {
		if t.bins[out.Feature][i] <= uint8(cut) { // #nosec G115 -- a number of bounds
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	out.Leaf = 0
	out.Below, out.Above = t.fit(low, values, levels-1, least), t.fit(high, values, levels-1, least)
	return out
}
