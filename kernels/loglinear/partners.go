package loglinear

import "resolwe/kernels/network"

// EachPartner calls f for each atom that shares an entity with atom a through a bilinear factor, once for each such factor and entity,
// with the product of their multiplicities. The atom itself is excluded: see EachSelf.
func (x *Bilinear) EachPartner(net *network.Network, a uint32, f func(b, factor uint32, mult int64)) {
	x.EachRow(net, a, func(s *network.Incidence, from, end, factor uint32, mult int64) {
		for i := from; i < end; i++ {
			if b := s.Atoms[i]; b != a {
				f(b, factor, mult*s.At(i))
			}
		}
	})
}

// LeastPartners returns a lower bound on the number of calls that EachPartner makes.
func (x *Bilinear) LeastPartners(net *network.Network, a uint32) (n int) {
	x.EachRow(net, a, func(_ *network.Incidence, from, end, _ uint32, _ int64) { n += max(0, int(end-from)-1) })
	return n
}

// EachRow calls f with each entity through which a bilinear factor couples atom a to others. From and end delimit the entity's atoms on the
// other incidence s, which may include a; one of multiplicity k there meets a mult*k times.
func (x *Bilinear) EachRow(net *network.Network, a uint32, f func(s *network.Incidence, from, end, factor uint32, mult int64)) {
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
			f(s, s.Start[row], s.Start[row+1], l.factor, own*int64(l.times))
		}
	}
}

// EachSelf calls f for each bilinear factor that multiplies an atom with itself, with the multiplicity of the resulting unary term.
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
