package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Groups are the groups of the network (see [network.Groups]) whose atoms have no unit with others: samplers draw the value
// of a whole group.
type Groups struct {
	network.Groups

	// Outer is like Model.Hard, without the clauses that make groups: those hold wherever groups have a value.
	Outer grow.Lists
	// Ties are the clauses of two atoms of different groups; Tie says by constraint which they are.
	Ties []uint32
	Tie  []bool
	// Plain says by group that nothing but fields and pairs with other atoms touches its atoms.
	Plain []bool
}

// find finds the groups once the units are known.
func (g *Groups) find(m *Model) {
	net := m.Net
	g.Find(net, func(a uint32) bool { return len(m.Implications.Members(m.Implications.Block[a].Atom())) > 1 })
	g.Ties, g.Plain = g.Ties[:0], g.Plain[:0]
	if g.Len() == 0 {
		return
	}
	g.Tie = grow.Zeroed(g.Tie, int(m.Constraints()))
	g.Outer.Build(net.NumAtoms, func(emit func(atom, ref uint32)) {
		for i := range m.Constraints() {
			if clause, _ := m.HardFactor(i); !g.Makes(int(i), clause) {
				m.EachAtom(i, func(a, sign uint32) { emit(a, i<<1|sign) })
			}
		}
	})
	for i, c := range net.Clauses {
		if len(c) == 2 && g.Grouped(c[0].Atom()) && g.Grouped(c[1].Atom()) && g.Of(c[0].Atom()) != g.Of(c[1].Atom()) {
			g.Tie[i] = true
			g.Ties = append(g.Ties, uint32(i))
		}
	}
	for k := range uint32(g.Len()) {
		g.Plain = append(g.Plain, g.plain(m, k))
	}
}

func (g *Groups) plain(m *Model, group uint32) bool {
	for _, a := range g.Atoms(group) {
		if len(g.Outer.Of(a))+len(m.Soft.Of(a)) > 0 || m.met(a) {
			return false
		}
		neighbours, _, base := m.Couplings.Of(a)
		for _, b := range neighbours {
			if g.Of(base+b) == group {
				return false
			}
		}
	}
	return true
}

// Grouped reports whether an atom is in a group.
func (g *Groups) Grouped(a uint32) bool { return g.Len() > 0 && g.Of(a) != network.Unset }

// Outer returns the hard constraints on an atom but for those that make its group, as Model.Hard does.
func (m *Model) Outer(a uint32) []uint32 {
	if m.Groups.Len() > 0 {
		return m.Groups.Outer.Of(a)
	}
	return m.Hard.Of(a)
}
