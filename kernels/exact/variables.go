package exact

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// none means no variable, atom or node.
const none = network.Unset

// place expresses an atom's truth by its variable: it is true if the variable has the value or, if negated, has not. Without a variable,
// negated is the truth.
type place struct {
	variable uint32
	value    uint32
	negated  bool
}

// variables are the variables of a component, numbered by their first atoms. Atoms that clauses make equal or opposite form a binary
// variable; atoms of which at most one can be true form a variable with a value for each and, if none need be true, one more.
type variables struct {
	m     *loglinear.Model
	atoms []uint32
	of    []place  // by atom of the network
	arity []uint32 // by variable: its number of values

	members grow.Lists // atoms of each variable, ascending

	allowed grouping // the groups that are variables
	found   grouping // those of them that occur
}

// grouping says which groups are variables.
type grouping uint8

const (
	ungrouped    grouping = iota
	closedGroups          // groups of which exactly one atom is true
	allGroups             // also groups of which none need be
)

// bind assigns the atoms of a component to variables.
func (s *variables) bind(m *loglinear.Model, atoms []uint32, g grouping) {
	s.m, s.atoms, s.allowed, s.found = m, atoms, g, ungrouped
	s.of, s.arity = grow.To(s.of, m.Net.NumAtoms), s.arity[:0]
	for _, a := range atoms {
		s.enter(a)
	}
	s.members.Build(len(s.arity), func(emit func(variable, atom uint32)) {
		for _, a := range atoms {
			if v := s.of[a].variable; v != none {
				emit(v, a)
			}
		}
	})
}

// enter sets the place of an atom. Those of earlier atoms are set.
func (s *variables) enter(a uint32) {
	h := &s.m.Implications
	value, fixed := h.Fixed(a)
	unit := h.Block[a]
	switch {
	case fixed:
		s.of[a] = place{none, 0, value}
	case unit.Atom() != a:
		s.of[a] = s.of[unit.Atom()]
		s.of[a].negated = unit.Negated()
	case s.grouped(a):
		s.enterGroup(s.m.Groups.Of(a), a)
	default:
		s.of[a] = place{uint32(len(s.arity)), 1, false}
		s.arity = append(s.arity, 2)
	}
}

// grouped reports whether an atom is in a group that is a variable.
func (s *variables) grouped(a uint32) bool {
	g := &s.m.Groups
	return g.Grouped(a) && s.allowed >= kindOf(g, g.Of(a))
}

func kindOf(g *loglinear.Groups, group uint32) grouping {
	if g.ExactlyOne(group) {
		return closedGroups
	}
	return allGroups
}

// enterGroup sets the places of a group's atoms when the first of them that is not fixed is reached.
func (s *variables) enterGroup(group, a uint32) {
	g := &s.m.Groups
	next := uint32(0)
	if !g.ExactlyOne(group) {
		next = 1 // value 0 means none
	}
	for _, b := range g.Atoms(group) {
		if _, fixed := s.m.Implications.Fixed(b); fixed {
			continue
		}
		if b < a {
			return
		}
		s.of[b] = place{uint32(len(s.arity)), next, false}
		next++
	}
	s.arity = append(s.arity, next)
	s.found = max(s.found, kindOf(g, group))
}

// holds reports whether an atom with this place is true at a value of its variable.
func (p place) holds(value uint32) bool { return (value == p.value) != p.negated }

// holds reports whether an atom is true at the variables' values.
func (s *variables) holds(a uint32, value []uint32) bool {
	p := s.of[a]
	if p.variable == none {
		return p.negated
	}
	return p.holds(value[p.variable])
}

// trivial reports whether a clause always holds by the definition of its variables.
func (s *variables) trivial(i uint32) bool {
	clause := s.m.Net.Clauses[i]
	for j, l := range clause {
		p := s.of[l.Atom()]
		if p.variable == none {
			if p.negated != l.Negated() {
				return true
			}
			continue
		}
		if !l.Negated() {
			if s.grouped(l.Atom()) && s.m.Groups.Makes(int(i), clause) {
				return true
			}
			continue
		}
		for _, o := range clause[:j] { // at most one of two values
			if q := s.of[o.Atom()]; o.Negated() && q.variable == p.variable && q.value != p.value {
				return true
			}
		}
	}
	return false
}
