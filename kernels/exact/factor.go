package exact

import (
	"math"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// kind is the kind of a factor in the network.
type kind uint8

const (
	pair    kind = iota
	product      // of two atoms, of a bilinear factor
	soft
	hard
)

// factor is a factor of two or more atoms.
type factor struct {
	kind        kind
	clause      bool
	index       uint32 // of the bilinear, soft or hard factor; the class of a pair
	mult        int64  // multiplicity of its coefficients
	lits, scope span   // of factors
}

// span is a part of a list.
type span struct{ from, end uint32 }

// factors are the factors of a component.
type factors struct {
	list   []factor
	lits   []network.Lit // literals that are all true if a factor matters; atoms of a feature
	scopes []uint32      // variables, distinct within a scope
	x      []bool        // by atom: a state
}

// mostFactors bounds the number of factors of a component to consider, and per atom that of factors other than clauses: a tree of width w
// over n variables has fewer than w n edges.
const (
	mostFactors = 1 << 21
	mostPairs   = 64
)

// bind lists the factors of a component's variables, each with its first atom, and reports whether they are few enough.
func (f *factors) bind(s *variables) bool {
	m, net := s.m, s.m.Net
	f.list, f.lits, f.scopes = f.list[:0], f.lits[:0], f.scopes[:0]
	f.x = grow.To(f.x, net.NumAtoms)
	most := mostFactors
	if len(net.Clauses) == 0 {
		most = min(most, mostPairs*len(s.atoms))
	}
	ties := 0 // each from both ends
	for _, a := range s.atoms {
		if ties += m.Bilinear.LeastPartners(net, a); ties/2 > most {
			return false
		}
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
		for _, ref := range m.Soft.Of(a) {
			f.addFirst(s, factor{kind: soft, index: ref >> 1, mult: 1}, a)
		}
		for _, ref := range m.Hard.Of(a) {
			f.addFirst(s, factor{kind: hard, index: ref >> 1}, a)
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
		if t.clause {
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

// addFirst adds a soft or hard factor if its first atom is a and it does not always hold.
func (f *factors) addFirst(s *variables, t factor, a uint32) {
	lits, feature := t.function(s.m)
	t.clause = t.kind == hard && feature == nil
	if feature != nil && feature.Atoms[0] == a {
		for _, b := range feature.Atoms {
			lits = append(lits, network.NewLit(b, false))
		}
	}
	if len(lits) > 0 && lits[0].Atom() == a && (!t.clause || !s.trivial(t.index)) {
		f.add(s, t, lits...)
	}
}

// scope returns the variables of a factor.
func (f *factors) scope(t *factor) []uint32 { return f.scopes[t.scope.from:t.scope.end] }

// literals returns the literals of a factor.
func (f *factors) literals(t *factor) []network.Lit { return f.lits[t.lits.from:t.lits.end] }

// connect connects the variables of each factor, and reports whether the result may be the graph of an affordable tree.
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

// mostScope is the largest number of variables of a factor to consider, mostWidth the largest width: tables of binary variables have at
// most Largest entries.
const (
	mostScope = 32
	mostWidth = 19
)

// function returns the literals or the feature of a soft or hard factor.
func (t *factor) function(m *loglinear.Model) ([]network.Lit, *network.Feature) {
	switch t.kind {
	case soft:
		return m.SoftFactor(t.index)
	case hard:
		return m.HardFactor(t.index)
	case pair, product:
	}
	return nil, nil
}

// coefs returns the coefficients of a factor; a hard factor has none.
func (t *factor) coefs(m *loglinear.Model) []network.Coef {
	switch t.kind {
	case pair:
		return m.PairCoefs(t.index)
	case product:
		return m.Net.Bilinears[t.index].Coefs
	case soft:
		return m.SoftCoefs(t.index)
	case hard:
	}
	return nil
}

// energy returns the energy of a true soft factor, or of a false hard one.
func (t *factor) energy(m *loglinear.Model) float64 {
	if t.kind == hard {
		return math.Inf(-1)
	}
	return float64(m.Energy(t.coefs(m)) * float64(t.mult))
}

// matters reports whether a factor contributes at the variables' values: a soft one that is true, a hard one that is false.
func (f *factors) matters(t *factor, s *variables, value []uint32) bool {
	_, g := t.function(s.m)
	lits := f.literals(t)
	if g == nil {
		return !slices.ContainsFunc(lits, func(l network.Lit) bool { return s.holds(l.Atom(), value) == l.Negated() })
	}
	for _, l := range lits {
		f.x[l.Atom()] = s.holds(l.Atom(), value)
	}
	return g.Root.True(f.x) != (t.kind == hard)
}
