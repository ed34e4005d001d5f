package grow

import "slices"

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
	mostCuts = 31 // for each feature
)

// table is the features of many centers, each as a bin between cuts.
type table struct {
	cuts [len(FeatureNames)][]float64
	bins [len(FeatureNames)][]uint8
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
		distinct := slices.Compact(slices.Clone(values))
		for q := 1; q <= mostCuts && len(distinct) > 1; q++ {
			if c := values[q*len(values)/(mostCuts+1)]; c > distinct[0] {
				t.cuts[f] = append(t.cuts[f], c)
			}
		}
		t.cuts[f] = slices.Compact(t.cuts[f])
		t.bins[f] = make([]uint8, len(list))
		for i := range list {
			t.bins[f][i] = bin(t.cuts[f], list[i][f])
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
		var sums [mostCuts + 1]float64
		var counts [mostCuts + 1]int
		for _, i := range rows {
			sums[t.bins[f][i]] += values[i]
			counts[t.bins[f][i]]++
		}
		below, under := 0., 0
		for c := range t.cuts[f] {
			below, under = below+sums[c], under+counts[c]
			if over := len(rows) - under; under >= least && over >= least {
				above := total - below
				if fit := float64(below*below)/float64(under) + float64(above*above)/float64(over); fit > best {
					best, cut, out.Feature, out.At = fit, c, f, t.cuts[f][c]
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
		if t.bins[out.Feature][i] <= uint8(cut) { // #nosec G115 -- at most mostCuts
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	out.Leaf = 0
	out.Below, out.Above = t.fit(low, values, levels-1, least), t.fit(high, values, levels-1, least)
	return out
}
