package mcsat

import "resolwe/kernels/ground"

// components are the connected components of a network, numbered by their first atoms.
type components struct {
	of     []uint32 // by atom
	start  []uint32 // atoms[start[c]:start[c+1]] are those of component c, ascending
	atoms  []uint32
	forest forest
}

func (cs *components) find(m *Model) {
	net := m.net
	f := cs.forest.singletons(net.NumAtoms)
	cs.forest = f
	f.uniteProducts(net, &m.hubs)
	pairs := net.Pairs
	if m.ties.copied { // those of the first copy tell all
		f.unitePairs(pairs[:m.ties.period])
		pairs = nil
	}
	f.repeat(&m.hubs)
	f.unitePairs(pairs)
	for i := range net.Cubes {
		f.uniteLits(net.Cubes[i].Lits)
	}
	for _, clause := range net.Clauses {
		f.uniteLits(clause)
	}
	for i := range net.Features {
		f.uniteAtoms(net.Features[i].Atoms)
	}
	for i := range net.HardFeatures {
		f.uniteAtoms(net.HardFeatures[i].Atoms)
	}
	cs.number(net.NumAtoms)
}

func (cs *components) number(n int) {
	cs.of = resized(cs.of, n)
	cs.start = append(cs.start[:0], 0)
	for a := range uint32(n) {
		root := cs.forest.root(a)
		if root == a {
			cs.of[a] = uint32(len(cs.start) - 1)
			cs.start = append(cs.start, 0)
		}
		cs.of[a] = cs.of[root] // a root is the first atom of its tree
		cs.start[cs.of[a]+1]++
	}
	for c := 1; c < len(cs.start); c++ {
		cs.start[c] += cs.start[c-1]
	}
	cs.atoms = resized(cs.atoms, n)
	for a := n - 1; a >= 0; a-- { // backwards, start[c+1] moves down to c's first place
		end := &cs.start[cs.of[a]+1]
		*end--
		cs.atoms[*end] = uint32(a)
	}
	copy(cs.start, cs.start[1:])
	cs.start[len(cs.start)-1] = uint32(n)
}

func (cs *components) size(c uint32) int { return int(cs.start[c+1] - cs.start[c]) }

// NumComponents returns the number of connected components. Atoms of one pair, cube, feature, clause or hard
// feature, and those that meet in a hub, are connected, whatever its weight.
func (m *Model) NumComponents() int { return len(m.components.start) - 1 }

// Component returns the atoms of a component, ascending. The slice is the model's, valid until Reset.
func (m *Model) Component(c int) []uint32 {
	return m.components.atoms[m.components.start[c]:m.components.start[c+1]]
}

// scope is what is left to sampling.
type scope struct {
	exact    int // largest component that is not
	atoms    []uint32
	pairs    []uint32
	cubes    []uint32
	features []uint32
	loose    []uint32 // atoms that are in no product
	single   []uint32 // where there are products, atoms that are drawn one by one
	places   []uint32 // and places whose atoms are drawn side by side
	units    []uint32 // first atoms of the sets of atoms that flip together
	tied     []uint32 // atoms that are in a hard constraint of several
	pairwise bool     // no cubes, features and hard constraints
}

// SetExact leaves to sampling the components of more than maxAtoms atoms, and the others to [Expectation.Compute] and
// [Inference]. With 0 every atom is left to sampling. It panics where maxAtoms is beyond [ExactLimit].
// A [Chain] must be started anew after it.
func (m *Model) SetExact(maxAtoms int) {
	if maxAtoms > ExactLimit {
		panic("kernels/mcsat: too many atoms to enumerate")
	}
	net, s := m.net, &m.scope
	*s = scope{
		exact: maxAtoms, atoms: s.atoms[:0], pairs: s.pairs[:0], cubes: s.cubes[:0], features: s.features[:0],
		loose: s.loose[:0], single: s.single[:0], places: s.places[:0], units: s.units[:0], tied: s.tied[:0], pairwise: true,
	}
	for a := range uint32(net.NumAtoms) {
		if m.Sampled(a) {
			s.atoms = append(s.atoms, a)
			if !m.met(a) {
				s.loose = append(s.loose, a)
			}
		}
	}
	s.divide(m)
	all := len(s.atoms) == net.NumAtoms
	for i, p := range net.Pairs {
		if all || m.Sampled(p.A) {
			s.pairs = append(s.pairs, uint32(i))
		}
	}
	for i := range net.Cubes {
		if m.Sampled(net.Cubes[i].Lits[0].Atom()) {
			s.cubes = append(s.cubes, uint32(i))
		}
	}
	for i := range net.Features {
		if atoms := net.Features[i].Atoms; len(atoms) > 0 && m.Sampled(atoms[0]) {
			s.features = append(s.features, uint32(i))
		}
	}
	s.pairwise = len(s.cubes) == 0 && len(s.features) == 0
	hard := !m.clauses.empty() || !m.hard.empty()
	for _, a := range s.atoms {
		if hard && m.constrained(a) {
			s.pairwise = false
			if m.exchangeable(a) {
				s.tied = append(s.tied, a)
			}
		}
		if m.hardness.block[a].Atom() == a {
			s.units = append(s.units, a)
		}
	}
}

