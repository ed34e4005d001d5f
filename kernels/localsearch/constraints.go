package localsearch

import (
	"slices"

	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// constraints are the hard constraints of a component, except those that hold for all values of the blocks.
type constraints struct {
	start, end []uint32
	refs       []uint32 // refs[start[a]:end[a]] are the constraints on atom a, as in Model.Hard
	penalty    float64  // energy cost of a violated constraint

	violated loglinear.Violated
}

// on returns the constraints on an atom.
func (c *constraints) on(a uint32) []uint32 { return c.refs[c.start[a]:c.end[a]] }

// collect lists the constraints of another component by atom.
func (c *constraints) collect(f *Search, atoms []uint32) {
	m := f.model
	c.violated.Clear()
	c.refs = c.refs[:0]
	for _, a := range atoms {
		c.start[a] = uint32(len(c.refs))
		for _, ref := range m.Hard.Of(a) {
			if clause, feature := m.HardFactor(ref >> 1); feature != nil || !f.granted(clause) {
				c.refs = append(c.refs, ref)
			}
		}
		c.end[a] = uint32(len(c.refs))
	}
}

// granted reports whether a clause holds for all values of the blocks.
func (f *Search) granted(clause []network.Lit) bool {
	h := &f.model.Implications
	first, free, positive := network.Lit(network.Unset), 0, 0
	for _, l := range clause {
		if v, fixed := h.Fixed(l.Atom()); fixed {
			if v != l.Negated() {
				return true
			}
			continue
		}
		if first == network.Unset {
			first = l
		}
		if f.of[l.Atom()] != f.of[first.Atom()] {
			return false
		}
		free++
		if !l.Negated() {
			positive++
		}
	}
	if free == 0 {
		return false
	}
	switch b := &f.blocks[f.of[first.Atom()]]; {
	case b.unit: // a literal and its opposite
		return slices.ContainsFunc(clause, func(l network.Lit) bool { return h.Block[l.Atom()]^l&1 == h.Block[first.Atom()]^first&1^1 })
	case positive == 0:
		return free == 2
	default:
		return positive == free && free == int(b.values) // a group that may have no true atom has more
	}
}

// follow updates the set of violated constraints after a change of an atom.
func (f *Search) follow(a uint32) {
	for _, ref := range f.constraints.on(a) {
		f.constraints.violated.Note(ref>>1, f.s.Satisfied(ref>>1))
	}
}

// broken returns the change in the number of violated constraints if an atom flipped.
func (f *Search) broken(a uint32) int {
	n := 0
	for _, ref := range f.constraints.on(a) {
		switch after := f.s.SatisfiedFlipped(a, ref); {
		case after == f.s.Satisfied(ref>>1):
		case after:
			n--
		default:
			n++
		}
	}
	return n
}
