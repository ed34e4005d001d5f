package ground

import (
	"slices"

	"resolwe/kernels/network"
)

// reduceBilinears sets a network's bilinear factors to what remains of its formulas' factors. If the component of their atoms has fewer
// than least atoms, or few of the atoms share an entity, the pairs are listed.
func (b *builder) reduceBilinears(net *network.Network, least int) {
	b.bilinears = slices.DeleteFunc(b.bilinears, func(m *bilinear) bool { return len(m.coefs) == 0 })
	if len(b.bilinears) == 0 {
		return
	}
	small := b.smallComponents(least)
	for _, m := range b.bilinears {
		sp := m.left.space
		if sp.many == nil {
			sp.many, sp.kept = make([]bool, sp.entities()), make([]bool, sp.entities())
		}
		for h := range sp.many {
			sp.many[h] = sp.many[h] || least == 0 || m.left.size(uint32(h))*m.right.size(uint32(h)) > 4
		}
	}
	for _, m := range b.bilinears {
		l, r, sp := m.left, m.right, m.left.space
		source := b.pairs.bundle(m.coefs)
		for h := range uint32(l.Entities()) {
			switch {
			case l.size(h) == 0 || r.size(h) == 0:
			case !sp.many[h] || small[l.Atoms[l.Start[h]]]:
				b.list(m, source, h)
			default:
				l.keep[h], r.keep[h], sp.kept[h] = true, true, true
			}
		}
	}
	for _, m := range b.bilinears {
		l, r := m.left.reduce(net), m.right.reduce(net)
		if len(net.Incidences[l].Atoms) > 0 && len(net.Incidences[r].Atoms) > 0 {
			net.Bilinears = append(net.Bilinears, network.Bilinear{Left: min(l, r), Right: max(l, r), Coefs: m.coefs})
		}
	}
	if len(net.Bilinears) == 0 {
		net.Incidences = nil
	}
}

// smallComponents reports for each atom whether its component has fewer than least atoms.
func (b *builder) smallComponents(least int) []bool {
	net := network.Network{
		NumAtoms: b.atoms, Conjunctions: b.conjunctions, Clauses: b.clauses, Features: b.features, HardFeatures: b.hardFeatures,
	}
	for _, s := range b.incidences {
		net.Incidences = append(net.Incidences, s.Incidence)
	}
	for _, m := range b.bilinears {
		net.Bilinears = append(net.Bilinears, network.Bilinear{Left: uint32(m.left.id), Right: uint32(m.right.id)})
	}
	f := network.Forest(nil).Connect(&net)
	for _, e := range b.pairs.list {
		f.Unite(uint32(e.key>>32), uint32(e.key))
	}
	size, small := make([]int, b.atoms), make([]bool, b.atoms)
	for a := range uint32(b.atoms) {
		size[f.Root(a)]++
	}
	for a := range uint32(b.atoms) {
		small[a] = size[f.Root(a)] < least
	}
	return small
}

// list adds the pairs that share an entity.
func (b *builder) list(m *bilinear, source, h uint32) {
	l, r := m.left, m.right
	for i := l.Start[h]; i < l.Start[h+1]; i++ {
		for j := r.Start[h]; j < r.Start[h+1]; j++ {
			x, y, n := l.Atoms[i], r.Atoms[j], l.At(i)*r.At(j)
			if x != y {
				b.pairs.add(x, y, source, n)
				continue
			}
			for _, c := range m.coefs {
				b.addUnary(c.Formula, x, product(n, c.Mult))
			}
		}
	}
}

// reduce adds the matrix to a network that lacks it, over the entities that its space keeps and with the atoms of those that it keeps
// itself, and returns its place.
func (s *incidence) reduce(net *network.Network) uint32 {
	if s.place > 0 {
		return uint32(s.place - 1)
	}
	out := network.Incidence{Start: []uint32{0}, Atoms: make([]uint32, 0, len(s.Atoms))}
	for h, kept := range s.space.kept {
		if !kept {
			continue
		}
		if from, to := s.Start[h], s.Start[h+1]; s.keep[h] {
			out.Atoms = append(out.Atoms, s.Atoms[from:to]...)
			if s.Mult != nil {
				out.Mult = append(out.Mult, s.Mult[from:to]...)
			}
		}
		out.Start = append(out.Start, uint32(len(out.Atoms)))
	}
	net.Incidences = append(net.Incidences, out)
	s.place = len(net.Incidences)
	return uint32(s.place - 1)
}
