package loglinear

import (
	"cmp"
	"math"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/kernels/network"
)

// Parity is a factor on whether an odd number of atoms is true. It consists of all conjunctions over three or more atoms with an odd number
// of positive literals, or with an even number, soft or as hard clauses; equivalences and exclusive disjunctions give such conjunctions. Or
// it is a feature that depends on nothing else.
type Parity struct {
	Atoms []uint32
	Odd   bool // an odd number of true atoms is favoured

	// Energy is added by the favoured parity: at least 0, plus infinity for hard parities. What the terms have beyond it stays with them.
	Energy float64

	terms []uint32 // soft factors, or hard constraints
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

// mostParities limits the parities in the scope: slice sampling solves equations in time cubic in their number.
const mostParities = 512

// findHardParities lists the parities among the hard constraints.
func (m *Model) findHardParities() {
	terms := make([]uint32, m.Constraints())
	for i := range terms {
		terms[i] = uint32(i)
	}
	m.HardParities = m.appendParities(m.HardParities[:0], terms, true, m.HardFactor)
}

// findParities lists the parities in the scope. It finds no soft ones if there are groups or bilinear factors, as slices are then sampled in
// other ways.
func (m *Model) findParities() {
	s := &m.Scope
	m.Parities = m.Parities[:0]
	if len(s.Groups) == 0 && !m.Bilinear.Any() {
		m.Parities = m.appendParities(m.Parities, s.Soft, false, m.SoftFactor)
	}
	soft := len(m.Parities)
	for _, p := range m.HardParities {
		if len(p.Atoms) > 0 && m.Sampled(p.Atoms[0]) {
			m.Parities = append(m.Parities, p)
		}
	}
	if len(m.Parities) > mostParities {
		m.Parities = slices.Delete(m.Parities, 0, soft)
	}
	if len(m.Parities) > mostParities {
		m.Parities = m.Parities[:0]
	}
}

// appendParities appends the parities of terms: of sets of conjunctions or clauses with three or more literals, and of features.
func (m *Model) appendParities(dst []Parity, terms []uint32, hard bool, of func(i uint32) ([]network.Lit, *network.Feature)) []Parity {
	lits := func(i uint32) []network.Lit {
		lits, _ := of(i)
		return lits
	}
	byAtom := func(l, k network.Lit) int { return int(l.Atom()) - int(k.Atom()) }
	sorted := m.frequent(terms, lits)
	slices.SortFunc(sorted, func(i, j uint32) int {
		return cmp.Or(slices.CompareFunc(lits(i), lits(j), byAtom), slices.Compare(lits(i), lits(j)))
	})
	sorted = slices.CompactFunc(sorted, func(i, j uint32) bool { return slices.Equal(lits(i), lits(j)) })
	for len(sorted) > 0 {
		first := lits(sorted[0])
		n := 1
		for n < len(sorted) && slices.CompareFunc(first, lits(sorted[n]), byAtom) == 0 {
			n++
		}
		for _, class := range [...]bool{false, true} {
			var terms []uint32
			for _, i := range sorted[:n] {
				if oddTrue(lits(i), hard) == class {
					terms = append(terms, i)
				}
			}
			if len(terms) == 1<<(len(first)-1) {
				dst = append(dst, newParity(first, terms, class, hard))
			}
		}
		sorted = sorted[n:]
	}
	var x []bool
	for _, i := range terms {
		if _, feature := of(i); feature != nil {
			if x == nil {
				x = make([]bool, m.Net.NumAtoms)
			}
			if atoms, odd, ok := parityOf(feature.Root, x); ok {
				dst = append(dst, Parity{Atoms: atoms, Odd: odd, terms: []uint32{i}, class: odd != hard, hard: hard})
			}
		}
	}
	return dst
}

// frequent returns the terms of 3 to 12 literals with as many others over the same atoms as a parity has, and, by chance, a few more.
func (m *Model) frequent(terms []uint32, lits func(i uint32) []network.Lit) []uint32 {
	size := 1
	for size < 2*len(terms) {
		size *= 2
	}
	counts := make([]uint16, size)
	slot := func(i uint32) *uint16 {
		h := uint64(0)
		for _, l := range lits(i) {
			h = elementary.Mix(h + uint64(l.Atom()))
		}
		return &counts[h&uint64(size-1)]
	}
	var out []uint32
	for _, i := range terms {
		if n := len(lits(i)); n >= 3 && n <= 12 {
			out = append(out, i)
			*slot(i) = min(math.MaxUint16-1, *slot(i)) + 1
		}
	}
	return slices.DeleteFunc(out, func(i uint32) bool { return int(*slot(i)) < 1<<(len(lits(i))-1) })
}

// parityOf returns the atoms on whose parity alone a tree depends, and whether it holds if an odd number of them is true. x is memory for a
// state, all false.
func parityOf(n *network.Node, x []bool) (atoms []uint32, odd, ok bool) {
	switch n.Op {
	case network.OpLit:
		return []uint32{n.Lit.Atom()}, !n.Lit.Negated(), true
	case network.OpNot:
		atoms, odd, ok = parityOf(n.Kids[0], x)
		return atoms, !odd, ok
	case network.OpIff:
		left, oddLeft, ok := parityOf(n.Kids[0], x)
		if !ok {
			return nil, false, false
		}
		right, oddRight, ok := parityOf(n.Kids[1], x)
		for _, a := range right {
			if i := slices.Index(left, a); i >= 0 {
				left = slices.Delete(left, i, i+1)
			} else {
				left = append(left, a)
			}
		}
		slices.Sort(left)
		return left, oddLeft != oddRight, ok
	case network.OpAnd, network.OpOr:
	}
	return tabulatedParity(n, x)
}

// tabulatedParity is parityOf for a tree of few atoms, by its values in all states.
func tabulatedParity(n *network.Node, x []bool) (atoms []uint32, odd, ok bool) {
	all := n.Atoms()
	const most = 10
	if len(all) > most {
		return nil, false, false
	}
	defer func() {
		for _, a := range all {
			x[a] = false
		}
	}()
	zero := n.True(x)
	for _, a := range all {
		x[a] = true
		if n.True(x) != zero {
			atoms = append(atoms, a)
		}
		x[a] = false
	}
	for s := range 1 << len(all) {
		for i, a := range all {
			x[a] = s>>i&1 == 1
		}
		if p := (Parity{Atoms: atoms, Odd: !zero}); p.Holds(x) != n.True(x) {
			return nil, false, false
		}
	}
	return atoms, !zero, true
}

func newParity(lits []network.Lit, terms []uint32, class, hard bool) Parity {
	p := Parity{terms: terms, class: class, hard: hard, Odd: !class}
	for _, l := range lits {
		p.Atoms = append(p.Atoms, l.Atom())
	}
	return p
}

// oddTrue reports whether an odd number of atoms is true if all literals are true, or all false.
func oddTrue(lits []network.Lit, allFalse bool) bool {
	odd := false
	for _, l := range lits {
		odd = odd != (l.Negated() == allFalse)
	}
	return odd
}

// weighParities assigns each parity the energy common to its conjunctions, and leaves the rest to those (SoftRest).
func (m *Model) weighParities() {
	m.SoftRest = append(m.SoftRest[:0], m.SoftEnergy...)
	for k := range m.Parities {
		p := &m.Parities[k]
		if p.hard {
			p.Energy = math.Inf(1)
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
