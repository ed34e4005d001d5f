package mcsat

import (
	"math"
	"math/rand/v2"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// groupDraws is the memory of the moves of groups.
type groupDraws struct {
	energy  []float64 // by value of the group under way; then its probability
	movable []bool    // by atom: of a value that the slice exchanges
	shift   []float64 // by atom: what atoms that cannot move add to its field
}

// drawGroup draws the value of a group from its conditional distribution, and adds that to the sums.
func (c *Chain) drawGroup(g uint32, r *rand.Rand) {
	groups := &c.s.M.Groups
	atoms, now := groups.Atoms(g), -1
	for v, a := range atoms {
		if c.s.X[a] {
			now = v
			break
		}
	}
	plain := groups.Plain[g]
	if !plain && now >= 0 {
		c.s.Flip(atoms[now])
	}
	c.groups.energy = grow.To(c.groups.energy, len(atoms))
	p := c.groups.energy
	none := 0.0 // relative weight of no value
	most := math.Inf(-1)
	free := plain || c.s.LawfulGroup(g)
	if !groups.ExactlyOne(g) && free {
		most, none = 0, 1
	}
	for v, a := range atoms {
		p[v] = math.Inf(-1)
		if plain || c.allows(g, a, free) {
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

// pickWeighted returns the place in which u falls among weights that follow each other from 0; the last positive one where
// rounding leaves u beyond them.
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

// allows reports whether an atom of a group without a value may become true; free says that the constraints hold without.
func (c *Chain) allows(g, a uint32, free bool) bool {
	if free {
		return c.s.MayTurn(a)
	}
	c.s.Flip(a)
	ok := c.s.LawfulGroup(g)
	c.s.Flip(a)
	return ok
}

// pickValues chooses two values, the same in all groups, which the slice exchanges: the atoms of a group that has one of them
// flip together, other atoms of groups stay (Wang, Swendsen and Kotecky, 1989). No value is one of a group that may have none.
func (c *Chain) pickValues(r *rand.Rand) {
	d, groups, scope := &c.groups, &c.s.M.Groups, &c.s.M.Scope
	most := 0
	for _, g := range scope.Groups {
		n := len(groups.Atoms(g))
		if !groups.ExactlyOne(g) {
			n++
		}
		most = max(most, n)
	}
	first := r.IntN(most)
	second := r.IntN(most - 1)
	if second >= first {
		second++
	}
	d.movable, d.shift = grow.To(d.movable, len(c.s.X)), grow.Zeroed(d.shift, len(c.s.X))
	for _, a := range scope.Atoms {
		d.movable[a] = true
	}
	for _, g := range scope.Groups {
		atoms := groups.Atoms(g)
		for _, a := range atoms {
			d.movable[a], c.aux.frozen[a] = false, true
		}
		pair := [2]uint32{network.Unset, network.Unset}
		for i, v := range [...]int{first, second} {
			if v < len(atoms) {
				pair[i] = atoms[v]
			}
		}
		c.pairValues(pair, groups.ExactlyOne(g), c.hasNone(atoms))
	}
}

// pairValues makes the atoms of two values movable where the group has one of the values. Unset stands for no value.
func (c *Chain) pairValues(pair [2]uint32, exactlyOne, none bool) {
	holds := false
	for _, a := range pair {
		if a == network.Unset {
			if exactlyOne {
				return
			}
			holds = holds || none
			continue
		}
		holds = holds || c.s.X[a]
	}
	if !holds {
		return
	}
	for _, a := range pair {
		if a != network.Unset {
			c.groups.movable[a], c.aux.frozen[a] = true, false
		}
	}
	if pair[0] != network.Unset && pair[1] != network.Unset {
		c.aux.forest.Unite(pair[0], pair[1])
	}
}

func (c *Chain) hasNone(atoms []uint32) bool {
	for _, a := range atoms {
		if c.s.X[a] {
			return false
		}
	}
	return true
}

// freezeGroups is freezePairs where there are groups. A pair with an atom that stays is a field of the other one. Groups that
// a hard clause of two atoms holds apart move together.
func (c *Chain) freezeGroups(r *rand.Rand) {
	f, m, d := c.aux.forest, c.s.M, &c.groups
	for _, i := range m.Scope.Pairs {
		p, class := m.Net.Pairs[i], m.Couplings.Class[i]
		a, b := d.movable[p.A], d.movable[p.B]
		switch {
		case a && b:
			c.freezePair(p, m.Couplings.Bond[class], r)
		case a:
			d.shift[p.A] += float64(m.Couplings.Energy[class] / 2 * loglinear.Sign(c.s.X[p.B]))
		case b:
			d.shift[p.B] += float64(m.Couplings.Energy[class] / 2 * loglinear.Sign(c.s.X[p.A]))
		}
	}
	for _, i := range m.Groups.Ties {
		clause := m.Net.Clauses[i]
		if a, b := clause[0].Atom(), clause[1].Atom(); c.s.ClauseTrue[i] == 1 && d.movable[a] && d.movable[b] {
			f.Unite(a, b)
		}
	}
}

// splits reports whether a flip of an atom's cluster has broken a clause's tie between groups up, or made one: the way back
// would then be another one.
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
