package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// restarts is the memory for restarts within a slice.
type restarts struct {
	open   []uint32 // the component's moves, by first atom
	turned []bool   // by first atom of a move
	gain   float64  // change of the fields' energy from turning
}

const (
	restartAtoms = 200 // largest component
	restartFlips = 20  // for each of its moves
)

// restart checks whether a slice has frozen a component: none of its moves, which are clusters or combinations of them by parities, stays
// in the slice. If so, it draws another solution of the slice's constraints by SampleSAT (Wei, Erenrich and Selman, 2004), here a random
// walk from a random state, and accepts it with the probability given by the fields, provided that it is frozen too, so that the reverse
// move is symmetric. This reaches states far from the current one in all directions.
func (c *Chain) restart(r *rand.Rand) {
	m, t := c.s.M, &c.restarts
	if c.blocks == 0 || len(m.Scope.Groups) > 0 {
		return
	}
	component := m.Components.Atoms(m.Components.Of(m.Scope.Atoms[r.IntN(len(m.Scope.Atoms))]))
	if len(component) > restartAtoms || !c.stands(component) {
		return
	}
	t.open, t.gain = t.open[:0], 0
	for _, a := range component {
		if c.moves(a) {
			t.open = append(t.open, a)
		}
	}
	if len(t.open) < 2 {
		return
	}
	t.turned = grow.Zeroed(t.turned, len(c.s.X))
	c.violated.Reset(m.Factors())
	for _, root := range t.open {
		if r.Uint64()&1 == 0 {
			c.turnMove(root)
		}
	}
	if c.wander(r) && (t.gain >= 0 || r.Float64() < elementary.Exp(t.gain)) && c.stands(component) {
		return
	}
	for _, root := range t.open {
		if t.turned[root] {
			c.flipAll(c.moveOf(root))
		}
	}
}

// stands reports whether no move of a component stays within the slice.
func (c *Chain) stands(component []uint32) bool {
	for _, root := range component {
		if !c.moves(root) {
			continue
		}
		atoms := c.moveOf(root)
		c.flipAll(atoms)
		can := c.inSlice(atoms)
		c.flipAll(atoms)
		if can {
			return false
		}
	}
	return true
}

// wander makes random moves in violated factors, and reports whether a bounded number of them leaves none violated.
func (c *Chain) wander(r *rand.Rand) bool {
	v := &c.violated
	for flips := restartFlips * len(c.restarts.open); flips > 0 && len(v.List) > 0; flips-- {
		atoms := c.atomsOf(v.List[r.IntN(len(v.List))])
		root := c.leading(c.aux.forest[atoms[r.IntN(len(atoms))]], r)
		if c.moves(root) {
			c.turnMove(root)
		}
	}
	return len(v.List) == 0
}

// turnMove makes a move, and updates what the slice keeps.
func (c *Chain) turnMove(root uint32) {
	t := &c.restarts
	t.turned[root] = !t.turned[root]
	atoms := c.moveOf(root)
	t.gain += c.gainOf(atoms)
	c.turn(atoms)
}
