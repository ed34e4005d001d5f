package network

import "slices"

// Components are the connected components of a network, numbered by their first atoms. Atoms of one pair, conjunction,
// feature, clause or hard feature, and those that a bilinear factor ties through an entity, are connected, whatever its
// weight. The zero value is ready for [Components.Find], which reuses its memory.
type Components struct {
	of     []uint32 // by atom
	start  []uint32 // atoms[start[c]:start[c+1]] are those of component c, ascending
	atoms  []uint32
	forest Forest
}

// Find finds the components of a network.
func (cs *Components) Find(net *Network) {
	cs.forest = cs.forest.Connect(net)
	n := net.NumAtoms
	cs.of = slices.Grow(cs.of[:0], n)[:n]
	cs.start = append(cs.start[:0], 0)
	for a := range uint32(n) {
		root := cs.forest.Root(a)
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
	cs.atoms = slices.Grow(cs.atoms[:0], n)[:n]
	for a := n - 1; a >= 0; a-- { // backwards, start[c+1] moves down to c's first place
		end := &cs.start[cs.of[a]+1]
		*end--
		cs.atoms[*end] = uint32(a)
	}
	copy(cs.start, cs.start[1:])
	cs.start[len(cs.start)-1] = uint32(n)
}

// Len returns the number of components.
func (cs *Components) Len() int { return len(cs.start) - 1 }

// Of returns the component of an atom.
func (cs *Components) Of(a uint32) int { return int(cs.of[a]) }

// Atoms returns the atoms of a component, ascending. The slice is valid until the next Find.
func (cs *Components) Atoms(c int) []uint32 { return cs.atoms[cs.start[c]:cs.start[c+1]] }

// Forest is a union-find structure, whose roots are the least of their trees.
type Forest []uint32

// Connect returns a forest whose trees are the components of a network, in the memory of f where it suffices.
func (f Forest) Connect(net *Network) Forest {
	f = slices.Grow(f[:0], net.NumAtoms)[:net.NumAtoms]
	for i := range f {
		f[i] = uint32(i)
	}
	f.uniteBilinears(net)
	pairs := net.Pairs
	if net.Replicas.Pairs { // those of the first replica tell all
		f.unitePairs(pairs[:len(pairs)/int(net.Replicas.N)])
		pairs = nil
	}
	f.repeat(&net.Replicas)
	f.unitePairs(pairs)
	for i := range net.Conjunctions {
		f.uniteLits(net.Conjunctions[i].Lits)
	}
	for _, clause := range net.Clauses {
		f.uniteLits(clause)
	}
	for _, features := range [...][]Feature{net.Features, net.HardFeatures} {
		for i := range features {
			f.uniteAtoms(features[i].Atoms)
		}
	}
	return f
}

// Root returns the root of an element's tree.
func (f Forest) Root(a uint32) uint32 {
	for f[a] != a {
		f[a] = f[f[a]]
		a = f[a]
	}
	return a
}

// Unite makes one tree of those of two elements.
func (f Forest) Unite(a, b uint32) {
	a, b = f.Root(a), f.Root(b)
	f[max(a, b)] = min(a, b)
}

func (f Forest) uniteLits(lits []Lit) {
	for _, l := range lits {
		f.Unite(lits[0].Atom(), l.Atom())
	}
}

func (f Forest) unitePairs(pairs []Pair) {
	for _, p := range pairs {
		f.Unite(p.A, p.B)
	}
}

// uniteBilinears unites the atoms that entities of the first replica tie.
func (f Forest) uniteBilinears(net *Network) {
	united := make([]bool, len(net.Incidences)) // those that are tied to themselves
	for _, p := range net.Bilinears {
		united[p.Left] = united[p.Left] || p.Left == p.Right
	}
	for _, p := range net.Bilinears {
		l, r := &net.Incidences[p.Left], &net.Incidences[p.Right]
		for e := range net.Replicas.Entities(l) {
			a, b := l.Atoms[l.Start[e]:l.Start[e+1]], r.Atoms[r.Start[e]:r.Start[e+1]]
			if len(a) == 0 || len(b) == 0 {
				continue
			}
			f.Unite(a[0], b[0])
			if p.Left == p.Right || !united[p.Left] {
				f.uniteAtoms(a)
			}
			if p.Left != p.Right && !united[p.Right] {
				f.uniteAtoms(b)
			}
		}
	}
}

// repeat unites in the other replicas what is united in the first one, and nowhere else.
func (f Forest) repeat(c *Replicas) {
	if c.N <= 1 {
		return
	}
	end := min(c.Atom(0, c.N), uint32(len(f)))
	for a := c.Atom(0, 1); a < end; a++ {
		f[a] = f[a-c.Shift] + c.Shift
	}
}

func (f Forest) uniteAtoms(atoms []uint32) {
	if len(atoms) == 0 {
		return
	}
	first := f.Root(atoms[0])
	for _, a := range atoms[1:] {
		if f[a] != first {
			f.Unite(first, a)
			first = f[first] // which has become a root, or hangs on one
		}
	}
}
