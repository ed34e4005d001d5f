package loglinear

import (
	"math"
	"slices"

	"resolwe/kernels/network"
)

// Parity is a factor of three or more atoms that tells whether an odd number of them is true: all conjunctions over the atoms
// of which an odd number of literals is un-negated, or an even number, as equivalences and exclusive disjunctions give, soft
// or as hard clauses.
type Parity struct {
	Atoms []uint32
	Odd   bool // an odd number of true atoms is more probable, or the only one

	// Energy is what the favoured parity adds, at least 0; plus infinity for hard ones. The terms have the rest of their own.
	Energy float64

	terms []uint32 // conjunctions or clauses
	class bool     // whether an odd number of atoms is true where a term holds; of a clause, where it does not
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

// Bounds of what is looked for: slices solve equations in time that grows with the cube of the parities.
const (
	mostParityTerms = 2000 // conjunctions and clauses
	mostParities    = 256
)

// findParities lists the parities of the scope, none where there are groups or bilinear factors: slices are then moved through
// in other ways.
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

// findParitiesAmong adds the parities of terms of three and more literals.
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
				if (oddTrue(lits(i)) != hard) == class { // a clause does not hold where its literals are all false
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

// oddTrue reports whether an odd number of literals is un-negated.
func oddTrue(lits []network.Lit) bool {
	odd := false
	for _, l := range lits {
		odd = odd != !l.Negated()
	}
	return odd
}

// weighParities gives each parity what its conjunctions have in common, and leaves them the rest: see SoftRest.
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
