package network

import (
	"resolwe/internal/grow"
)

// Components are the connected components of a network, numbered by their first atoms. Atoms in one pair, conjunction, feature, clause or
// hard feature, and atoms that share an entity through a bilinear factor, are connected, whatever the weight. The zero value is ready for
// [Components.Find], which reuses its memory.
type Components struct {
	of      []uint32 // by atom
	members grow.Lists
	n       int
	forest  Forest
}

// Find finds the components of a network.
func (cs *Components) Find(net *Network) {
	cs.forest = cs.forest.Connect(net)
	cs.of, cs.n = grow.To(cs.of, net.NumAtoms), 0
	for a := range uint32(net.NumAtoms) {
		root := cs.forest.Root(a)
		if root == a {
			cs.of[a] = uint32(cs.n)
			cs.n++
		}
		cs.of[a] = cs.of[root] // a root is the first atom of its tree
	}
	cs.members.Build(cs.n, func(emit func(component, atom uint32)) {
		for a, c := range cs.of {
			emit(c, uint32(a))
		}
	})
}

// Len returns the number of components.
func (cs *Components) Len() int { return cs.n }

// Of returns the component of an atom.
func (cs *Components) Of(a uint32) int { return int(cs.of[a]) }

// Atoms returns the atoms of a component, ascending. The slice is valid until the next Find.
func (cs *Components) Atoms(c int) []uint32 { return cs.members.Of(uint32(c)) }

// Forest is a union-find structure. The root of a tree is its smallest element.
type Forest []uint32

// Connect returns a forest whose trees are the components of a network. It reuses the memory of f if that is large enough.
func (f Forest) Connect(net *Network) Forest {
	f = grow.To(f, net.NumAtoms)
	for i := range f {
		f[i] = uint32(i)
	}
	f.uniteBilinears(net)
	for _, p := range net.Pairs[:len(net.Pairs)/int(max(1, net.Replicas.N))] { // those of the first replica suffice
		f.Unite(p.A, p.B)
	}
	if shift := net.Replicas.Shift; net.Replicas.N > 1 {
		for a := shift; a < uint32(len(f)); a++ {
			f[a] = f[a-shift] + shift
		}
	}
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

// Unite merges the trees of two elements.
func (f Forest) Unite(a, b uint32) {
	a, b = f.Root(a), f.Root(b)
	f[max(a, b)] = min(a, b)
}

func (f Forest) uniteLits(lits []Lit) {
	for _, l := range lits {
		f.Unite(lits[0].Atom(), l.Atom())
	}
}

// uniteBilinears unites the atoms that share entities of the first replica.
func (f Forest) uniteBilinears(net *Network) {
	united := make([]bool, len(net.Incidences)) // those multiplied with themselves
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

func (f Forest) uniteAtoms(atoms []uint32) {
	if len(atoms) == 0 {
		return
	}
	first := f.Root(atoms[0])
	for _, a := range atoms[1:] {
		if f[a] != first {
			f.Unite(first, a)
			first = f[first] // now a root, or the child of one
		}
	}
}
