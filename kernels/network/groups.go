package network

import (
	"slices"

	"resolwe/internal/grow"
)

// Groups are disjoint sets of three or more atoms of which hard clauses allow at most one to be true: there is a clause of two negated
// atoms for each pair. If a clause over all atoms requires one to be true, a group is a single variable with as many values as atoms;
// otherwise it has one more value, for none of them. The zero value is ready for [Groups.Find], which reuses its memory.
type Groups struct {
	of     []uint32 // by atom; Unset for none
	start  []uint32 // atoms[start[g]:start[g+1]] are those of group g, ascending
	atoms  []uint32
	covers []uint32 // by group: the clause that requires one of its atoms, or Unset

	rivals grow.Lists // by atom: the atoms that exclude it, ascending
}

// Find finds the groups of a network: first those with a clause that requires one atom, in the order of these clauses, then others,
// greedily: each consists of the first ungrouped atom and later ungrouped ones that all exclude each other. Atoms for which skip, if not
// nil, returns true are not grouped.
func (g *Groups) Find(net *Network, skip func(a uint32) bool) {
	g.start, g.atoms, g.covers = append(g.start[:0], 0), g.atoms[:0], g.covers[:0]
	g.of = grow.To(g.of, net.NumAtoms)
	for a := range g.of {
		g.of[a] = Unset
	}
	if g.listRivals(net); g.rivals.Empty() {
		return
	}
	for a := range uint32(net.NumAtoms) {
		slices.Sort(g.rivals.Of(a))
	}
	free := func(a uint32) bool { return g.of[a] == Unset && (skip == nil || !skip(a)) }
	for i, clause := range net.Clauses {
		if len(clause) < 3 {
			continue
		}
		first := len(g.atoms)
		for _, l := range clause {
			if a := l.Atom(); !l.Negated() && free(a) && g.excludesAll(a, g.atoms[first:]) {
				g.atoms = append(g.atoms, a)
			}
		}
		g.close(first, len(clause), uint32(i))
	}
	for a := range uint32(net.NumAtoms) {
		if !free(a) || len(g.rivals.Of(a)) == 0 {
			continue
		}
		first := len(g.atoms)
		g.atoms = append(g.atoms, a)
		for _, b := range g.rivals.Of(a) {
			if b > a && free(b) && g.excludesAll(b, g.atoms[first:]) {
				g.atoms = append(g.atoms, b)
			}
		}
		g.close(first, 3, Unset)
	}
}

// listRivals lists, by atom, the atoms excluded by clauses of two negated atoms, in order of the clauses.
func (g *Groups) listRivals(net *Network) {
	g.rivals.Build(net.NumAtoms, func(emit func(atom, rival uint32)) {
		for _, c := range net.Clauses {
			if excludes(c) {
				emit(c[0].Atom(), c[1].Atom())
				emit(c[1].Atom(), c[0].Atom())
			}
		}
	})
}

// excludes reports whether a clause consists of two negated atoms.
func excludes(c []Lit) bool { return len(c) == 2 && c[0].Negated() && c[1].Negated() }

// excludesAll reports whether an atom excludes each of the given atoms.
func (g *Groups) excludesAll(a uint32, atoms []uint32) bool {
	for _, b := range atoms {
		if _, found := slices.BinarySearch(g.rivals.Of(a), b); !found {
			return false
		}
	}
	return true
}

// close makes a group of the atoms from index first on, if they are at least least.
func (g *Groups) close(first, least int, cover uint32) {
	if len(g.atoms)-first < least {
		g.atoms = g.atoms[:first]
		return
	}
	for _, a := range g.atoms[first:] {
		g.of[a] = uint32(len(g.covers))
	}
	g.start, g.covers = append(g.start, uint32(len(g.atoms))), append(g.covers, cover)
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.covers) }

// Atoms returns the atoms of a group, ascending. The slice is valid until the next Find.
func (g *Groups) Atoms(group uint32) []uint32 { return g.atoms[g.start[group]:g.start[group+1]] }

// Of returns the group of an atom, or Unset.
func (g *Groups) Of(a uint32) uint32 { return g.of[a] }

// ExactlyOne reports whether one atom of a group must be true.
func (g *Groups) ExactlyOne(group uint32) bool { return g.covers[group] != Unset }

// Makes reports whether clause, the i-th of the network, is one of those that define a group.
func (g *Groups) Makes(i int, clause []Lit) bool {
	if len(g.covers) == 0 || len(clause) == 0 {
		return false
	}
	group := g.of[clause[0].Atom()]
	return group != Unset && (g.covers[group] == uint32(i) || excludes(clause) && g.of[clause[1].Atom()] == group)
}