// divide divides the atoms of a network with products: where pairs tie no copy to another one, those of a place are drawn
// side by side.
func (s *scope) divide(m *Model) {
	x := &m.hubs
	if !x.any() {
		return
	}
	for _, a := range s.loose {
		if !m.ties.copied || m.ties.degree(a) == 0 {
			s.single = append(s.single, a)
		} else if place, copied := x.copies.of(a); copied == 0 {
			s.places = append(s.places, place)
		}
	}
	if m.ties.copied {
		s.places = append(s.places, x.met...)
		return
	}
	for copied := range x.copies.n {
		for _, place := range x.met {
			s.single = append(s.single, x.copies.atom(place, copied))
		}
	}
}

// exchangeable reports whether an atom is in a hard constraint of several atoms.
func (m *Model) exchangeable(a uint32) bool {
	for _, c := range m.clauses.of(a) {
		if len(m.net.Clauses[c>>1]) > 1 {
			return true
		}
	}
	for _, f := range m.hard.of(a) {
		if len(m.net.HardFeatures[f].Atoms) > 1 {
			return true
		}
	}
	return false
}

// Sampled reports whether an atom is left to sampling.
func (m *Model) Sampled(a uint32) bool { return m.components.size(m.components.of[a]) > m.scope.exact }

// SampledAtoms returns the atoms that are left to sampling, ascending. The slice is the model's, valid until SetExact.
func (m *Model) SampledAtoms() []uint32 { return m.scope.atoms }

// forest is a union-find structure; a root is the least element of its tree.
type forest []uint32

// singletons returns a forest of n trees, in f's memory where it is large enough.
func (f forest) singletons(n int) forest {
	f = resized(f, n)
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

func (f forest) uniteLits(lits []ground.Lit) {
	for _, l := range lits {
		f.unite(lits[0].Atom(), l.Atom())
	}
}

func (f forest) unitePairs(pairs []ground.Pair) {
	for _, p := range pairs {
		f.unite(p.A, p.B)
	}
}

// uniteProducts unites the atoms that meet in hubs of the first copy.
func (f forest) uniteProducts(net *ground.Network, x *hubs) {
	if !x.any() {
		return
	}
	united := make([]bool, len(net.Sides)) // those that meet themselves
	for _, p := range net.Products {
		if s := &net.Sides[p.Left]; p.Left == p.Right {
			united[p.Left] = true
			for h := range x.hubsOf(s) {
				f.uniteAtoms(s.Atoms[s.Start[h]:s.Start[h+1]])
			}
		}
	}
	for _, p := range net.Products {
		l, r := &net.Sides[p.Left], &net.Sides[p.Right]
		if p.Left == p.Right {
			continue
		}
		for h := range x.hubsOf(l) {
			a, b := l.Atoms[l.Start[h]:l.Start[h+1]], r.Atoms[r.Start[h]:r.Start[h+1]]
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			f.unite(a[0], b[0])
			if !united[p.Left] {
				f.uniteAtoms(a)
			}
			if !united[p.Right] {
				f.uniteAtoms(b)
			}
		}
	}
}

// repeat unites in the other copies what is united in the first one, and nowhere else.
func (f forest) repeat(x *hubs) {
	if !x.any() || x.copies.n == 1 {
		return
	}
	shift := x.copies.shift
	end := min(x.copies.atom(0, x.copies.n), uint32(len(f)))
	for a := x.copies.atom(0, 1); a < end; a++ {
		f[a] = f[a-shift] + shift
	}
}

func (f forest) uniteAtoms(atoms []uint32) {
	if len(atoms) == 0 {
		return
	}
	first := f.root(atoms[0])
	for _, a := range atoms[1:] {
		if f[a] == first {
			continue
		}
		f.unite(first, a)
		first = f[first] // which has become a root, or hangs on one
	}
}
