package mcsat

import (
	"math"
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// parityMoves are the sets of clusters that flip together in a slice that keeps parities. For parities of two atoms they would be the
// clusters of Swendsen and Wang.
type parityMoves struct {
	loglinear.Flips
	kept []uint32 // parities that the slice keeps
}

// keepParities draws the parities that the slice keeps.
func (c *Chain) keepParities(r *rand.Rand) {
	p, m := &c.parities, c.s.M
	p.kept = p.kept[:0]
	for i := range m.Parities {
		f := &m.Parities[i]
		if f.Holds(c.s.X) && (math.IsInf(f.Energy, 1) || r.Float64() < -elementary.Expm1(-f.Energy)) {
			p.kept = append(p.kept, uint32(i))
		}
	}
}

// solveParities finds the moves. The clusters that lead are random, so each slice has another basis.
func (c *Chain) solveParities(parities []loglinear.Parity, r *rand.Rand) {
	s, p := &c.aux, &c.parities
	p.Solve(parities, p.kept, c.s.X, func(a uint32) (cluster uint32, ok bool) {
		root := s.forest[a]
		_, fixed := c.s.M.Implications.Fixed(root)
		return root, !fixed && !s.frozen[root]
	}, r, func(uint32) {})
}

// moveOf lists the atoms of a move. The result is valid until the next call.
func (c *Chain) moveOf(root uint32) []uint32 {
	s := &c.aux
	s.move = c.appendCluster(s.move[:0], root)
	c.parities.Followers(root, func(cluster uint32) { s.move = c.appendCluster(s.move, cluster) })
	return s.move
}

// appendCluster appends the atoms of a cluster.
func (c *Chain) appendCluster(dst []uint32, root uint32) []uint32 {
	for a := c.aux.head[root]; a != network.Unset; a = c.aux.next[a] {
		dst = append(dst, a)
	}
	return dst
}

// gainOf returns the change of the fields' energy in a move.
func (c *Chain) gainOf(atoms []uint32) float64 {
	gain, grouped := 0.0, len(c.s.M.Scope.Groups) > 0
	for _, a := range atoms {
		h := c.s.M.Centred[a]
		if grouped {
			h += c.groups.shift[a]
		}
		if c.s.X[a] {
			h = -h
		}
		gain += h
	}
	return gain
}

// tryParities draws each move of clusters tied by parities from its conditional distribution given the others, within the slice.
func (c *Chain) tryParities(r *rand.Rand) {
	for _, root := range c.parities.Columns {
		if c.aux.forest[root] == root && !c.aux.frozen[root] && !c.parities.Follows(root) {
			atoms := c.moveOf(root)
			c.tryMove(atoms, elementary.Sigmoid(c.gainOf(atoms)), r)
		}
	}
}
