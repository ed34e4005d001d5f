package cut

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/format/recipe"
	"resolwe/format/table"
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// view computes a relation's rows around a center under the null hypothesis, see [recipe.View]. It is read-only.
type view struct {
	*recipe.View
	of     *relation
	rows   [2]*grow.Lists // by Center, and by Other if that may hold the center
	others [2]*frequent   // the entities of Other, and of Center if that may hold the others
	dicts  []*table.Dict
	swaps  []int // by center with one atom: the center whose labels it gets; itself for others
}

const (
	leastAlike   = 10  // least number of entities about as frequent
	shareAlike   = 100 // one of this many entities is about as frequent
	neighbors    = 10  // centers among which labels are exchanged
	triesOfAlike = 32  // draws before the range of frequencies is widened
)

// none represents a missing entry in the rows of a view.
const none = math.MaxUint64

func (c *compiler) newView(v *recipe.View) *view {
	of := c.relations[v.Of]
	out := &view{View: v, of: of, dicts: make([]*table.Dict, len(of.codes))}
	for i, t := range c.recipe.Relations[v.Of].Columns {
		if t.Kind == table.KindEntity {
			out.dicts[i] = c.universe.Dicts[t.Entity]
		}
	}
	out.rows[0] = of.rowsBy(v.Center, out.dicts[v.Center].Len())
	if v.Other < 0 {
		out.swap(c.plan.centers)
		return out
	}
	out.others[0] = of.frequent(v.Other, out.dicts[v.Other])
	if v.Both {
		out.rows[1], out.others[1] = of.rowsBy(v.Other, out.dicts[v.Other].Len()), of.frequent(v.Center, out.dicts[v.Center])
	}
	return out
}

// rowsBy returns the rows of a relation by the entity of a column, of which there are n.
func (r *relation) rowsBy(column, n int) *grow.Lists {
	x := &grow.Lists{}
	x.Build(n+1, func(emit func(entity, row uint32)) { // one more for missing entries
		for row, code := range r.codes[column] {
			emit(code, uint32(row))
		}
	})
	return x
}

// frequent holds the entities of a column ordered by frequency; the order among equals is arbitrary.
type frequent struct {
	order []uint32
	place []int32 // by entity, -1 for those that do not occur
}

func (r *relation) frequent(column int, dict *table.Dict) *frequent {
	counts := make([]uint32, dict.Len()+1) // one more for missing entries
	for _, code := range r.codes[column] {
		counts[code]++
	}
	f := &frequent{place: make([]int32, dict.Len())}
	keys := make([]uint64, dict.Len())
	for id := range f.place {
		if f.place[id] = -1; counts[id] > 0 {
			f.order = append(f.order, uint32(id))
			keys[id] = elementary.Hash(dict.Name(uint32(id)))
		}
	}
	slices.SortFunc(f.order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(keys[a], keys[b]), cmp.Compare(dict.Name(a), dict.Name(b)))
	})
	for i, id := range f.order {
		f.place[id] = int32(i)
	}
	return f
}

// draw returns a free entity about as frequent as another, widening the range until there is one; if there is none, it returns the other.
func (f *frequent) draw(of uint32, random *rand.PCG, free func(uint32) bool) uint32 {
	n, at := len(f.order), int(f.place[of])
	for size := max(leastAlike, (n+shareAlike-1)/shareAlike); ; size *= 2 {
		size = min(size, n)
		first := max(0, min(at-size/2, n-size))
		for range triesOfAlike {
			if id := f.order[first+int(below(random, uint64(size)))]; free(id) {
				return id
			}
		}
		if size == n {
			break
		}
	}
	first := int(below(random, uint64(n)))
	for i := range n {
		if id := f.order[(first+i)%n]; free(id) {
			return id
		}
	}
	return of
}

// fill writes the rows of the view around a center.
func (v *view) fill(dst *rows, center int, centers []Center, s *sorter) {
	dst.reset(len(v.of.codes))
	at := &centers[center]
	random := rand.NewPCG(v.Seed, elementary.Hash("null "+at.Name))
	if v.Other >= 0 {
		v.replace(dst, at, random)
	} else {
		v.relabel(dst, at, &centers[v.swaps[center]], random)
	}
	s.normalize(dst)
}

// row returns a row of the relation.
func (v *view) row(row uint32) []uint64 {
	out := make([]uint64, len(v.of.codes))
	for c := range out {
		if out[c] = v.of.value(int(row), c); v.lacks(row, c) {
			out[c] = none
		}
	}
	return out
}

