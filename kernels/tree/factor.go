package tree

import (
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// kind is what a factor is of the network.
type kind uint8

const (
	pair    kind = iota
	product      // of two atoms, of a bilinear factor
	conjunction
	feature
	clause
	hardFeature
)

// factor is a factor of two atoms or more.
type factor struct {
	kind        kind
	index       uint32 // of the network's factor; the class of a pair
	mult        int64  // how often its coefficients count
	lits, scope span   // of factors
}

// span is a part of a list.
type span struct{ from, end uint32 }

// factors are those of a component.
type factors struct {
	list   []factor
	lits   []network.Lit // that all hold where a factor does, or where a clause does not; the atoms of a feature
	scopes []uint32      // variables, distinct in a scope
	x      []bool        // by atom: a state
}

// mostFactors bounds the factors of a component that is looked at, and by atom those without clauses: a tree of width w over
// n variables has less than w n edges.
const (
	mostFactors = 1 << 21
	mostPairs   = 64
)

// bind lists the factors of a component's variables, each with its first atom, and reports whether there are few enough.
func (f *factors) bind(s *variables) bool {
	m, net := s.m, s.m.Net
	f.list, f.lits, f.scopes = f.list[:0], f.lits[:0], f.scopes[:0]
	f.x = grow.To(f.x, net.NumAtoms)
	most := mostFactors
	if len(net.Clauses) == 0 {
		most = min(most, mostPairs*len(s.atoms))
	}
	for _, a := range s.atoms {
		neighbours, classes, base := m.Couplings.Of(a)
		if len(neighbours) > most-len(f.list) {
			return false
		}
		for k, b := range neighbours {
			if b += base; b > a {
				f.add(s, factor{kind: pair, index: classes[k], mult: 1}, network.NewLit(a, false), network.NewLit(b, false))
			}
		}
		m.Bilinear.EachPartner(net, a, func(b, i uint32, mult int64) {
			if b > a && len(f.list) <= most {
				f.add(s, factor{kind: product, index: i, mult: mult}, network.NewLit(a, false), network.NewLit(b, false))
			}
		})
		for _, ref := range m.Conjunctions.Of(a) {
			if lits := net.Conjunctions[ref>>1].Lits; lits[0].Atom() == a {
				f.add(s, factor{kind: conjunction, index: ref >> 1, mult: 1}, lits...)
			}
		}
		for _, i := range m.Features.Of(a) {
			f.addFeature(s, factor{kind: feature, index: i, mult: 1}, a)
		}
		for _, ref := range m.Clauses.Of(a) {
			if lits := net.Clauses[ref>>1]; lits[0].Atom() == a && !s.trivial(ref>>1) {
				f.add(s, factor{kind: clause, index: ref >> 1}, lits...)
			}
		}
		for _, i := range m.HardFeatures.Of(a) {
			f.addFeature(s, factor{kind: hardFeature, index: i}, a)
		}
		if len(f.list) > most {
			return false
		}
	}
	return true
}

// add adds a factor over literals.
func (f *factors) add(s *variables, t factor, lits ...network.Lit) {
	t.lits.from, t.scope.from = uint32(len(f.lits)), uint32(len(f.scopes))
	for _, l := range lits {
		if t.kind == clause {
			l ^= 1
		}
		f.lits = append(f.lits, l)
		v, scope := s.of[l.Atom()].variable, f.scopes[t.scope.from:]
		if v != none && len(scope) <= mostScope && !slices.Contains(scope, v) {
			f.scopes = append(f.scopes, v)
		}
	}
	t.lits.end, t.scope.end = uint32(len(f.lits)), uint32(len(f.scopes))
	f.list = append(f.list, t)
}

// addFeature adds a feature if its first atom is a.
func (f *factors) addFeature(s *variables, t factor, a uint32) {
	atoms := t.feature(s.m.Net).Atoms
	if atoms[0] != a {
		return
	}
	lits := make([]network.Lit, len(atoms))
	for i, a := range atoms {
		lits[i] = network.NewLit(a, false)
	}
	f.add(s, t, lits...)
}

// scope returns the variables of a factor.
func (f *factors) scope(t *factor) []uint32 { return f.scopes[t.scope.from:t.scope.end] }

// literals returns those of a factor.
func (f *factors) literals(t *factor) []network.Lit { return f.lits[t.lits.from:t.lits.end] }

// connect connects the variables of each factor, and reports whether that may be a tree's graph.
func (f *factors) connect(g *graph, variables int) bool {
	g.reset(variables)
	for i := range f.list {
		scope := f.scope(&f.list[i])
		if len(scope) > mostScope {
			return false
		}
		for j, u := range scope {
			for _, v := range scope[:j] {
				g.connect(u, v)
			}
		}
		if g.edges > mostWidth*variables {
			return false
		}
	}
	return g.sparse(mostWidth)
}

// mostScope is the most variables of a factor that are looked at, and mostWidth the largest width: tables of variables of two values
// have at most Largest entries.
const (
	mostScope = 32
	mostWidth = 19
)

// hard reports whether a factor is a constraint.
func (t *factor) hard() bool { return t.kind == clause || t.kind == hardFeature }

// constraint returns a hard factor's number, as loglinear.UnsatisfiableError has it.
func (t *factor) constraint(net *network.Network) int {
	if t.kind == hardFeature {
		return len(net.Clauses) + int(t.index)
	}
	return int(t.index)
}

// feature returns the feature that a factor is; nil where it is one over literals.
func (t *factor) feature(net *network.Network) *network.Feature {
	switch t.kind {
	case feature:
		return &net.Features[t.index]
	case hardFeature:
		return &net.HardFeatures[t.index]
	case pair, product, conjunction, clause:
	}
	return nil
}

// coefs returns the coefficients of a soft factor.
func (t *factor) coefs(m *loglinear.Model) []network.Coef {
	switch t.kind {
	case pair:
		return m.PairCoefs(t.index)
	case product:
		return m.Net.Bilinears[t.index].Coefs
	case conjunction:
		return m.Net.Conjunctions[t.index].Coefs
	case feature:
		return m.Net.Features[t.index].Coefs
	case clause, hardFeature:
	}
	return nil
}

// energy returns what a soft factor adds where it is true, and a hard one where it is not.
func (t *factor) energy(m *loglinear.Model) float64 {
	if t.hard() {
		return math.Inf(-1)
	}
	return float64(m.Energy(t.coefs(m)) * float64(t.mult))
}

// matters reports whether a factor does where the variables have values: a soft one is true there, a hard one false.
func (f *factors) matters(t *factor, s *variables, value []uint32) bool {
	g, lits := t.feature(s.m.Net), f.literals(t)
	if g == nil {
		return !slices.ContainsFunc(lits, func(l network.Lit) bool { return s.holds(l.Atom(), value) == l.Negated() })
	}
	for _, l := range lits {
		f.x[l.Atom()] = s.holds(l.Atom(), value)
	}
	return g.Root.True(f.x) != t.hard()
}
