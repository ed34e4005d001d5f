package loglinear

import "resolwe/internal/grow"

// Route is how the sums over the states of a component are taken.
type Route uint8

// The routes.
const (
	Sample    Route = iota // by chains
	Enumerate              // state by state, or in closed form where there is one atom
	Eliminate              // on a junction tree
)

// Scope is what is left to sampling.
type Scope struct {
	routes       []Route // by component
	Atoms        []uint32
	Pairs        []uint32
	Conjunctions []uint32
	Features     []uint32
	Loose        []uint32 // atoms that are in no bilinear factor
	Single       []uint32 // where there are bilinear factors, atoms that are drawn one by one
	Places       []uint32 // and places whose atoms are drawn side by side
	Units        []uint32 // first atoms of the sets of atoms that flip together, but for those in Groups
	Groups       []uint32 // groups, which are drawn as a whole
	Hard         []uint32 // hard constraints of several atoms, but for those that make groups
	Constrained  []uint32 // atoms that are in a hard constraint of several
	Exchangeable []uint32 // those of them that are in no group
	Pairwise     bool     // no conjunctions, features and hard constraints
}

// ExactLimit is the largest number of atoms of a component that is enumerated, whatever the options say.
const ExactLimit = 25

// SetExact leaves to sampling the components of more than maxAtoms atoms, and the others to enumeration. With 0 every atom
// is left to sampling. It panics where maxAtoms is beyond [ExactLimit]. A [Chain] must be started anew after it.
func (m *Model) SetExact(maxAtoms int) {
	if maxAtoms > ExactLimit {
		panic("kernels/loglinear: too many atoms to enumerate")
	}
	routes := grow.To(m.Scope.routes, m.Components.Len())
	for c := range routes {
		routes[c] = Enumerate
		if len(m.Components.Atoms(c)) > maxAtoms {
			routes[c] = Sample
		}
	}
	m.Scope.routes = routes
	m.divide()
}

// SetRoutes is SetExact with the route of each component, which are copied.
func (m *Model) SetRoutes(routes []Route) {
	if len(routes) != m.Components.Len() {
		panic("kernels/loglinear: routes do not match the network's components")
	}
	m.Scope.routes = append(m.Scope.routes[:0], routes...)
	m.divide()
}

// Route returns the route of a component.
func (m *Model) Route(component int) Route { return m.Scope.routes[component] }

// divide sets the scope of the routes.
func (m *Model) divide() {
	net, s := m.Net, &m.Scope
	*s = Scope{
		routes: s.routes, Atoms: s.Atoms[:0], Pairs: s.Pairs[:0], Conjunctions: s.Conjunctions[:0], Features: s.Features[:0],
		Loose: s.Loose[:0], Single: s.Single[:0], Places: s.Places[:0], Units: s.Units[:0], Groups: s.Groups[:0], Hard: s.Hard[:0],
		Constrained: s.Constrained[:0], Exchangeable: s.Exchangeable[:0], Pairwise: true,
	}
	for a := range uint32(net.NumAtoms) {
		if m.Sampled(a) {
			s.Atoms = append(s.Atoms, a)
			if !m.met(a) {
				s.Loose = append(s.Loose, a)
			}
		}
	}
	s.divide(m)
	all := len(s.Atoms) == net.NumAtoms
	for i, p := range net.Pairs {
		if all || m.Sampled(p.A) {
			s.Pairs = append(s.Pairs, uint32(i))
		}
	}
	for i := range net.Conjunctions {
		if m.Sampled(net.Conjunctions[i].Lits[0].Atom()) {
			s.Conjunctions = append(s.Conjunctions, uint32(i))
		}
	}
	for i := range net.Features {
		if atoms := net.Features[i].Atoms; len(atoms) > 0 && m.Sampled(atoms[0]) {
			s.Features = append(s.Features, uint32(i))
		}
	}
	s.Pairwise = len(s.Conjunctions) == 0 && len(s.Features) == 0
	hard := !m.Clauses.Empty() || !m.HardFeatures.Empty()
	for _, a := range s.Atoms {
		grouped := m.Groups.Grouped(a)
		if hard && m.constrained(a) {
			s.Pairwise = false
			if m.exchangeable(a) {
				s.Constrained = append(s.Constrained, a)
				if !grouped {
					s.Exchangeable = append(s.Exchangeable, a)
				}
			}
		}
		if !grouped && m.Implications.Block[a].Atom() == a {
			s.Units = append(s.Units, a)
		}
	}
	for i, clause := range net.Clauses {
		if len(clause) > 1 && m.Sampled(clause[0].Atom()) && !m.Groups.Makes(i, clause) {
			s.Hard = append(s.Hard, uint32(i))
		}
	}
	for i := range net.HardFeatures {
		if atoms := net.HardFeatures[i].Atoms; len(atoms) > 1 && m.Sampled(atoms[0]) {
			s.Hard = append(s.Hard, uint32(len(net.Clauses)+i))
		}
	}
	for g := range uint32(m.Groups.Len()) {
		if m.Sampled(m.Groups.Atoms(g)[0]) {
			s.Groups = append(s.Groups, g)
		}
	}
	m.findParities()
	m.split = false
}

// divide divides the atoms of a network with bilinear factors: where pairs tie no replica to another one, those of a place are drawn
// side by side.
func (s *Scope) divide(m *Model) {
	x := &m.Bilinear
	if !x.Any() {
		return
	}
	for _, a := range s.Loose {
		if !m.Couplings.replicated || m.Couplings.Degree(a) == 0 {
			s.Single = append(s.Single, a)
		} else if place, replica := x.Replicas.Of(a); replica == 0 {
			s.Places = append(s.Places, place)
		}
	}
	if m.Couplings.replicated {
		s.Places = append(s.Places, x.Places...)
		return
	}
	for replica := range x.Replicas.N {
		for _, place := range x.Places {
			s.Single = append(s.Single, x.Replicas.Atom(place, replica))
		}
	}
}

// exchangeable reports whether an atom is in a hard constraint of several atoms.
func (m *Model) exchangeable(a uint32) bool {
	for _, c := range m.Clauses.Of(a) {
		if len(m.Net.Clauses[c>>1]) > 1 {
			return true
		}
	}
	for _, f := range m.HardFeatures.Of(a) {
		if len(m.Net.HardFeatures[f].Atoms) > 1 {
			return true
		}
	}
	return false
}

// Sampled reports whether an atom is left to sampling.
func (m *Model) Sampled(a uint32) bool {
	return m.Scope.routes[m.Components.Of(a)] == Sample
}
