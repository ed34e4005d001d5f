package explain

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"resolwe/kernels/network"
)

// Reason is what a formula adds to the log-odds of an atom: its weight times Feature. For an atom that no formula ties to another the
// reasons of all formulas add up to the log-odds. Else Feature is the expected one were the neighbours independent with their
// marginals, of which Neighbours says what each brings.
type Reason struct {
	Formula    int
	Feature    float64 // by how many (its shape's value) the formula's true groundings become more as the atom becomes true
	Value      float64
	Neighbours []Neighbour // by decreasing size, then in order of the atoms
	Groundings [][]Binding // the first few, in order of the entities; of an Explanation only
}

// Neighbour is an atom that a formula ties to another. Value is by how much the reason were less if it were false. An Explanation has
// its name and its marginal too.
type Neighbour struct {
	Place       uint32 // of the atom in the network
	Value       float64
	Atom        string
	Probability float64
}

// Links knows the factors of the atoms of a network, which it keeps.
type Links struct {
	net     *network.Network
	weights []float64  // by formula, of a unit of its counts
	factors [][]uint32 // by atom, those of two or more: pairs, then conjunctions, then features
}

// NewLinks indexes a network. Weights are by formula, 0 for those that are hard.
func NewLinks(net *network.Network, weights []float64) *Links {
	l := &Links{net: net, weights: slices.Clone(weights), factors: make([][]uint32, net.NumAtoms)}
	for i, s := range net.Scale {
		l.weights[i] *= s
	}
	next := uint32(0)
	add := func(atoms ...uint32) {
		for _, a := range atoms {
			l.factors[a] = append(l.factors[a], next)
		}
		next++
	}
	for _, p := range net.Pairs {
		add(p.A, p.B)
	}
	for _, c := range net.Conjunctions {
		add(atomsOf(c.Lits)...)
	}
	for _, f := range net.Features {
		add(f.Atoms...)
	}
	return l
}

func atomsOf(lits []network.Lit) []uint32 {
	out := make([]uint32, len(lits))
	for i, lit := range lits {
		out[i] = lit.Atom()
	}
	return out
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
func (l *Links) Contributions(p []float64, atom uint32) (list []Reason, tied bool) {
	s := &sums{links: l, p: p, atom: atom, byFormula: map[uint32]*Reason{}, neighbours: map[[2]uint32]float64{}}
	for _, c := range l.net.Unary[l.net.UnaryStart[atom]:l.net.UnaryStart[atom+1]] {
		s.add(c, 1)
	}
	for _, f := range l.factors[atom] {
		s.factor(int(f))
	}
	tied = len(l.factors[atom]) > 0
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
	byFormula  map[uint32]*Reason
	neighbours map[[2]uint32]float64 // by formula and atom
}

// add adds n times a coefficient.
func (s *sums) add(c network.Coef, times float64) {
	out := s.byFormula[c.Formula]
	if out == nil {
		out = &Reason{Formula: int(c.Formula)}
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
func (s *sums) factor(i int) {
	net := s.links.net
	pairs, features := len(net.Pairs), len(net.Pairs)+len(net.Conjunctions)
	switch {
	case i < pairs:
		p := net.Pairs[i]
		s.conjunction([]network.Lit{network.NewLit(p.A, false), network.NewLit(p.B, false)}, net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]])
	case i < features:
		s.conjunction(net.Conjunctions[i-pairs].Lits, net.Conjunctions[i-pairs].Coefs)
	default:
		f := &net.Features[i-features]
		s.expected(f.Atoms, f.Coefs, func(except uint32) float64 { return s.change(f, except) })
	}
}

// conjunction adds a conjunction of literals.
func (s *sums) conjunction(lits []network.Lit, coefs []network.Coef) {
	s.expected(atomsOf(lits), coefs, func(except uint32) float64 {
		change := 1.0
		for _, lit := range lits {
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
		for i := right.Start[e]; i < right.Start[e+1]; i++ {
			shares[right.Atoms[i]] += float64(l * float64(right.At(i)))
		}
		for i := left.Start[e]; i < left.Start[e+1]; i++ {
			shares[left.Atoms[i]] += float64(r * float64(left.At(i)))
		}
	}
	delete(shares, s.atom)
	for _, a := range slices.Sorted(maps.Keys(shares)) { // so that sums are always taken in one order
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
