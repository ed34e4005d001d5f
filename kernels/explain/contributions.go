package explain

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Reason is a formula's contribution to the log-odds of an atom: its weight times Feature. If no formula connects the atom to another,
// the reasons of all formulas sum to its log-odds. Otherwise Feature is its expectation under independent neighbours with their
// marginals, and Neighbours gives the contribution of each.
type Reason struct {
	Formula    int
	Feature    float64 // increase in the formula's true groundings, or in its shape's value, as the atom becomes true
	Value      float64
	Neighbours []Neighbour // by decreasing size, then in order of the atoms
	Groundings [][]Binding // the first few, in order of the entities; only in an Explanation
}

// Neighbour is an atom that a formula connects to another. Value is the amount by which the reason would fall if it were false. Atom, its
// name, and Probability, its marginal, are set only in an Explanation.
type Neighbour struct {
	Place       uint32 // of the atom in the network
	Value       float64
	Atom        string
	Probability float64
}

// contributions returns the contributions of the formulas to an atom's log-odds, in order of the formulas, without those that contribute
// nothing; they are incomplete if the atom is subject to hard formulas. tied reports whether factors connect the atom to others.
func (e *Explainer) contributions(atom uint32) (list []Reason, tied bool) {
	m := &e.model
	s := &sums{Explainer: e, atom: atom, byFormula: map[uint32]*Reason{}, neighbours: map[[2]uint32]float64{}}
	for _, c := range m.Unary(atom) {
		s.add(c, 1)
	}
	neighbours, classes, base := m.Couplings.Of(atom)
	for k, b := range neighbours {
		s.conjunction([]network.Lit{network.NewLit(atom, false), network.NewLit(base+b, false)}, m.PairCoefs(classes[k]))
	}
	for _, ref := range m.Soft.Of(atom) {
		lits, feature := m.SoftFactor(ref >> 1)
		if feature == nil {
			s.conjunction(lits, m.SoftCoefs(ref>>1))
			continue
		}
		s.expected(feature.Atoms, feature.Coefs, func(except uint32) float64 { return s.change(feature, except) })
	}
	met := m.Bilinear.Degree(atom) > 0
	if met {
		s.bilinear()
	}
	return s.list(), met || len(neighbours)+len(m.Soft.Of(atom)) > 0
}

// sums accumulates the contributions to one atom.
type sums struct {
	*Explainer

	atom       uint32
	byFormula  map[uint32]*Reason
	neighbours map[[2]uint32]float64 // by formula and atom
}

// add adds a coefficient times a number.
func (s *sums) add(c network.Coef, times float64) {
	out := s.byFormula[c.Formula]
	if out == nil {
		out = &Reason{Formula: int(c.Formula)}
		s.byFormula[c.Formula] = out
	}
	out.Feature += float64(times * s.model.Net.Groundings(c))
	out.Value += float64(s.model.Weights[c.Formula] * float64(times*float64(c.Mult)))
}

// share adds a neighbour's contribution to a coefficient.
func (s *sums) share(c network.Coef, neighbour uint32, times float64) {
	s.neighbours[[2]uint32{c.Formula, neighbour}] += float64(s.model.Weights[c.Formula] * float64(c.Mult) * times)
}

// conjunction adds a conjunction of literals.
func (s *sums) conjunction(lits []network.Lit, coefs []network.Coef) {
	atoms := make([]uint32, len(lits))
	for i, lit := range lits {
		atoms[i] = lit.Atom()
	}
	s.expected(atoms, coefs, func(except uint32) float64 {
		change := 1.0
		for _, lit := range lits {
			q := s.p[lit.Atom()]
			switch lit.Atom() {
			case s.atom:
				q = 1
				if lit.Negated() {
					q = 2 // the complement is -1: the literal becomes false
				}
			case except:
				q = 0
			}
			if lit.Negated() {
				q = 1 - q
			}
			change *= q
		}
		return change
	})
}

// nobody stands for no atom.
const nobody = ^uint32(0)

// expected adds a factor over some atoms. change returns the factor's expected change, with one of the atoms false.
func (s *sums) expected(atoms []uint32, coefs []network.Coef, change func(except uint32) float64) {
	all := change(nobody)
	for _, c := range coefs {
		s.add(c, all)
	}
	for _, a := range atoms {
		if a == s.atom {
			continue
		}
		less := all - float64(change(a))
		for _, c := range coefs {
			s.share(c, a, less)
		}
	}
}

// mostExpected is the largest number of a feature's neighbours that are summed over; if there are more, each is fixed to its more
// probable value.
const mostExpected = 12

// change returns the expected change of a feature as the atom becomes true, with one of its atoms false.
func (s *sums) change(f *network.Feature, except uint32) float64 {
	x := s.state
	var visit func(rest []uint32, weight float64) float64
	visit = func(rest []uint32, weight float64) float64 {
		if len(rest) == 0 {
			x[s.atom] = true
			with := loglinear.Indicator(f.Root.True(x))
			x[s.atom] = false
			return weight * (with - loglinear.Indicator(f.Root.True(x)))
		}
		a, rest := rest[0], rest[1:]
		q := s.p[a]
		switch {
		case a == s.atom:
			return visit(rest, weight)
		case a == except:
			q = 0
		case len(f.Atoms) > mostExpected+1:
			q = math.Round(q)
		}
		sum := 0.0
		if q > 0 {
			x[a] = true
			sum += visit(rest, weight*q)
		}
		if q < 1 {
			x[a] = false
			sum += visit(rest, weight*(1-q))
		}
		return sum
	}
	return visit(f.Atoms, 1)
}

// bilinear adds the bilinear factors. The value of one is the sum over entities of the product of its two sides' sums, in which the
// square of an atom is the atom.
func (s *sums) bilinear() {
	m := &s.model
	change, shares := make([]float64, len(m.Net.Bilinears)), make([]map[uint32]float64, len(m.Net.Bilinears))
	m.Bilinear.EachSelf(s.atom, func(factor uint32, mult int64) { change[factor] = float64(mult) })
	for i := range shares {
		shares[i] = map[uint32]float64{}
	}
	m.Bilinear.EachPartner(m.Net, s.atom, func(b, factor uint32, mult int64) { shares[factor][b] += float64(mult) })
	for i, b := range m.Net.Bilinears {
		for _, a := range slices.Sorted(maps.Keys(shares[i])) { // a fixed order of summation
			part := float64(shares[i][a] * s.p[a])
			change[i] += part
			for _, c := range b.Coefs {
				s.share(c, a, part)
			}
		}
		for _, c := range b.Coefs {
			s.add(c, change[i])
		}
	}
}

// list returns the contributions.
func (s *sums) list() (out []Reason) {
	for key, v := range s.neighbours {
		if c := s.byFormula[key[0]]; v != 0 {
			c.Neighbours = append(c.Neighbours, Neighbour{Place: key[1], Value: v})
		}
	}
	for _, formula := range slices.Sorted(maps.Keys(s.byFormula)) {
		c := s.byFormula[formula]
		slices.SortFunc(c.Neighbours, func(a, b Neighbour) int {
			return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Place, b.Place))
		})
		if c.Value != 0 || c.Feature != 0 {
			out = append(out, *c)
		}
	}
	return out
}
