// Package explain says why a model gives an atom its probability: what each formula and each neighbour adds to its log-odds, by
// which groundings, and which evidence would have to be missing for the decision to turn.
package explain

import (
	"cmp"
	"math"
	"slices"

	"resolwe/kernels/network"
)

// Contribution is what a formula adds to the log-odds of an atom: its weight times Feature. For an atom that no formula ties to
// another the contributions of all formulas add up to the log-odds. Else Feature is the expected one were the neighbours independent
// with their marginals, of which Neighbours says what each brings.
type Contribution struct {
	Formula    int
	Feature    float64 // by how many (its shape's value) the formula's true groundings become more as the atom becomes true
	Value      float64
	Neighbours []Neighbour // by decreasing size, then in order of the atoms
}

// Neighbour is an atom that a formula ties to another. Value is by how much the contribution were less if it were false.
type Neighbour struct {
	Atom  uint32 // in the network
	Value float64
}

// Links knows the factors of the atoms of a network, which it keeps.
type Links struct {
	net     *network.Network
	weights []float64  // by formula, of a unit of its counts
	factors [][]factor // by atom
}

// factor is one of two or more atoms.
type factor struct {
	kind  factorKind
	index uint32
}

type factorKind uint8

const (
	pair factorKind = iota
	conjunction
	feature
)

// NewLinks indexes a network. Weights are by formula, 0 for those that are hard.
func NewLinks(net *network.Network, weights []float64) *Links {
	l := &Links{net: net, weights: slices.Clone(weights), factors: make([][]factor, net.NumAtoms)}
	for i, s := range net.Scale {
		l.weights[i] *= s
	}
	add := func(a uint32, f factor) { l.factors[a] = append(l.factors[a], f) }
	for i, p := range net.Pairs {
		add(p.A, factor{pair, uint32(i)}) // #nosec G115 -- a list's length, as below
		add(p.B, factor{pair, uint32(i)}) // #nosec G115
	}
	for i, c := range net.Conjunctions {
		for _, lit := range c.Lits {
			add(lit.Atom(), factor{conjunction, uint32(i)}) // #nosec G115
		}
	}
	for i, f := range net.Features {
		for _, a := range f.Atoms {
			add(a, factor{feature, uint32(i)}) // #nosec G115
		}
	}
	return l
}

// Constrained reports whether hard formulas bear on an atom: contributions then do not tell all.
func (l *Links) Constrained(atom uint32) bool {
	for _, c := range l.net.Clauses {
		if slices.ContainsFunc(c, func(x network.Lit) bool { return x.Atom() == atom }) {
			return true
		}
	}
	return slices.ContainsFunc(l.net.HardFeatures, func(f network.Feature) bool { return slices.Contains(f.Atoms, atom) })
}

// Contributions returns what the formulas add to an atom's log-odds, in their order, those that add nothing left out. p are the
// marginals of all atoms. tied says whether factors tie the atom to others.
func (l *Links) Contributions(p []float64, atom uint32) (list []Contribution, tied bool) {
	s := &sums{links: l, p: p, atom: atom, byFormula: map[uint32]*Contribution{}, neighbours: map[[2]uint32]float64{}}
	for _, c := range l.net.Unary[l.net.UnaryStart[atom]:l.net.UnaryStart[atom+1]] {
		s.add(c, 1)
	}
	for _, f := range l.factors[atom] {
		tied = true
		s.factor(f)
	}
	for i := range l.net.Bilinears {
		tied = s.bilinear(&l.net.Bilinears[i]) || tied
	}
	return s.list(), tied
}

// sums are the contributions to one atom as they are added up.
type sums struct {
	links      *Links
	p          []float64
	atom       uint32
	byFormula  map[uint32]*Contribution
	neighbours map[[2]uint32]float64 // by formula and atom
}

// add adds so many times a coefficient.
func (s *sums) add(c network.Coef, times float64) {
	out := s.byFormula[c.Formula]
	if out == nil {
		out = &Contribution{Formula: int(c.Formula)}
		s.byFormula[c.Formula] = out
	}
	n := float64(times * float64(c.Mult))
	if s.links.net.Scale != nil {
		out.Feature += float64(n * s.links.net.Scale[c.Formula])
	} else {
		out.Feature += n
	}
	out.Value += float64(s.links.weights[c.Formula] * n)
}

// share adds what a neighbour brings to a coefficient.
func (s *sums) share(c network.Coef, neighbour uint32, times float64) {
	s.neighbours[[2]uint32{c.Formula, neighbour}] += float64(s.links.weights[c.Formula] * float64(c.Mult) * times)
}

