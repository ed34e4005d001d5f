package ground

import "slices"

// smallComponents reports for each atom whether its component has fewer than least atoms.
func (b *builder) smallComponents(meetings []*meeting, least int) []bool {
	f := b.forest.grown(b.atoms)
	b.forest = f
	for i := range b.cubeList {
		f.uniteLits(b.cubeList[i].Lits)
	}
	for _, c := range b.clauses {
		f.uniteLits(c)
	}
	for _, fs := range [...][]Feature{b.features, b.hardFeatures} {
		for i := range fs {
			f.uniteAtoms(fs[i].Atoms)
		}
	}
	united := make([]bool, len(b.sides)) // those that meet themselves
	for _, m := range meetings {
		united[m.left] = united[m.left] || m.left == m.right
	}
	for _, m := range meetings {
		l, r := b.sides[m.left], b.sides[m.right]
		f.tie(l, r, l == r || !united[m.left], l != r && !united[m.right])
	}
	f.flatten()
	for _, e := range b.pairs.list {
		if x, y := uint32(e.key>>32), uint32(e.key); f[x] != f[y] {
			f.unite(x, y)
		}
	}
	f.flatten()
	size := make([]int, b.atoms)
	for _, root := range f {
		size[root]++
	}
	small := make([]bool, b.atoms)
	for a, root := range f {
		small[a] = size[root] < least
	}
	return small
}

// forest is a union-find structure, whose roots are the least of their trees.
type forest []uint32

// grown returns a forest of n elements of which none are united, in the memory of f where it suffices.
func (f forest) grown(n int) forest {
	f = slices.Grow(f[:0], n)[:n]
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

// tie unites the atoms of two sides that meet in a hub; of a side all of a hub, or only one with one of the other side.
func (f forest) tie(l, r *side, allLeft, allRight bool) {
	for h := range uint32(l.Hubs()) {
		x, y := l.of(h), r.of(h)
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		f.unite(x[0], y[0])
		if allLeft {
			f.uniteAtoms(x)
		}
		if allRight {
			f.uniteAtoms(y)
		}
	}
}

func (f forest) root(a uint32) uint32 {
	for f[a] != a {
		f[a] = f[f[a]]
		a = f[a]
	}
	return a
}

// flatten hangs each element on its root.
func (f forest) flatten() {
	for a, parent := range f {
		f[a] = f[parent]
	}
}

func (f forest) unite(a, b uint32) {
	a, b = f.root(a), f.root(b)
	f[max(a, b)] = min(a, b)
}

func (f forest) uniteAtoms(atoms []uint32) {
	if len(atoms) == 0 {
		return
	}
	first := f.root(atoms[0])
	for _, a := range atoms[1:] {
		if f[a] != first {
			f.unite(first, a)
			first = f[first] // which has become a root, or hangs on one
		}
	}
}

func (f forest) uniteLits(lits []Lit) {
	for _, l := range lits {
		f.unite(lits[0].Atom(), l.Atom())
	}
}
