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
	kind  kind
	index uint32 // of the network's factor; the class of a pair
	a, b  uint32 // atoms of a pair or product
	mult  int64  // of a product
}

// factors are those of a component.
type factors struct {
	list  []factor
	start []uint32 // scopes[start[i]:start[i+1]] are the variables of factor i, distinct
	scope []uint32
	x     []bool // by atom: a state
}

// mostFactors bounds the factors of a component that is looked at, and by atom those without clauses: a tree of width w over
// n variables has less than w n edges.
const (
	mostFactors = 1 << 21
	mostPairs   = 64
)

// bind lists the factors of a component's variables, and reports whether there are few enough.
func (f *factors) bind(s *variables) bool {
	m := s.m
	f.list, f.start, f.scope = f.list[:0], append(f.start[:0], 0), f.scope[:0]
	f.x = grow.To(f.x, m.Net.NumAtoms)
	most := mostFactors
	if len(m.Net.Clauses) == 0 {
		most = min(most, mostPairs*len(s.atoms))
	}
	for _, a := range s.atoms {
		if m.Couplings.Degree(a) > most-len(f.list) {
			return false
		}
		m.EachPair(a, func(b, class uint32) { f.add(s, factor{kind: pair, index: class, a: a, b: b}, a, b) })
		m.Bilinear.EachPartner(m.Net, a, func(b, i uint32, mult int64) {
			if b > a && len(f.list) <= most {
				f.add(s, factor{kind: product, index: i, a: a, b: b, mult: mult}, a, b)
			}
		})
		m.EachFirst(a,
			func(i uint32) { f.addLits(s, conjunction, i, m.Net.Conjunctions[i].Lits) },
			func(i uint32) { f.add(s, factor{kind: feature, index: i}, m.Net.Features[i].Atoms...) },
			func(i uint32) {
				if !s.trivial(i) {
					f.addLits(s, clause, i, m.Net.Clauses[i])
				}
			},
			func(i uint32) { f.add(s, factor{kind: hardFeature, index: i}, m.Net.HardFeatures[i].Atoms...) },
		)
		if len(f.list) > most {
			return false
		}
	}
	return true
}

func (f *factors) addLits(s *variables, k kind, i uint32, lits []network.Lit) {
	f.list = append(f.list, factor{kind: k, index: i})
	for _, l := range lits {
		f.enter(s, l.Atom())
	}
	f.start = append(f.start, uint32(len(f.scope)))
}

func (f *factors) add(s *variables, t factor, atoms ...uint32) {
	f.list = append(f.list, t)
	for _, a := range atoms {
		f.enter(s, a)
	}
	f.start = append(f.start, uint32(len(f.scope)))
}

// enter enters an atom's variable in the last scope.
func (f *factors) enter(s *variables, a uint32) {
	v, scope := s.of[a].variable, f.scope[f.start[len(f.start)-1]:]
	if v != none && len(scope) <= mostScope && !slices.Contains(scope, v) {
		f.scope = append(f.scope, v)
	}
}

// of returns the variables of a factor.
func (f *factors) of(i uint32) []uint32 { return f.scope[f.start[i]:f.start[i+1]] }

// connect connects the variables of each factor, and reports whether that may be a tree's graph.
func (f *factors) connect(g *graph, variables int) bool {
	g.reset(variables)
	for i := range f.list {
		scope := f.of(uint32(i))
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

// energy returns what a soft factor adds where it is true, and a hard one where it is not.
func (t *factor) energy(m *loglinear.Model) float64 {
	switch t.kind {
	case pair:
		return m.Couplings.Energy[t.index]
	case product:
		return float64(m.Bilinear.Energy[t.index] * float64(t.mult))
	case conjunction:
		return m.ConjunctionEnergy[t.index]
	case feature:
		return m.FeatureEnergy[t.index]
	case clause, hardFeature:
	}
	return math.Inf(-1)
}

// eachLit calls f for each literal that holds where a pair, product or conjunction does, or where a clause does not.
func (f *factors) eachLit(t *factor, net *network.Network, call func(l network.Lit)) {
	switch t.kind {
	case pair, product:
		call(network.NewLit(t.a, false))
		call(network.NewLit(t.b, false))
	case conjunction:
		for _, l := range net.Conjunctions[t.index].Lits {
			call(l)
		}
	case clause:
		for _, l := range net.Clauses[t.index] {
			call(l ^ 1)
		}
	case feature, hardFeature:
	}
}

// coefs returns the coefficients of a factor, and how often each counts.
func (t *factor) coefs(m *loglinear.Model) (coefs []network.Coef, times float64) {
	switch t.kind {
	case pair:
		return m.PairCoefs(t.index), 1
	case product:
		return m.Net.Bilinears[t.index].Coefs, float64(t.mult)
	case conjunction:
		return m.Net.Conjunctions[t.index].Coefs, 1
	case feature:
		return m.Net.Features[t.index].Coefs, 1
	case clause, hardFeature:
	}
	return nil, 0
}

// truth reports whether a factor is true where the variables have values.
func (f *factors) truth(t *factor, s *variables, value []uint32) bool {
	net := s.m.Net
	switch t.kind {
	case pair, product:
		return s.holds(t.a, value) && s.holds(t.b, value)
	case conjunction:
		for _, l := range net.Conjunctions[t.index].Lits {
			if s.holds(l.Atom(), value) == l.Negated() {
				return false
			}
		}
		return true
	case clause:
		for _, l := range net.Clauses[t.index] {
			if s.holds(l.Atom(), value) != l.Negated() {
				return true
			}
		}
		return false
	case feature:
		return f.tree(&net.Features[t.index], s, value)
	case hardFeature:
	}
	return f.tree(&net.HardFeatures[t.index], s, value)
}

func (f *factors) tree(g *network.Feature, s *variables, value []uint32) bool {
	for _, a := range g.Atoms {
		f.x[a] = s.holds(a, value)
	}
	return g.Root.True(f.x)
}

// holds reports whether an atom is true where the variables have values.
func (s *variables) holds(a uint32, value []uint32) bool {
	p := s.of[a]
	if p.variable == none {
		return p.negated
	}
	return p.holds(value[p.variable])
}
