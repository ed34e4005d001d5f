package loglinear

import "resolwe/kernels/network"

// EachPartner calls f for each atom that bilinear factors of the network tie to an atom through an entity, once for each
// such factor and entity, with the multiplicity of their product. The atom itself is left out: see EachSelf.
func (x *Bilinear) EachPartner(net *network.Network, a uint32, f func(b, factor uint32, mult int64)) {
	if !x.Any() {
		return
	}
	first, end, replica := x.of(a)
	for k := first; k < end; k++ {
		entity, own := x.items[k], int64(1)
		if len(x.mult) > 0 {
			own = x.mult[k]
		}
		for _, l := range x.links[x.incidence[entity]] {
			partner := x.incidence[entity+l.shift]
			s, base := &net.Incidences[partner], x.Base[partner]
			row := entity + l.shift - base + replica*(x.Base[partner+1]-base)
			for i := s.Start[row]; i < s.Start[row+1]; i++ {
				if b := s.Atoms[i]; b != a {
					f(b, l.factor, own*s.At(i)*int64(l.times))
				}
			}
		}
	}
}

// EachSelf calls f for each bilinear factor that multiplies an atom with itself, with the multiplicity of its being true.
func (x *Bilinear) EachSelf(a uint32, f func(factor uint32, mult int64)) {
	if !x.Any() {
		return
	}
	place, _ := x.Replicas.Of(a)
	for i, self := range x.Self {
		if place < uint32(len(self)) && self[place] != 0 {
			f(uint32(i), self[place])
		}
	}
}

// EachPair calls f for each atom after an atom that a pair ties to it, with the class of the pair.
func (m *Model) EachPair(a uint32, f func(b, class uint32)) {
	neighbours, classes, base := m.Couplings.Of(a)
	for k, b := range neighbours {
		if b += base; b > a {
			f(b, classes[k])
		}
	}
}

// EachFirst calls the function of its kind for each conjunction, feature, clause and hard feature whose first atom an atom is.
func (m *Model) EachFirst(a uint32, conjunction, feature, clause, hard func(i uint32)) {
	net := m.Net
	for _, ref := range m.Conjunctions.Of(a) {
		if net.Conjunctions[ref>>1].Lits[0].Atom() == a {
			conjunction(ref >> 1)
		}
	}
	for _, i := range m.Features.Of(a) {
		if net.Features[i].Atoms[0] == a {
			feature(i)
		}
	}
	for _, ref := range m.Clauses.Of(a) {
		if net.Clauses[ref>>1][0].Atom() == a {
			clause(ref >> 1)
		}
	}
	for _, i := range m.HardFeatures.Of(a) {
		if net.HardFeatures[i].Atoms[0] == a {
			hard(i)
		}
	}
}
