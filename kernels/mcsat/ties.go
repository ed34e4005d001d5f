package mcsat

import (
	"math"
	"slices"

	"resolwe/kernels/ground"
)

// ties are the network's pairs, seen from the atoms. Pairs of equal coefficients mostly are of one class, whose energy is
// kept once.
type ties struct {
	class []uint32 // by pair
	first []uint32 // by class: a pair of it

	start      []uint32 // neighbours[start[a]:start[a+1]] are those of atom a, ascending
	neighbours []uint32
	classes    []uint32 // parallel to neighbours

	energy []float64 // by class
	count  []int     // memory of addCounts
	bond   []float64 // by class: probability of freezing equal atoms, or unequal ones where it is negative
}

func (t *ties) index(net *ground.Network) {
	t.classify(net)
	start := zeroed(t.start, net.NumAtoms+2)
	for _, p := range net.Pairs {
		start[p.A+2]++
		start[p.B+2]++
	}
	for a := range net.NumAtoms {
		start[a+2] += start[a+1]
	}
	t.neighbours, t.classes = resized(t.neighbours, 2*len(net.Pairs)), resized(t.classes, 2*len(net.Pairs))
	for i, p := range net.Pairs { // start[a+1] moves from the beginning of a's list to its end
		k, l := start[p.A+1], start[p.B+1]
		t.neighbours[k], t.classes[k] = p.B, t.class[i]
		t.neighbours[l], t.classes[l] = p.A, t.class[i]
		start[p.A+1], start[p.B+1] = k+1, l+1
	}
	t.start = start
}

// classify finds equal coefficients by a table that remembers the last class of each hash.
func (t *ties) classify(net *ground.Network) {
	const slots = 1 << 10
	var table [slots]uint32 // class plus 1
	t.class, t.first = resized(t.class, len(net.Pairs)), t.first[:0]
	var last []ground.Coef
	for i := range net.Pairs {
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

// of returns the atoms that pairs tie to an atom, and the classes of those pairs.
func (t *ties) of(a uint32) (neighbours, classes []uint32) {
	lo, hi := t.start[a], t.start[a+1]
	return t.neighbours[lo:hi], t.classes[lo:hi]
}

// degree returns in how many pairs an atom is.
func (t *ties) degree(a uint32) int { return int(t.start[a+1] - t.start[a]) }

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
