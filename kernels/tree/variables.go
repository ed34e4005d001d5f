package tree

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// none is no variable, atom or node.
const none = network.Unset

// place says what an atom's truth is in terms of its variable: whether it has the value, or has it not where negated.
// Without a variable it is what negated says.
type place struct {
	variable uint32
	value    uint32
	negated  bool
}

// variables are those of a component, numbered by their first atoms. Atoms that clauses make equal or opposite are one of
// two values, and atoms no two of which can be true one with a value for each of them, and another one where none need be.
type variables struct {
	m     *loglinear.Model
	atoms []uint32
	of    []place  // by atom of the network
	arity []uint32 // by variable: its values

	start, members []uint32 // members[start[v]:start[v+1]] are the atoms of variable v, ascending

	leader  []uint32 // by atom: the first atom of its group; none
	size    []uint32 // by atom: members of the group that it leads
	closed  []bool   // by atom: one of the group that it leads is true
	covered []bool   // by clause: it says that one of a group is true
	seen    []uint32 // by atom: stamp
	stamp   uint32
	list    []uint32
	work    int
	found   grouping // the groups that there are
}

// mostLooseWork bounds, by atom, the search for groups of which none need be true.
const mostLooseWork = 256

// grouping says which groups are variables.
type grouping uint8

const (
	ungrouped    grouping = iota
	closedGroups          // those of which one atom is true
	allGroups             // those of which none need be, too
)

// bind divides the atoms of a component among variables.
func (s *variables) bind(m *loglinear.Model, atoms []uint32, g grouping) {
	n := m.Net.NumAtoms
	s.m, s.atoms, s.found, s.work = m, atoms, ungrouped, 0
	s.of, s.size, s.closed = grow.To(s.of, n), grow.To(s.size, n), grow.To(s.closed, n)
	s.leader, s.seen = grow.To(s.leader, n), grow.To(s.seen, n)
	s.covered = grow.To(s.covered, len(m.Net.Clauses))
	for _, a := range atoms {
		s.leader[a], s.size[a], s.closed[a], s.seen[a] = none, 0, false, 0
	}
	s.stamp = 0
	if len(m.Net.Clauses) > 0 {
		s.group(g)
	}
	s.number()
}

// group finds the groups.
func (s *variables) group(g grouping) {
	clauses := s.m.Net.Clauses
	for _, a := range s.atoms {
		for _, ref := range s.m.Clauses.Of(a) {
			if i := ref >> 1; clauses[i][0].Atom() == a {
				s.covered[i] = g >= closedGroups && s.choice(clauses[i]) && s.exclusive()
				if s.covered[i] {
					s.lead(true)
					s.found = closedGroups
				}
			}
		}
	}
	if g < allGroups {
		return
	}
	for _, a := range s.atoms {
		if s.single(a) && s.work < mostLooseWork*len(s.atoms) {
			s.gather(a)
		}
	}
}

// single reports whether an atom is free, no other one's opposite or equal, and in no group.
func (s *variables) single(a uint32) bool {
	h := &s.m.Implications
	_, fixed := h.Fixed(a)
	return !fixed && h.Block[a] == network.NewLit(a, false) && len(h.Members(a)) == 1 && s.leader[a] == none
}

// choice sets list to the atoms of a clause of three or more that are not fixed, and reports whether they may be a group.
func (s *variables) choice(clause []network.Lit) bool {
	s.list = s.list[:0]
	for _, l := range clause {
		value, fixed := s.m.Implications.Fixed(l.Atom())
		switch {
		case fixed && value == l.Negated():
		case fixed, l.Negated(), !s.single(l.Atom()):
			return false
		default:
			s.list = append(s.list, l.Atom())
		}
	}
	return len(s.list) > 2
}

