package network

import (
	"slices"

	"resolwe/internal/grow"
)

// Groups are disjoint sets of three or more atoms of which hard clauses let at most one be true: a clause of two negated
// atoms for each pair of them. Where a clause over all of them wants one, a group is one variable with as many values as
// atoms; else with one more, for none of them. The zero value is ready for [Groups.Find], which reuses its memory.
type Groups struct {
	of     []uint32 // by atom; Unset for none
	start  []uint32 // atoms[start[g]:start[g+1]] are those of group g, ascending
	atoms  []uint32
	covers []uint32 // by group: the clause that wants one of them, Unset for none

	firstRival []uint32 // rivals[firstRival[a]:firstRival[a+1]] exclude atom a, ascending
	rivals     []uint32
}

// Find finds the groups of a network: first those of which one is wanted, in the order of the clauses that want it, then
// others, each the first atom of no group with those of no group that follow and exclude each other. Atoms for which skip,
// unless nil, is true are in none.
func (g *Groups) Find(net *Network, skip func(a uint32) bool) {
	g.start, g.atoms, g.covers = append(g.start[:0], 0), g.atoms[:0], g.covers[:0]
	g.of = grow.To(g.of, net.NumAtoms)
	for a := range g.of {
		g.of[a] = Unset
	}
	if g.listRivals(net); len(g.rivals) == 0 {
		return
	}
	free := func(a uint32) bool { return g.of[a] == Unset && (skip == nil || !skip(a)) }
	for i, clause := range net.Clauses {
		if len(clause) > 2 && g.wantsOne(clause, free) {
			for _, l := range clause {
				g.atoms = append(g.atoms, l.Atom())
			}
			g.close(uint32(i))
		}
	}
	for a := range uint32(net.NumAtoms) {
		if !free(a) || g.firstRival[a] == g.firstRival[a+1] {
			continue
		}
		first := len(g.atoms)
		g.atoms = append(g.atoms, a)
		for _, b := range g.rivalsOf(a) {
			if b > a && free(b) && g.excludesAll(b, g.atoms[first:]) {
				g.atoms = append(g.atoms, b)
			}
		}
		if len(g.atoms)-first < 3 {
			g.atoms = g.atoms[:first]
			continue
		}
		g.close(Unset)
	}
}

// listRivals lists, by atom, the atoms that clauses of two negated atoms exclude beside it.
func (g *Groups) listRivals(net *Network) {
	g.firstRival = grow.Zeroed(g.firstRival, net.NumAtoms+2)
	n := uint32(0)
	for _, c := range net.Clauses {
		if excludes(c) {
			g.firstRival[c[0].Atom()+2]++
			g.firstRival[c[1].Atom()+2]++
			n += 2
		}
	}
	for a := range net.NumAtoms {
		g.firstRival[a+2] += g.firstRival[a+1]
	}
	if g.rivals = grow.To(g.rivals, int(n)); n == 0 {
		return
	}
	for _, c := range net.Clauses {
		if excludes(c) { // firstRival[a+1] moves from the beginning of a's list to its end
			a, b := c[0].Atom(), c[1].Atom()
			g.rivals[g.firstRival[a+1]], g.rivals[g.firstRival[b+1]] = b, a
			g.firstRival[a+1]++
			g.firstRival[b+1]++
		}
	}
	for a := range uint32(net.NumAtoms) {
		slices.Sort(g.rivalsOf(a))
	}
}

// excludes reports whether a clause is one of two negated atoms.
func excludes(c []Lit) bool { return len(c) == 2 && c[0].Negated() && c[1].Negated() }

func (g *Groups) rivalsOf(a uint32) []uint32 { return g.rivals[g.firstRival[a]:g.firstRival[a+1]] }

// excludesAll reports whether an atom excludes each of some atoms.
func (g *Groups) excludesAll(a uint32, atoms []uint32) bool {
	for _, b := range atoms {
		if _, found := slices.BinarySearch(g.rivalsOf(a), b); !found {
			return false
		}
	}
	return true
}

// wantsOne reports whether the literals of a clause are free atoms, none negated, that exclude each other.
func (g *Groups) wantsOne(clause []Lit, free func(uint32) bool) bool {
	for _, l := range clause {
		if l.Negated() || !free(l.Atom()) || len(g.rivalsOf(l.Atom())) < len(clause)-1 {
			return false
		}
	}
	for i, l := range clause {
		for _, k := range clause[:i] {
			if _, found := slices.BinarySearch(g.rivalsOf(l.Atom()), k.Atom()); !found {
				return false
			}
		}
	}
	return true
}

// close makes the atoms since the last group one.
func (g *Groups) close(cover uint32) {
	for _, a := range g.atoms[g.start[len(g.start)-1]:] {
		g.of[a] = uint32(len(g.covers))
	}
	g.start, g.covers = append(g.start, uint32(len(g.atoms))), append(g.covers, cover)
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.covers) }

// Atoms returns the atoms of a group, ascending. The slice is valid until the next Find.
func (g *Groups) Atoms(group uint32) []uint32 { return g.atoms[g.start[group]:g.start[group+1]] }

// Of returns the group of an atom, Unset for none.
func (g *Groups) Of(a uint32) uint32 { return g.of[a] }

// ExactlyOne reports whether one atom of a group has to be true.
func (g *Groups) ExactlyOne(group uint32) bool { return g.covers[group] != Unset }

// Makes reports whether the i-th clause of the network, which is given, is one of those that make a group.
func (g *Groups) Makes(i int, clause []Lit) bool {
	if len(g.covers) == 0 || len(clause) == 0 {
		return false
	}
	group := g.of[clause[0].Atom()]
	return group != Unset && (g.covers[group] == uint32(i) || excludes(clause) && g.of[clause[1].Atom()] == group)
}
