package mcsat

import (
	"math"
	"slices"

	"resolwe/kernels/ground"
)

// ties are the network's pairs, seen from the atoms. Pairs of equal coefficients mostly are of one class, whose energy is
// kept once.
//
// Where the pairs of each copy of the hubs are the same ones, and there are no others, those of the first one tell all:
// atoms are then named by their places.
type ties struct {
	class []uint32 // by pair
	first []uint32 // by class: a pair of it

	copied     bool
	copies     copies   // of the hubs, where copied
	period     int      // pairs of a copy, or all
	start      []uint32 // neighbours[start[a]:start[a+1]] are those of atom a, ascending
	neighbours []uint32
	classes    []uint32 // parallel to neighbours

	energy []float64 // by class
	count  []int     // memory of addCounts
	bond   []float64 // by class: probability of freezing equal atoms, or unequal ones where it is negative
}

func (t *ties) index(net *ground.Network, x *hubs) {
	atoms, first := uint32(net.NumAtoms), uint32(0)
	t.period = len(net.Pairs)
	t.copied = x.any() && x.copies.repeatPairs(net)
	if t.copied {
		t.copies = x.copies
		t.period /= int(t.copies.n)
		atoms, first = t.copies.shift, t.copies.first
	}
	pairs := net.Pairs[:t.period]
	t.classify(net)
	start := zeroed(t.start, int(atoms)+2)
	for _, p := range pairs {
		start[p.A-first+2]++
		start[p.B-first+2]++
	}
	for a := range atoms {
		start[a+2] += start[a+1]
	}
	t.neighbours, t.classes = resized(t.neighbours, 2*len(pairs)), resized(t.classes, 2*len(pairs))
	for i, p := range pairs { // start[a+1] moves from the beginning of a's list to its end
		a, b := p.A-first, p.B-first
		k, l := start[a+1], start[b+1]
		t.neighbours[k], t.classes[k] = b, t.class[i]
		t.neighbours[l], t.classes[l] = a, t.class[i]
		start[a+1], start[b+1] = k+1, l+1
	}
	t.start = start
}

// classify finds equal coefficients by a table that remembers the last class of each hash.
func (t *ties) classify(net *ground.Network) {
	const slots = 1 << 10
	var table [slots]uint32 // class plus 1
	t.class, t.first = resized(t.class, len(net.Pairs)), t.first[:0]
	var last []ground.Coef
	for i := range t.period {
		coefs := net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]
		if i > 0 && slices.Equal(coefs, last) {
			t.class[i] = t.class[i-1]
			continue
		}
		last = coefs
		slot := hash(coefs) % slots
		if known := table[slot]; known == 0 || !slices.Equal(coefs, t.coefs(net, known-1)) {
			t.first = append(t.first, uint32(i))
			table[slot] = uint32(len(t.first))
		}
		t.class[i] = table[slot] - 1
	}
	for i := t.period; i < len(t.class); i += t.period {
		copy(t.class[i:], t.class[:t.period])
	}
}

func hash(coefs []ground.Coef) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(0)
	for _, c := range coefs {
		h = (h ^ uint64(c.Formula)<<32 ^ uint64(c.N)) * odd
		h ^= h >> 32
	}
	return h
}

// coefs returns the coefficients of a class.
func (t *ties) coefs(net *ground.Network, class uint32) []ground.Coef {
	i := t.first[class]
	return net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]
}

// of returns the atoms that pairs tie to an atom, less a base, and the classes of those pairs.
func (t *ties) of(a uint32) (neighbours, classes []uint32, base uint32) {
	if t.copied {
		place, copied := t.copies.of(a)
		if place == unset {
			return nil, nil, 0
		}
		a, base = place, t.copies.atom(0, copied)
	}
	neighbours, classes = t.at(a)
	return neighbours, classes, base
}

// at is of for the atoms at a place, where the pairs are copied.
func (t *ties) at(place uint32) (neighbours, classes []uint32) {
	lo, hi := t.start[place], t.start[place+1]
	return t.neighbours[lo:hi], t.classes[lo:hi]
}

// degree returns in how many pairs an atom is.
func (t *ties) degree(a uint32) int {
	neighbours, _, _ := t.of(a)
	return len(neighbours)
}

// addCounts adds the coefficients of the pairs that are true in a state.
func (t *ties) addCounts(dst []float64, net *ground.Network, x []bool) {
	t.count = zeroed(t.count, len(t.first))
	for i, p := range net.Pairs {
		t.count[t.class[i]] += int(mask(x[p.A]) & mask(x[p.B]) & 1)
	}
	for class, n := range t.count {
		addCoefs(dst, t.coefs(net, uint32(class)), float64(n))
	}
}

// weigh sets the energies.
func (t *ties) weigh(m *Model) {
	t.energy = resized(t.energy, len(t.first))
	for i := range t.energy {
		t.energy[i] = m.energy(t.coefs(m.net, uint32(i)))
	}
}

// split adds half of each of the couplings to the fields of its atoms, and sets the bonds.
func (t *ties) split(fields []float64, pairs []ground.Pair) {
	t.bond = resized(t.bond, len(t.energy))
	for i, j := range t.energy {
		t.bond[i] = math.Copysign(-math.Expm1(-math.Abs(j)/2), j)
	}
	for i, p := range pairs {
		j := t.energy[t.class[i]] / 2
		fields[p.A] += j
		fields[p.B] += j
	}
}
