package cut

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"

	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// nameOrder orders the entities of a type by name, so that samples do not depend on the order of the tables' rows.
type nameOrder struct {
	ids   []uint32 // by rank
	ranks []uint32 // by id
}

func orderNames(d *table.Dict) *nameOrder {
	names := make([]string, d.Len())
	o := &nameOrder{ids: make([]uint32, len(names)), ranks: make([]uint32, len(names))}
	for i := range names {
		names[i], o.ids[i] = d.Name(uint32(i)), uint32(i)
	}
	slices.SortFunc(o.ids, func(a, b uint32) int { return cmp.Compare(names[a], names[b]) })
	for rank, id := range o.ids {
		o.ranks[id] = uint32(rank)
	}
	return o
}

// sampler draws samples, reusing its memory.
type sampler struct {
	pcg    rand.PCG
	order  []int
	ranked rows
}

// draw keeps at most k of the rows, uniformly without replacement, whatever the rows' order. quotas, if any, limit the number for each last
// value, and are used up. names holds the order of the columns' entities, nil for values.
func (d *sampler) draw(r *rows, k int, quotas map[uint64]int, seed, key uint64, names []*nameOrder, s *sorter) {
	if k >= r.n && quotas == nil {
		return
	}
	d.ranked.reset(r.width)
	for i, v := range r.data {
		if o := names[i%r.width]; o != nil {
			v = uint64(o.ranks[v])
		}
		d.ranked.data = append(d.ranked.data, v)
	}
	d.ranked.n = r.n
	s.normalize(&d.ranked)
	d.order = grow.To(d.order, r.n)
	for i := range d.order {
		d.order[i] = i
	}
	d.pcg.Seed(seed, key)
	r.reset(r.width)
	for i := 0; i < len(d.order) && r.n < k; i++ { // the first steps of a Fisher-Yates shuffle
		j := i + int(below(&d.pcg, uint64(len(d.order)-i)))
		d.order[i], d.order[j] = d.order[j], d.order[i]
		for c, v := range d.ranked.row(d.order[i]) {
			if o := names[c]; o != nil {
				v = uint64(o.ids[v])
			}
			r.data = append(r.data, v)
		}
		if quotas != nil {
			last := r.data[len(r.data)-1]
			if quotas[last] == 0 {
				r.data = r.data[:len(r.data)-r.width]
				continue
			}
			quotas[last]--
		}
		r.n++
	}
	s.normalize(r)
}

// drawCenters returns the positions of the centers in a sample, ascending, or all without one. A sample keeps the centers with the least
// random numbers, which depend on the seed and the name.
func drawCenters(centers []Center, s *recipe.Sample) []int {
	keep := make([]int, len(centers))
	for i := range keep {
		keep[i] = i
	}
	if s == nil || s.N >= len(centers) {
		return keep
	}
	numbers := make([]uint64, len(centers))
	for i := range centers {
		numbers[i] = rand.NewPCG(s.Seed, elementary.Hash(centers[i].Name)).Uint64()
	}
	slices.SortFunc(keep, func(a, b int) int {
		return cmp.Or(cmp.Compare(numbers[a], numbers[b]), cmp.Compare(centers[a].Name, centers[b].Name))
	})
	keep = keep[:s.N]
	slices.Sort(keep)
	return keep
}

// below returns a uniformly random number below n (Lemire, 2019).
func below(p *rand.PCG, n uint64) uint64 {
	hi, lo := bits.Mul64(p.Uint64(), n)
	for lo < n && lo < -n%n {
		hi, lo = bits.Mul64(p.Uint64(), n)
	}
	return hi
}

// namesOf returns the orders of the columns' entities, computing new ones.
func namesOf(columns []recipe.Type, u *table.Universe, known map[int]*nameOrder) []*nameOrder {
	out := make([]*nameOrder, len(columns))
	for i, t := range columns {
		if t.Kind != table.KindEntity {
			continue
		}
		if known[t.Entity] == nil {
			known[t.Entity] = orderNames(u.Dicts[t.Entity])
		}
		out[i] = known[t.Entity]
	}
	return out
}
