package loglinear

import (
	"slices"

	"resolwe/internal/grow"
)

// Route is the way in which sums over the states of a component are computed.
type Route uint8

// The routes.
const (
	Sample    Route = iota // by Markov chains
	Enumerate              // state by state; in closed form for a single atom
	Eliminate              // on a junction tree
)

// Scope is the part of the network left to sampling.
type Scope struct {
	routes       []Route // by component
	Atoms        []uint32
	Pairs        []uint32
	Soft         []uint32 // soft factors
	Loose        []uint32 // atoms without bilinear factors
	Places       []uint32 // if there are bilinear factors: the places with sampled atoms, which are drawn together; those without such factors come first
	Replicas     []uint64 // likewise, by place: the set of replicas whose atoms are sampled
	Units        []uint32 // first atoms of the sets of atoms that flip together, except those in Groups
	Groups       []uint32 // groups that are drawn as a whole
	Hard         []uint32 // hard constraints over several atoms, except those that define groups
	Constrained  []uint32 // atoms in a hard constraint over several atoms
	Exchangeable []uint32 // those of Constrained that are in no group
	Pairwise     bool     // there are no soft factors and no hard constraints
}

// ExactLimit is the largest number of atoms for which a component is enumerated, whatever the options.
const ExactLimit = 25

// SetExact leaves components of more than maxAtoms atoms to sampling and enumerates the others. With 0 every atom is sampled. It panics
// if maxAtoms exceeds [ExactLimit]. A [Chain] must be restarted afterwards.
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

// SetRoutes sets the route of each component to a copy of routes.
func (m *Model) SetRoutes(routes []Route) {
	if len(routes) != m.Components.Len() {
		panic("kernels/loglinear: routes do not match the network's components")
	}
	m.Scope.routes = append(m.Scope.routes[:0], routes...)
	m.divide()
}

// Route returns the route of a component.
func (m *Model) Route(component int) Route { return m.Scope.routes[component] }

// divide derives the scope from the routes.
func (m *Model) divide() {
	net, s := m.Net, &m.Scope
	*s = Scope{
		routes: s.routes, Atoms: s.Atoms[:0], Pairs: s.Pairs[:0], Soft: s.Soft[:0], Loose: s.Loose[:0],
		Places: s.Places[:0], Units: s.Units[:0], Groups: s.Groups[:0], Hard: s.Hard[:0], Constrained: s.Constrained[:0],
		Exchangeable: s.Exchangeable[:0], Replicas: s.Replicas[:0],
	}
	m.listAtoms()
	s.listPlaces(&m.Bilinear)
	all := len(s.Atoms) == net.NumAtoms
	for i, p := range net.Pairs {
		if all || m.Sampled(p.A) {
			s.Pairs = append(s.Pairs, uint32(i))
		}
	}
	var atoms []uint32
	for i := range uint32(m.softFactors()) {
		if atoms = m.AppendAtoms(atoms[:0], m.Constraints()+i); len(atoms) > 0 && m.Sampled(atoms[0]) {
			s.Soft = append(s.Soft, i)
		}
	}
	s.Pairwise = s.Pairwise && len(s.Soft) == 0
	for i := range m.Constraints() {
		atoms = m.AppendAtoms(atoms[:0], i)
		if clause, _ := m.HardFactor(i); len(atoms) > 1 && m.Sampled(atoms[0]) && !m.Groups.Makes(int(i), clause) {
			s.Hard = append(s.Hard, i)
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

// listAtoms lists the sampled atoms, by how they are drawn.
func (m *Model) listAtoms() {
	s := &m.Scope
	s.Pairwise = true
	for a := range uint32(m.Net.NumAtoms) {
		if !m.Sampled(a) {
			continue
		}
		s.Atoms = append(s.Atoms, a)
		if !m.met(a) {
			s.Loose = append(s.Loose, a)
		}
		grouped := m.Groups.Grouped(a)
		s.Pairwise = s.Pairwise && len(m.Hard.Of(a)) == 0
		if !m.Hard.Empty() && m.exchangeable(a) {
			s.Constrained = append(s.Constrained, a)
			if !grouped {
				s.Exchangeable = append(s.Exchangeable, a)
			}
		}
		if !grouped && m.Implications.Block[a].Atom() == a {
			s.Units = append(s.Units, a)
		}
	}
}

// listPlaces lists the places of a network with bilinear factors. Replicas have equal factors, but not equal fields: an atom may be sampled
// where its replicas are not.
func (s *Scope) listPlaces(x *Bilinear) {
	if !x.Any() {
		return
	}
	s.Replicas = grow.Zeroed(s.Replicas, int(x.Replicas.Shift))
	for _, a := range s.Atoms {
		place, replica := x.Replicas.Of(a)
		s.Replicas[place] |= 1 << replica
	}
	for _, tied := range [...]bool{false, true} {
		for place, replicas := range s.Replicas {
			if replicas != 0 && x.Tied(uint32(place)) == tied {
				s.Places = append(s.Places, uint32(place))
			}
		}
	}
}

// exchangeable reports whether an atom is in a hard constraint over several atoms.
func (m *Model) exchangeable(a uint32) bool {
	return slices.ContainsFunc(m.Hard.Of(a), func(ref uint32) bool {
		clause, feature := m.HardFactor(ref >> 1)
		return len(clause) > 1 || feature != nil && len(feature.Atoms) > 1
	})
}

// Sampled reports whether an atom is left to sampling.
func (m *Model) Sampled(a uint32) bool {
	return m.Scope.routes[m.Components.Of(a)] == Sample
}
