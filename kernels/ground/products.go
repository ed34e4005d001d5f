package ground

// products returns what remains of the meetings. Where the component of their atoms has fewer than least atoms, or few
// of them meet in a hub, the pairs are listed.
func (b *builder) products(least int) ([]Side, []Product) {
	meetings := b.meetings[:0]
	for _, m := range b.meetings {
		if len(m.coefs) > 0 {
			meetings = append(meetings, m)
		}
	}
	if len(meetings) == 0 {
		return nil, nil
	}
	small := b.smallComponents(meetings, least)
	keep := make([][]bool, len(b.sides)) // by side and hub
	for _, m := range meetings {
		l, r := b.sides[m.left], b.sides[m.right]
		for _, i := range [...]int{m.left, m.right} {
			if keep[i] == nil {
				keep[i] = make([]bool, l.Hubs())
			}
		}
		for h := range uint32(l.Hubs()) {
			switch {
			case len(l.of(h)) == 0 || len(r.of(h)) == 0:
			case small[l.of(h)[0]] || least > 0 && b.few(meetings, l.space, h):
				b.list(m, h)
			default:
				keep[m.left][h], keep[m.right][h] = true, true
			}
		}
	}
	return b.reduced(meetings, keep)
}

// few reports whether at most four incidences of atoms meet in a hub, in every meeting of a space.
func (b *builder) few(meetings []*meeting, space int, h uint32) bool {
	for _, m := range meetings {
		l, r := b.sides[m.left], b.sides[m.right]
		if l.space == space && len(l.of(h))*len(r.of(h)) > 4 {
			return false
		}
	}
	return true
}

// list adds the pairs that meet in a hub.
func (b *builder) list(m *meeting, h uint32) {
	l, r := b.sides[m.left], b.sides[m.right]
	for i := l.Start[h]; i < l.Start[h+1]; i++ {
		for j := r.Start[h]; j < r.Start[h+1]; j++ {
			x, y, n := l.Atoms[i], r.Atoms[j], l.At(i)*r.At(j)
			for _, c := range m.coefs {
				c.N = product(n, c.N)
				if x == y {
					b.unary.append(x, c)
				} else {
					b.pairs = append(b.pairs, pairEntry(x, y, c))
				}
			}
		}
	}
}

// reduced returns the meetings over the hubs that are kept.
func (b *builder) reduced(meetings []*meeting, keep [][]bool) ([]Side, []Product) {
	var sides []Side
	place := make([]int, len(b.sides)) // plus 1
	hubs := map[int][]uint32{}         // by space, those that some side keeps
	for i, s := range b.sides {
		if keep[i] != nil && hubs[s.space] == nil {
			hubs[s.space] = b.kept(s.space, keep)
		}
	}
	side := func(i int) uint32 {
		if place[i] == 0 {
			sides = append(sides, b.sides[i].restricted(hubs[b.sides[i].space], keep[i]))
			place[i] = len(sides)
		}
		return uint32(place[i] - 1)
	}
	var products []Product
	for _, m := range meetings {
		l, r := side(m.left), side(m.right)
		if len(sides[l].Atoms) > 0 && len(sides[r].Atoms) > 0 {
			products = append(products, Product{Left: min(l, r), Right: max(l, r), Coefs: m.coefs})
		}
	}
	if len(products) == 0 {
		return nil, nil
	}
	return sides, products
}

// kept lists the hubs of a space that some side keeps.
func (b *builder) kept(space int, keep [][]bool) []uint32 {
	var out []uint32
	hubs := 0
	for i, s := range b.sides {
		if s.space == space && keep[i] != nil {
			hubs = s.Hubs()
		}
	}
	for h := range hubs {
		for i, s := range b.sides {
			if s.space == space && keep[i] != nil && keep[i][h] {
				out = append(out, uint32(h))
				break
			}
		}
	}
	return out
}

// restricted returns a side over some of its hubs, empty where it is not to keep one.
func (s *side) restricted(hubs []uint32, keep []bool) Side {
	out := Side{Start: make([]uint32, 1, len(hubs)+1), Atoms: make([]uint32, 0, len(s.Atoms))}
	for _, h := range hubs {
		if keep[h] {
			out.Atoms = append(out.Atoms, s.of(h)...)
			if s.Mult != nil {
				out.Mult = append(out.Mult, s.Mult[s.Start[h]:s.Start[h+1]]...)
			}
		}
		out.Start = append(out.Start, uint32(len(out.Atoms)))
	}
	return out
}

// smallComponents reports for each atom whether its component has fewer than least atoms.
func (b *builder) smallComponents(meetings []*meeting, least int) []bool {
	f := newForest(b.atoms)
	for _, e := range b.pairs {
		f.unite(uint32(e.key>>32), uint32(e.key))
	}
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
		if s := b.sides[m.left]; m.left == m.right {
			united[m.left] = true
			for h := range uint32(s.Hubs()) {
				f.uniteAtoms(s.of(h))
			}
		}
	}
	for _, m := range meetings {
		if m.left != m.right {
			f.uniteSides(&b.sides[m.left].Side, &b.sides[m.right].Side, united[m.left], united[m.right])
		}
	}
	size := make([]int, b.atoms)
	for a := range uint32(b.atoms) {
		size[f.root(a)]++
	}
	small := make([]bool, b.atoms)
	for a := range uint32(b.atoms) {
		small[a] = size[f.root(a)] < least
	}
	return small
}

// forest is a union-find structure.
type forest []uint32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = uint32(i)
	}
	return f
}

func (f forest) root(a uint32) uint32 {
	for f[a] != a {
		f[a] = f[f[a]]
		a = f[a]
	}
	return a
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

// uniteSides unites the atoms of two sides that meet in a hub, where those of one side are not united already.
func (f forest) uniteSides(l, r *Side, leftUnited, rightUnited bool) {
	for h := range uint32(l.Hubs()) {
		x, y := l.Atoms[l.Start[h]:l.Start[h+1]], r.Atoms[r.Start[h]:r.Start[h+1]]
		if len(x) == 0 || len(y) == 0 {
			continue
		}
		f.unite(x[0], y[0])
		if !leftUnited {
			f.uniteAtoms(x)
		}
		if !rightUnited {
			f.uniteAtoms(y)
		}
	}
}

func (f forest) uniteLits(lits []Lit) {
	for _, l := range lits {
		f.unite(lits[0].Atom(), l.Atom())
	}
}
