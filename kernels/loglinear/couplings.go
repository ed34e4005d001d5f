package loglinear

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Couplings index the network's pairs by atom. Pairs with equal coefficients usually share a class, whose energy is stored once. Only the
// pairs of the first replica are stored: atoms are identified by their places.
type Couplings struct {
	Class []uint32 // by pair
	First []uint32 // by class: one of its pairs

	replicas   network.Replicas
	period     int      // number of pairs in a replica
	start      []uint32 // neighbours[start[a]:start[a+1]] are those of atom a, ascending
	neighbours []uint32
	classes    []uint32 // parallel to neighbours

	Energy []float64 // by class
	Bond   []float64 // by class: probability of freezing equal atoms, or unequal ones if negative
}

func (t *Couplings) index(net *network.Network, x *Bilinear) {
	t.replicas = x.Replicas
	t.period = len(net.Pairs) / int(t.replicas.N)
	atoms, pairs := t.replicas.Shift, net.Pairs[:t.period]
	t.classify(net)
	start := grow.Zeroed(t.start, int(atoms)+2)
	for _, p := range pairs {
		start[p.A+2]++
		start[p.B+2]++
	}
	for a := range atoms {
		start[a+2] += start[a+1]
	}
	t.neighbours, t.classes = grow.To(t.neighbours, 2*len(pairs)), grow.To(t.classes, 2*len(pairs))
	for i, p := range pairs { // start[a+1] moves from the start of a's list to its end
		k, l := start[p.A+1], start[p.B+1]
		t.neighbours[k], t.classes[k] = p.B, t.Class[i]
		t.neighbours[l], t.classes[l] = p.A, t.Class[i]
		start[p.A+1], start[p.B+1] = k+1, l+1
	}
	t.start = start
}

// classify finds equal coefficients using a table of the last class for each hash.
func (t *Couplings) classify(net *network.Network) {
	const slots = 1 << 10
	var table [slots]uint32 // class plus 1
	t.Class, t.First = grow.To(t.Class, len(net.Pairs)), t.First[:0]
	var last []network.Coef
	for i := range t.period {
		coefs := net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]
		if i > 0 && slices.Equal(coefs, last) {
			t.Class[i] = t.Class[i-1]
			continue
		}
		last = coefs
		slot := hash(coefs) % slots
		if known := table[slot]; known == 0 || !slices.Equal(coefs, t.coefs(net, known-1)) {
			t.First = append(t.First, uint32(i))
			table[slot] = uint32(len(t.First))
		}
		t.Class[i] = table[slot] - 1
	}
	for i := t.period; i < len(t.Class); i += t.period {
		copy(t.Class[i:], t.Class[:t.period])
	}
}

func hash(coefs []network.Coef) uint64 {
	h := uint64(0)
	for _, c := range coefs {
		h = (h ^ uint64(c.Formula)<<32 ^ uint64(c.Mult)) * elementary.Golden
		h ^= h >> 32
	}
	return h
}

// coefs returns the coefficients of a class.
func (t *Couplings) coefs(net *network.Network, class uint32) []network.Coef {
	i := t.First[class]
	return net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]
}

// Of returns the neighbours of an atom, relative to base, and the classes of their pairs.
func (t *Couplings) Of(a uint32) (neighbours, classes []uint32, base uint32) {
	place, replica := t.replicas.Of(a)
	neighbours, classes = t.At(place)
	return neighbours, classes, t.replicas.Atom(0, replica)
}

// At is Of for the atoms at a place, without the base.
func (t *Couplings) At(place uint32) (neighbours, classes []uint32) {
	lo, hi := t.start[place], t.start[place+1]
	return t.neighbours[lo:hi], t.classes[lo:hi]
}

// Degree returns the number of pairs with an atom.
func (t *Couplings) Degree(a uint32) int {
	neighbours, _, _ := t.Of(a)
	return len(neighbours)
}

// weigh computes the energies.
func (t *Couplings) weigh(m *Model) {
	t.Energy = grow.To(t.Energy, len(t.First))
	for i := range t.Energy {
		t.Energy[i] = m.Energy(t.coefs(m.Net, uint32(i)))
	}
}

// split adds half of each coupling to the fields of its atoms, and computes the bonds.
func (t *Couplings) split(fields []float64, pairs []network.Pair) {
	t.Bond = grow.To(t.Bond, len(t.Energy))
	for i, j := range t.Energy {
		t.Bond[i] = math.Copysign(-elementary.Expm1(-math.Abs(j)/2), j)
	}
	for i, p := range pairs {
		j := float64(t.Energy[t.Class[i]] / 2)
		fields[p.A] += j
		fields[p.B] += j
	}
}
