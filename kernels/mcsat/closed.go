package mcsat

import (
	"math/rand/v2"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// closedForms are the exact marginals of atoms in components to be sampled: of those that are fixed, and of units and groups that no factor
// with an energy, and no constraint, connects with others that are not fixed.
type closedForms struct {
	closed []bool // by atom
	n      int
	forest network.Forest
	size   []int // by root: atoms that are not fixed
	chain  Chain
	p      []float64 // by atom: its marginal
}

// find finds the atoms.
func (f *closedForms) find(m *loglinear.Model) {
	n := m.Net.NumAtoms
	h := &m.Implications
	f.forest, f.size, f.closed, f.n = grow.To(f.forest, n), grow.Zeroed(f.size, n), grow.Zeroed(f.closed, n), 0
	for a, l := range h.Block {
		f.forest[a] = l.Atom()
	}
	f.connect(m)
	for _, a := range m.Scope.Atoms {
		if _, fixed := h.Fixed(a); !fixed {
			f.size[f.forest.Root(a)]++
		}
	}
	for _, a := range m.Scope.Atoms {
		_, fixed := h.Fixed(a)
		own := len(h.Members(h.Block[a].Atom()))
		if !fixed && m.Groups.Grouped(a) {
			own = 0
			for _, b := range m.Groups.Atoms(m.Groups.Of(a)) {
				if _, fixed := h.Fixed(b); !fixed {
					own++
				}
			}
		}
		if f.closed[a] = fixed || f.size[f.forest.Root(a)] == own; f.closed[a] {
			f.n++
		}
	}
}

// connect unites the atoms that are not fixed of each factor with an energy and of each constraint that those fixed do not satisfy.
func (f *closedForms) connect(m *loglinear.Model) {
	first := uint32(network.Unset)
	join := func(a uint32) {
		switch _, fixed := m.Implications.Fixed(a); {
		case fixed:
		case first == network.Unset:
			first = a
		default:
			f.forest.Unite(first, a)
		}
	}
	each := func(atoms []uint32) {
		first = network.Unset
		for _, a := range atoms {
			join(a)
		}
	}
	s := &m.Scope
	for _, i := range s.Pairs {
		if p := m.Net.Pairs[i]; m.Couplings.Energy[m.Couplings.Class[i]] != 0 {
			each([]uint32{p.A, p.B})
		}
	}
	var atoms []uint32
	for _, i := range s.Soft {
		if m.SoftEnergy[i] != 0 && !m.Dead(i) {
			atoms = m.AppendAtoms(atoms[:0], m.Constraints()+i)
			each(atoms)
		}
	}
	for _, i := range s.Hard {
		if atoms = m.AppendAtoms(atoms[:0], i); !m.Granted(i) {
			each(atoms)
		}
	}
	for _, g := range s.Groups {
		each(m.Groups.Atoms(g))
	}
	for i, p := range m.Net.Bilinears {
		l, r := &m.Net.Incidences[p.Left], &m.Net.Incidences[p.Right]
		for h := 0; m.Bilinear.Energy[i] != 0 && h+1 < len(l.Start); h++ {
			left, right := l.Atoms[l.Start[h]:l.Start[h+1]], r.Atoms[r.Start[h]:r.Start[h+1]]
			if len(left) > 0 && len(right) > 0 {
				each(left)
				for _, a := range right {
					join(a)
				}
			}
		}
	}
}

// solve computes the marginals, by a draw of each unit and group. If it finds no state to start from, all atoms are to be sampled.
func (f *closedForms) solve(m *loglinear.Model) {
	if f.p = grow.To(f.p, m.Net.NumAtoms); f.n == 0 {
		return
	}
	c, r := &f.chain, rand.New(rand.NewPCG(0, 0)) // what is drawn does not matter
	if err := c.Start(m, make([]bool, m.Net.NumAtoms), Options{Method: MethodGibbs}, r); err != nil {
		clear(f.closed)
		f.n = 0
		return
	}
	for _, u := range m.Scope.Units {
		if f.closed[u] {
			c.drawUnit(u, r)
		}
	}
	for _, g := range m.Scope.Groups {
		if !f.leaves(m.Groups.Atoms(g)) {
			c.drawGroup(g, r)
		}
	}
	copy(f.p, c.sums)
}

// leaves reports whether some of the atoms have no closed form.
func (f *closedForms) leaves(atoms []uint32) bool {
	return slices.ContainsFunc(atoms, func(a uint32) bool { return !f.closed[a] })
}

// into copies the marginals.
func (f *closedForms) into(dst []float64) {
	for a, closed := range f.closed {
		if closed {
			dst[a] = min(1, f.p[a])
		}
	}
}
