package localsearch

import (
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// constraints are the hard constraints of a component, but for those that every value of a block satisfies: clauses, then
// hard features.
type constraints struct {
	clauses    uint32 // of the network
	start, end []uint32
	refs       []uint32 // refs[start[a]:end[a]] are those of atom a: 2*constraint, plus 1 where a clause has it negated
	penalty    float64  // energy that a violated one costs

	violated loglinear.Violated
}

func (c *constraints) reset(net *network.Network) {
	c.clauses = uint32(len(net.Clauses))
	c.start, c.end = grow.To(c.start, net.NumAtoms), grow.To(c.end, net.NumAtoms)
	c.violated.Reset(len(net.Clauses) + len(net.HardFeatures))
}

// begin forgets a component.
func (c *constraints) begin() {
	c.violated.Clear()
	c.refs = c.refs[:0]
}

// of returns the constraints on an atom.
func (c *constraints) of(a uint32) []uint32 { return c.refs[c.start[a]:c.end[a]] }

// collect lists the constraints by atom.
func (c *constraints) collect(f *Search, atoms []uint32) {
	m := f.model
	for _, a := range atoms {
		c.start[a] = uint32(len(c.refs))
		for _, ref := range m.Clauses.Of(a) {
			if !f.granted(m.Net.Clauses[ref>>1]) {
				c.refs = append(c.refs, ref)
			}
		}
		for _, i := range m.HardFeatures.Of(a) {
			c.refs = append(c.refs, (c.clauses+i)<<1)
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

// holds reports whether a constraint does.
func (c *constraints) holds(s *loglinear.State, i uint32) bool {
	if i < c.clauses {
		return s.ClauseTrue[i] > 0
	}
	return s.M.Net.HardFeatures[i-c.clauses].Root.True(s.X)
}

// follow notes the constraints on an atom.
func (c *constraints) follow(s *loglinear.State, a uint32) {
	for _, ref := range c.of(a) {
		c.violated.Note(ref>>1, c.holds(s, ref>>1))
	}
}

// broken returns how many more constraints would be violated if an atom flipped.
func (c *constraints) broken(s *loglinear.State, a uint32) int {
	n := 0
	for _, ref := range c.of(a) {
		i := ref >> 1
		if i < c.clauses {
			switch holds := s.X[a] == (ref&1 == 0); {
			case holds && s.ClauseTrue[i] == 1:
				n++
			case !holds && s.ClauseTrue[i] == 0:
				n--
			}
			continue
		}
		was := c.holds(s, i)
		s.X[a] = !s.X[a]
		if now := c.holds(s, i); was && !now {
			n++
		} else if now && !was {
			n--
		}
		s.X[a] = !s.X[a]
	}
	return n
}