// eachRival calls f for each other atom that a clause of two forbids to be true with an atom.
func (s *variables) eachRival(a uint32, f func(b uint32)) {
	for _, ref := range s.m.Clauses.Of(a) {
		s.work++
		clause := s.m.Net.Clauses[ref>>1]
		if len(clause) != 2 || !clause[0].Negated() || !clause[1].Negated() {
			continue
		}
		f(clause[0].Atom() ^ clause[1].Atom() ^ a)
	}
}

// exclusive reports whether no two atoms of the list can be true.
func (s *variables) exclusive() bool {
	for _, a := range s.list {
		if s.rivals(a) < len(s.list)-1 {
			return false
		}
	}
	return true
}

// rivals returns how many atoms of the list cannot be true with an atom.
func (s *variables) rivals(a uint32) int {
	s.stamp += 2
	for _, b := range s.list {
		s.seen[b] = s.stamp
	}
	n := 0
	s.eachRival(a, func(b uint32) {
		if s.seen[b] == s.stamp {
			s.seen[b]++ // another such clause does not count
			n++
		}
	})
	return n
}

// gather makes a group of an atom and of later ones, as they come, where there are three or more.
func (s *variables) gather(a uint32) {
	var after []uint32
	s.eachRival(a, func(b uint32) {
		if b > a && s.single(b) {
			after = append(after, b)
		}
	})
	if len(after) < 2 {
		return
	}
	slices.Sort(after)
	s.list = append(s.list[:0], a)
	for _, b := range slices.Compact(after) {
		if s.rivals(b) == len(s.list) {
			s.list = append(s.list, b)
		}
	}
	if len(s.list) > 2 {
		s.lead(false)
		s.found = allGroups
	}
}

// lead makes the list a group.
func (s *variables) lead(closed bool) {
	first := slices.Min(s.list)
	for i, a := range s.list {
		s.leader[a] = first
		s.of[a].value = uint32(i)
		if !closed {
			s.of[a].value++
		}
	}
	s.size[first], s.closed[first] = uint32(len(s.list)), closed
}

// number numbers the variables and gives each atom its place.
func (s *variables) number() {
	h := &s.m.Implications
	s.arity = s.arity[:0]
	for _, a := range s.atoms {
		value, fixed := h.Fixed(a)
		unit := h.Block[a]
		first := s.leader[a]
		switch {
		case fixed:
			s.of[a] = place{none, 0, value}
		case unit.Atom() != a: // the first atom of a unit has its place before
			s.of[a] = s.of[unit.Atom()]
			s.of[a].negated = unit.Negated()
		case first == none:
			s.of[a] = place{uint32(len(s.arity)), 1, false}
			s.arity = append(s.arity, 2)
		case first == a:
			s.of[a].variable, s.of[a].negated = uint32(len(s.arity)), false
			values := s.size[a]
			if !s.closed[a] {
				values++
			}
			s.arity = append(s.arity, values)
		default:
			s.of[a].variable, s.of[a].negated = s.of[first].variable, false
		}
	}
	s.list = s.list[:0]
	s.start = grow.Zeroed(s.start, len(s.arity)+2)
	for _, a := range s.atoms {
		if v := s.of[a].variable; v != none {
			s.start[v+2]++
			s.list = append(s.list, a)
		}
	}
	for v := range s.arity {
		s.start[v+2] += s.start[v+1]
	}
	s.members = grow.To(s.members, len(s.list))
	for _, a := range s.list { // start[v+1] moves from the beginning of v's list to its end
		at := &s.start[s.of[a].variable+1]
		s.members[*at] = a
		*at++
	}
}

// atomsOf returns the atoms of a variable, ascending.
func (s *variables) atomsOf(v uint32) []uint32 { return s.members[s.start[v]:s.start[v+1]] }

// holds reports whether an atom at a place is true where its variable has a value.
func (p place) holds(value uint32) bool { return (value == p.value) != p.negated }

// trivial reports whether the variables of a clause alone make it hold.
func (s *variables) trivial(i uint32) bool {
	if s.covered[i] {
		return true
	}
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
