package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// Groups are the network's groups (see [network.Groups]) whose atoms share no unit with others; samplers draw a value for the whole
// group.
type Groups struct {
	network.Groups

	// Outer is like Model.Hard, without the clauses that define groups: those hold as long as each group has a value.
	Outer grow.Lists
	// Ties are the clauses of two atoms of different groups; Tie flags them by constraint.
	Ties []uint32
	Tie  []bool
	// Plain flags the groups whose atoms have nothing but fields and pairs with other atoms.
	Plain []bool
}

// find finds the groups; the units must be known.
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

// Outer returns the hard constraints on an atom, as Model.Hard does, except those that define its group.
func (m *Model) Outer(a uint32) []uint32 {
	if m.Groups.Len() > 0 {
		return m.Groups.Outer.Of(a)
	}
	return m.Hard.Of(a)
}