// factor adds a factor of several atoms.
func (s *sums) factor(f factor) {
	net := s.links.net
	switch f.kind {
	case pair:
		p := net.Pairs[f.index]
		other := p.A + p.B - s.atom
		for _, c := range net.PairCoefs[net.PairStart[f.index]:net.PairStart[f.index+1]] {
			s.add(c, s.p[other])
			s.share(c, other, s.p[other])
		}
	case conjunction:
		c := &net.Conjunctions[f.index]
		atoms := make([]uint32, len(c.Lits))
		for i, lit := range c.Lits {
			atoms[i] = lit.Atom()
		}
		s.expected(atoms, c.Coefs, func(except uint32) float64 {
			change := 1.0
			for _, lit := range c.Lits {
				q := s.p[lit.Atom()]
				switch lit.Atom() {
				case s.atom:
					q = 1
					if lit.Negated() {
						q = 2 // whose complement is -1: the literal becomes false
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
	case feature:
		t := &net.Features[f.index]
		s.expected(t.Atoms, t.Coefs, func(except uint32) float64 { return s.change(t, except) })
	}
}

// nobody is no atom.
const nobody = ^uint32(0)

// expected adds a factor over some atoms whose expected change, one of them false, is given.
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

// mostExpected is how many neighbours of a feature are summed over; where there are more, each is taken as it more probably is.
const mostExpected = 12

// change returns the expected change of a feature as the atom becomes true, with one of its atoms false.
func (s *sums) change(f *network.Feature, except uint32) float64 {
	x := map[uint32]bool{}
	var visit func(rest []uint32, weight float64) float64
	visit = func(rest []uint32, weight float64) float64 {
		if len(rest) == 0 {
			x[s.atom] = true
			with := holds(f.Root, x)
			x[s.atom] = false
			return weight * (with - holds(f.Root, x))
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

// holds is 1 where a feature is true in a state, else 0.
func holds(n *network.Node, x map[uint32]bool) float64 {
	var is func(n *network.Node) bool
	is = func(n *network.Node) bool {
		switch n.Op {
		case network.OpLit:
			return x[n.Lit.Atom()] != n.Lit.Negated()
		case network.OpNot:
			return !is(n.Kids[0])
		case network.OpIff:
			return is(n.Kids[0]) == is(n.Kids[1])
		case network.OpOr:
			return slices.ContainsFunc(n.Kids, is)
		case network.OpAnd:
			return !slices.ContainsFunc(n.Kids, func(k *network.Node) bool { return !is(k) })
		}
		panic("kernels/explain: node without operator")
	}
	if is(n) {
		return 1
	}
	return 0
}

// bilinear adds a bilinear factor, and reports whether it has the atom. Its value is the sum over the entities of the products of
// the two sides' sums, in which the square of an atom is the atom.
func (s *sums) bilinear(b *network.Bilinear) bool {
	net := s.links.net
	left, right := &net.Incidences[b.Left], &net.Incidences[b.Right]
	change, found := 0.0, false
	shares := map[uint32]float64{}
	for e := range left.Entities() {
		l, r := multiplicity(left, e, s.atom), multiplicity(right, e, s.atom)
		if l == 0 && r == 0 {
			continue
		}
		found = true
		change += float64(l * r)
		each(right, e, func(a uint32, n float64) { shares[a] += float64(l * n) })
		each(left, e, func(a uint32, n float64) { shares[a] += float64(r * n) })
	}
	delete(shares, s.atom)
	atoms := make([]uint32, 0, len(shares))
	for a := range shares {
		atoms = append(atoms, a)
	}
	slices.Sort(atoms) // so that sums are always taken in one order
	for _, a := range atoms {
		part := float64(shares[a] * s.p[a])
		change += part
		for _, c := range b.Coefs {
			s.share(c, a, part)
		}
	}
	if found {
		for _, c := range b.Coefs {
			s.add(c, change)
		}
	}
	return found
}

// multiplicity returns that of an atom for an entity, 0 where it has none.
func multiplicity(x *network.Incidence, e int, atom uint32) (n float64) {
	lo := x.Start[e]
	if i, ok := slices.BinarySearch(x.Atoms[lo:x.Start[e+1]], atom); ok {
		n = float64(x.At(lo + uint32(i))) // #nosec G115 -- a list's length
	}
	return n
}

// each visits the atoms of an entity.
func each(x *network.Incidence, e int, visit func(atom uint32, n float64)) {
	for i := x.Start[e]; i < x.Start[e+1]; i++ {
		visit(x.Atoms[i], float64(x.At(i)))
	}
}

// list returns the contributions.
func (s *sums) list() []Contribution {
	var out []Contribution
	for _, c := range s.byFormula {
		if c.Value != 0 || c.Feature != 0 {
			out = append(out, *c)
		}
	}
	slices.SortFunc(out, func(a, b Contribution) int { return cmp.Compare(a.Formula, b.Formula) })
	place := map[uint32]int{}
	for i, c := range out {
		place[uint32(c.Formula)] = i // #nosec G115 -- a formula's index
	}
	for key, v := range s.neighbours {
		if i, ok := place[key[0]]; ok && v != 0 {
			out[i].Neighbours = append(out[i].Neighbours, Neighbour{key[1], v})
		}
	}
	for _, c := range out {
		slices.SortFunc(c.Neighbours, func(a, b Neighbour) int {
			return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Atom, b.Atom))
		})
	}
	return out
}
