package localsearch

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// constraints are the hard constraints of a component, but for those that every value of a block satisfies.
type constraints struct {
	start, end []uint32
	refs       []uint32 // refs[start[a]:end[a]] are the clauses on atom a, as Model.Clauses has them
	penalty    float64  // energy that a violated constraint costs

	violated loglinear.Violated
}

func (c *constraints) reset(net *network.Network) {
	c.start, c.end = grow.To(c.start, net.NumAtoms), grow.To(c.end, net.NumAtoms)
	c.violated.Reset(len(net.Clauses) + len(net.HardFeatures))
}

// begin forgets a component.
func (c *constraints) begin() {
	c.violated.Clear()
	c.refs = c.refs[:0]
}

// clauses returns those on an atom.
func (c *constraints) clauses(a uint32) []uint32 { return c.refs[c.start[a]:c.end[a]] }

// constrained reports whether an atom is in a constraint.
func (f *Search) constrained(a uint32) bool {
	return len(f.constraints.clauses(a))+len(f.model.HardFeatures.Of(a)) > 0
}

// collect lists the clauses by atom.
func (c *constraints) collect(f *Search, atoms []uint32) {
	m := f.model
	for _, a := range atoms {
		c.start[a] = uint32(len(c.refs))
		for _, ref := range m.Clauses.Of(a) {
			if !f.granted(m.Net.Clauses[ref>>1]) {
				c.refs = append(c.refs, ref)
			}
		}
		c.end[a] = uint32(len(c.refs))
	}
}

// granted reports whether every state of blocks satisfies a clause.
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
		return positive == free && free == int(b.values) // a group with none has more
	}
}

// follow notes the constraints on an atom.
func (f *Search) follow(a uint32) {
	for _, ref := range f.constraints.clauses(a) {
		f.constraints.violated.Note(ref>>1, f.s.Satisfied(ref>>1))
	}
	for _, i := range f.model.HardFeatures.Of(a) {
		i += uint32(len(f.model.Net.Clauses))
		f.constraints.violated.Note(i, f.s.Satisfied(i))
	}
}

// broken returns how many more constraints would be violated if an atom flipped.
func (f *Search) broken(a uint32) int {
	n, s := 0, &f.s
	for _, ref := range f.constraints.clauses(a) {
		switch holds := s.X[a] == (ref&1 == 0); {
		case holds && s.ClauseTrue[ref>>1] == 1:
			n++
		case !holds && s.ClauseTrue[ref>>1] == 0:
			n--
		}
	}
	for _, i := range f.model.HardFeatures.Of(a) {
		n -= int(s.FeatureGain(f.model.Net.HardFeatures[i].Root, a) * loglinear.Sign(!s.X[a]))
	}
	return n
}
