package mcsat

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// groupDraws is the memory of the moves of groups.
type groupDraws struct {
	energy  []float64 // by value of the current group; then its probability
	order   []int     // values, in the order of pairing
	partner []int     // by value: the one with which the slice exchanges it, itself for none
	movable []bool    // by atom: has a value that the slice exchanges
	shift   []float64 // by atom: contribution of immovable atoms to its field
}

// drawGroup draws the value of a group from its conditional distribution, and adds that to the sums.
func (c *Chain) drawGroup(g uint32, r *rand.Rand) {
	groups := &c.s.M.Groups
	atoms := groups.Atoms(g)
	now := slices.IndexFunc(atoms, func(a uint32) bool { return c.s.X[a] })
	plain := groups.Plain[g]
	if !plain && now >= 0 {
		c.s.Flip(atoms[now])
	}
	c.groups.energy = grow.To(c.groups.energy, len(atoms))
	p := c.groups.energy
	none := 0.0 // relative weight of no value
	most := math.Inf(-1)
	free := plain || c.s.Lawful(atoms)
	if !groups.ExactlyOne(g) && free {
		most, none = 0, 1
	}
	for v, a := range atoms {
		p[v] = math.Inf(-1)
		if plain || c.allows(atoms, a, free) {
			p[v] = c.s.Field(a)
			most = max(most, p[v])
		}
	}
	sum := 0.0
	if none > 0 {
		none = elementary.Exp(-most)
		sum = none
	}
	for v := range p {
		p[v] = elementary.Exp(p[v] - most)
		sum += p[v]
	}
	u := float64(r.Float64()*sum) - none
	next := -1
	if u >= 0 || none == 0 {
		next = pickWeighted(p, u)
	}
	for v, a := range atoms {
		c.sums[a] += p[v] / sum
	}
	if plain && next == now {
		return
	}
	if plain && now >= 0 {
		c.s.Flip(atoms[now])
	}
	if next >= 0 {
		c.s.Flip(atoms[next])
	}
}

// pickWeighted returns the index at which u falls among consecutive intervals of the given lengths; the last nonempty one if rounding
// leaves u beyond them.
func pickWeighted(weights []float64, u float64) int {
	last := -1
	for i, w := range weights {
		if w == 0 {
			continue
		}
		last = i
		if u -= w; u < 0 {
			break
		}
	}
	return last
}

// allows reports whether an atom of a group without a value may become true; free says that the constraints hold without it.
func (c *Chain) allows(group []uint32, a uint32, free bool) bool {
	if free {
		return c.s.MayTurn(a)
	}
	c.s.Flip(a)
	ok := c.s.Lawful(group)
	c.s.Flip(a)
	return ok
}

// pickValues pairs the values at random, the same way in all groups. The slice exchanges paired values: the atoms of a group with one of
// them flip together, other atoms of groups stay (Wang, Swendsen and Kotecky, 1989). In a group that may have none, none is also a value.
func (c *Chain) pickValues(r *rand.Rand) {
	d, m := &c.groups, c.s.M
	most := 0
	for _, g := range m.Scope.Groups {
		_, n := valuesOf(m, g)
		most = max(most, n)
	}
	d.order, d.partner = grow.To(d.order, most), grow.To(d.partner, most)
	for v := range d.order {
		d.order[v] = v
	}
	r.Shuffle(most, func(i, j int) { d.order[i], d.order[j] = d.order[j], d.order[i] })
	for i, v := range d.order {
		d.partner[v] = d.order[min(i^1, most-1)]
	}
	d.movable, d.shift = grow.To(d.movable, len(c.s.X)), grow.Zeroed(d.shift, len(c.s.X))
	for _, a := range m.Scope.Atoms {
		d.movable[a] = true
	}
	for _, g := range m.Scope.Groups {
		c.pairValues(g)
	}
}

// pairValues makes the atoms of a group's value and of its partner movable.
func (c *Chain) pairValues(g uint32) {
	d := &c.groups
	atoms, n := valuesOf(c.s.M, g)
	now := len(atoms)
	for v, a := range atoms {
		d.movable[a], c.aux.frozen[a] = false, true
		if c.s.X[a] {
			now = v
		}
	}
	other := d.partner[now]
	if other == now || other >= n {
		return
	}
	for _, v := range [...]int{now, other} {
		if v < len(atoms) {
			d.movable[atoms[v]], c.aux.frozen[atoms[v]] = true, false
		}
	}
	if max(now, other) < len(atoms) {
		c.aux.forest.Unite(atoms[now], atoms[other])
	}
}

// splits reports whether flipping an atom's cluster has broken, or made, a clause's tie between groups: the reverse move would then differ.
func (c *Chain) splits(a uint32) bool {
	m, d := c.s.M, &c.groups
	for _, ref := range m.Groups.Outer.Of(a) {
		i := ref >> 1
		if !m.Groups.Tie[i] || c.s.ClauseTrue[i] != 1 {
			continue
		}
		x, y := m.Net.Clauses[i][0].Atom(), m.Net.Clauses[i][1].Atom()
		if d.movable[x] && d.movable[y] && c.aux.forest[x] != c.aux.forest[y] {
			return true
		}
	}
	return false
}
