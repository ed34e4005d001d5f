package loglinear

import (
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Couplings are the network's pairs, seen from the atoms. Pairs of equal coefficients mostly are of one class, whose energy is
// kept once.
//
// Where the pairs of each replica of the entities are the same ones, and there are no others, those of the first one tell all:
// atoms are then named by their places.
type Couplings struct {
	Class []uint32 // by pair
	First []uint32 // by class: a pair of it

	replicas   network.Replicas // one, unless pairs are the same in each
	period     int              // pairs of a replica
	start      []uint32         // neighbours[start[a]:start[a+1]] are those of atom a, ascending
	neighbours []uint32
	classes    []uint32 // parallel to neighbours

	Energy []float64 // by class
	Bond   []float64 // by class: probability of freezing equal atoms, or unequal ones where it is negative
}

func (t *Couplings) index(net *network.Network, x *Bilinear) {
	t.replicas = x.Replicas
	t.period = len(net.Pairs) / int(t.replicas.N)
	atoms, first, pairs := t.replicas.Shift, t.replicas.First, net.Pairs[:t.period]
	t.classify(net)
	start := grow.Zeroed(t.start, int(atoms)+2)
	for _, p := range pairs {
		start[p.A-first+2]++
		start[p.B-first+2]++
	}
	for a := range atoms {
		start[a+2] += start[a+1]
	}
	t.neighbours, t.classes = grow.To(t.neighbours, 2*len(pairs)), grow.To(t.classes, 2*len(pairs))
	for i, p := range pairs { // start[a+1] moves from the beginning of a's list to its end
		a, b := p.A-first, p.B-first
		k, l := start[a+1], start[b+1]
		t.neighbours[k], t.classes[k] = b, t.Class[i]
		t.neighbours[l], t.classes[l] = a, t.Class[i]
		start[a+1], start[b+1] = k+1, l+1
	}
	t.start = start
}

// classify finds equal coefficients by a table that remembers the last class of each hash.
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
	const odd = 0x9e3779b97f4a7c15
	h := uint64(0)
	for _, c := range coefs {
		h = (h ^ uint64(c.Formula)<<32 ^ uint64(c.Mult)) * odd
		h ^= h >> 32
	}
	return h
}

// coefs returns the coefficients of a class.
func (t *Couplings) coefs(net *network.Network, class uint32) []network.Coef {
	i := t.First[class]
	return net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]
}

// Of returns the atoms that have pairs with an atom, less a base, and the classes of those pairs.
func (t *Couplings) Of(a uint32) (neighbours, classes []uint32, base uint32) {
	place, replica := t.replicas.Of(a)
	if place == network.Unset {
		return nil, nil, 0
	}
	neighbours, classes = t.At(place)
	return neighbours, classes, t.replicas.Atom(0, replica)
}

// At is Of for the atoms at a place, without the base.
func (t *Couplings) At(place uint32) (neighbours, classes []uint32) {
	lo, hi := t.start[place], t.start[place+1]
	return t.neighbours[lo:hi], t.classes[lo:hi]
}

// Degree returns in how many pairs an atom is.
func (t *Couplings) Degree(a uint32) int {
	neighbours, _, _ := t.Of(a)
	return len(neighbours)
}

// weigh sets the energies.
func (t *Couplings) weigh(m *Model) {
	t.Energy = grow.To(t.Energy, len(t.First))
	for i := range t.Energy {
		t.Energy[i] = m.Energy(t.coefs(m.Net, uint32(i)))
	}
}

// split adds half of each of the couplings to the fields of its atoms, and sets the bonds.
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
