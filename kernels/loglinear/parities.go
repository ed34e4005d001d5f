package loglinear

import (
	"math"
	"slices"

	"resolwe/kernels/network"
)

// Parity is a factor on whether an odd number of three or more atoms is true. It consists of all conjunctions over the atoms with an odd
// number of positive literals, or with an even number, soft or as hard clauses. Equivalences and exclusive disjunctions give such
// conjunctions.
type Parity struct {
	Atoms []uint32
	Odd   bool // an odd number of true atoms is favoured

	// Energy is added by the favoured parity: at least 0, plus infinity for hard parities. What the terms have beyond it stays with them.
	Energy float64

	terms []uint32 // conjunctions or clauses
	class bool     // whether an odd number of atoms is true if a term holds; for a clause, if it does not
	hard  bool
}

// Holds reports whether a state has the favoured parity.
func (p *Parity) Holds(x []bool) bool {
	odd := false
	for _, a := range p.Atoms {
		odd = odd != x[a]
	}
	return odd == p.Odd
}

// Limits of the search: slice sampling solves equations in time cubic in the number of parities.
const (
	mostParityTerms = 2000 // conjunctions and clauses
	mostParities    = 256
)

// findParities lists the parities in the scope. It finds none if there are groups or bilinear factors, as slices are then sampled in
// other ways.
func (m *Model) findParities() {
	s, net := &m.Scope, m.Net
	m.Parities = m.Parities[:0]
	conjunctions, _ := slices.BinarySearch(s.Soft, uint32(len(net.Conjunctions)))
	if len(s.Groups) > 0 || m.Bilinear.Any() || conjunctions+len(s.Hard) > mostParityTerms {
		return
	}
	m.findParitiesAmong(s.Soft, false, m.SoftFactor)
	m.findParitiesAmong(s.Hard, true, m.HardFactor)
	if len(m.Parities) > mostParities {
		m.Parities = m.Parities[:0]
	}
}

// findParitiesAmong adds the parities of terms with three or more literals.
func (m *Model) findParitiesAmong(terms []uint32, hard bool, of func(i uint32) ([]network.Lit, *network.Feature)) {
	lits := func(i uint32) []network.Lit {
		lits, _ := of(i)
		return lits
	}
	byAtom := func(l, k network.Lit) int { return int(l.Atom()) - int(k.Atom()) }
	sorted := slices.DeleteFunc(slices.Clone(terms), func(i uint32) bool { return len(lits(i)) < 3 || len(lits(i)) > 12 })
	slices.SortStableFunc(sorted, func(i, j uint32) int { return slices.CompareFunc(lits(i), lits(j), byAtom) })
	for len(sorted) > 0 {
		first := lits(sorted[0])
		n := 1
		for n < len(sorted) && slices.CompareFunc(first, lits(sorted[n]), byAtom) == 0 {
			n++
		}
		for _, class := range [...]bool{false, true} {
			var terms []uint32
			for _, i := range sorted[:n] {
				if (oddTrue(lits(i)) != hard) == class { // a clause is violated if all its literals are false
					terms = append(terms, i)
				}
			}
			if len(terms) == 1<<(len(first)-1) {
				m.Parities = append(m.Parities, newParity(first, terms, class, hard))
			}
		}
		sorted = sorted[n:]
	}
}

func newParity(lits []network.Lit, terms []uint32, class, hard bool) Parity {
	p := Parity{terms: terms, class: class, hard: hard}
	for _, l := range lits {
		p.Atoms = append(p.Atoms, l.Atom())
	}
	return p
}

// oddTrue reports whether an odd number of literals is positive.
func oddTrue(lits []network.Lit) bool {
	odd := false
	for _, l := range lits {
		odd = odd != !l.Negated()
	}
	return odd
}

// weighParities assigns each parity the energy common to its conjunctions, and leaves the rest to those (SoftRest).
func (m *Model) weighParities() {
	m.SoftRest = append(m.SoftRest[:0], m.SoftEnergy...)
	for k := range m.Parities {
		p := &m.Parities[k]
		if p.hard {
			p.Odd, p.Energy = !p.class, math.Inf(1)
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for _, i := range p.terms {
			least, most = min(least, m.SoftRest[i]), max(most, m.SoftRest[i])
		}
		common := max(least, 0) + min(most, 0)
		for _, i := range p.terms {
			m.SoftRest[i] -= common
		}
		p.Odd, p.Energy = p.class == (common > 0), math.Abs(common)
	}
}
