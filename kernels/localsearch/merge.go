package localsearch

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// clusters are connected sets of active blocks in which two states differ; factors and constraints connect blocks.
type clusters struct {
	forest network.Forest // by block
	order  []uint32       // blocks that differ, by cluster
	old    []int32        // by block: its value in the other state
}

// merge combines the state with another one that differs only in active blocks: each cluster of differing blocks takes the better of the
// two: first that with fewer violated constraints. In a tie the present state's values stay.
func (f *Search) merge(other []bool) {
	c := &f.clusters
	f.cluster(other)
	for first := 0; first < len(c.order); {
		root := c.forest.Root(c.order[first])
		end, before := first, len(f.constraints.violated.List)
		gain := 0.0
		for ; end < len(c.order) && c.forest.Root(c.order[end]) == root; end++ {
			i := c.order[end]
			now := f.value[i]
			gain += f.gain(i, c.old[i])
			f.move(i, c.old[i])
			c.old[i] = now
		}
		if more := len(f.constraints.violated.List) - before; more > 0 || more == 0 && gain <= 1e-9*f.constraints.penalty {
			for _, i := range c.order[first:end] {
				f.move(i, c.old[i])
			}
		}
		first = end
	}
}

// cluster finds the clusters.
func (f *Search) cluster(other []bool) {
	c, n := &f.clusters, len(f.blocks)
	c.forest, c.old, c.order = grow.To(c.forest, n), grow.To(c.old, n), c.order[:0]
	for _, i := range f.active {
		c.forest[i], c.old[i] = i, f.valueIn(i, other)
		if c.old[i] != f.value[i] {
			c.order = append(c.order, i)
		}
	}
	bilinear := uint32(network.Unset)
	for _, i := range c.order {
		f.changes(i, c.old[i], func(a uint32) {
			f.neighbours(a, func(b uint32) {
				if j := f.of[b]; j < uint32(n) && f.s.X[b] != other[b] {
					c.forest.Unite(i, j)
				}
			})
			if !f.summed() || f.model.Bilinear.Degree(a) == 0 {
				return
			}
			if bilinear == network.Unset {
				bilinear = i
			}
			c.forest.Unite(bilinear, i)
		})
	}
	slices.SortStableFunc(c.order, func(a, b uint32) int { return int(c.forest.Root(a)) - int(c.forest.Root(b)) })
}

// valueIn returns the value of a block in a state.
func (f *Search) valueIn(i uint32, x []bool) int32 {
	b := &f.blocks[i]
	if b.unit {
		if x[b.start] {
			return 1
		}
		return 0
	}
	if k := slices.IndexFunc(f.atoms(i), func(a uint32) bool { return x[a] }); k >= 0 {
		return int32(k)
	}
	return int32(b.end - b.start)
}