func (v *view) lacks(row uint32, column int) bool {
	return v.of.empty[column] != nil && v.of.empty[column](int(row))
}

// replace writes the rows around a center with distinct random entities instead of those named, whoever these are. Excluding the named ones
// would leave them for the atoms drawn as false, or make frequent ones missing there.
func (v *view) replace(dst *rows, at *Center, random *rand.PCG) {
	columns := [2]int{v.Other, v.Center}
	given, taken := map[uint32]uint32{at.Entity: at.Entity}, map[uint32]bool{at.Entity: true}
	for side, f := range v.others {
		if f == nil {
			continue
		}
		var list []uint32
		for _, row := range v.rows[side].Of(at.Entity) {
			if id := v.of.codes[columns[side]][row]; !v.lacks(row, columns[side]) {
				list = append(list, id)
			}
		}
		slices.SortFunc(list, func(a, b uint32) int { return cmp.Compare(f.place[a], f.place[b]) })
		for _, id := range list {
			if _, known := given[id]; !known {
				given[id] = f.draw(id, random, func(x uint32) bool { return !taken[x] })
				taken[given[id]] = true
			}
		}
	}
	for side, f := range v.others {
		if f == nil {
			continue
		}
		for _, row := range v.rows[side].Of(at.Entity) {
			values, column := v.row(row), columns[side]
			if values[column] != none {
				values[column] = uint64(given[uint32(values[column])])
			}
			dst.data = append(dst.data, values...)
			dst.n++
		}
	}
}

// atoms returns the labeled rows around a center, grouped by atom; atoms are ordered by names and values. The other rows are in rest.
func (v *view) atoms(at *Center) (atoms [][][]uint64, rest [][]uint64) {
	var all [][]uint64
	for _, row := range v.rows[0].Of(at.Entity) {
		values := v.row(row)
		if slices.ContainsFunc(v.Labels, func(c int) bool { return values[c] == none }) {
			rest = append(rest, values)
		} else {
			all = append(all, values)
		}
	}
	compare := func(a, b []uint64) int {
		for _, c := range v.Atoms {
			switch {
			case a[c] == b[c]:
			case a[c] == none || b[c] == none:
				return cmp.Compare(a[c], b[c])
			default:
				return cmp.Compare(v.dicts[c].Name(uint32(a[c])), v.dicts[c].Name(uint32(b[c])))
			}
		}
		return 0
	}
	slices.SortStableFunc(all, compare)
	for i, values := range all {
		if i == 0 || compare(all[i-1], values) != 0 {
			atoms = append(atoms, nil)
		}
		last := &atoms[len(atoms)-1]
		*last = append(*last, values)
	}
	return atoms, rest
}

// relabel writes the rows around a center, giving each atom the labels of another.
func (v *view) relabel(dst *rows, at, from *Center, random *rand.PCG) {
	atoms, rest := v.atoms(at)
	labels := atoms
	if from != at {
		labels, _ = v.atoms(from)
	} else if len(atoms) > 1 {
		labels = shuffled(atoms, random)
	}
	for i, own := range atoms {
		for _, values := range own {
			for _, other := range labels[i] {
				dst.data = append(dst.data, values...)
				for _, c := range v.Labels {
					dst.data[len(dst.data)-len(values)+c] = other[c]
				}
				dst.n++
			}
		}
	}
	for _, values := range rest {
		dst.data = append(dst.data, values...)
		dst.n++
	}
}

// swap determines whose labels centers with one atom get: those of another among ten neighbors.
func (v *view) swap(centers []Center) {
	v.swaps = make([]int, len(centers))
	var single []int
	for i := range centers {
		v.swaps[i] = i
		if atoms, _ := v.atoms(&centers[i]); len(atoms) == 1 {
			single = append(single, i)
		}
	}
	for groups := max(1, len(single)/neighbors); len(single) > 0; groups-- {
		n := len(single) / groups
		random := rand.NewPCG(v.Seed, elementary.Hash("null of "+centers[single[0]].Name))
		for i, k := range shuffled(single[:n], random) {
			v.swaps[single[i]] = k
		}
		single = single[n:]
	}
}

// shuffled returns a random permutation of a list.
func shuffled[T any](list []T, random *rand.PCG) []T {
	out := slices.Clone(list)
	for i := range out {
		j := i + int(below(random, uint64(len(out)-i)))
		out[i], out[j] = out[j], out[i]
	}
	return out
}
