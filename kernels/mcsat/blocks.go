package mcsat

import (
	"math"
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// blockDraws is the memory for drawing blocks: a few variables, units or groups, connected by factors.
type blockDraws struct {
	vars    []variable
	atoms   []uint32  // of all variables
	states  int       // product of their numbers of values
	weights []float64 // by joint state: its energy, then its weight; the last variable varies fastest
	done    []bool    // by atom, in the current sweep
	values  []float64 // by value of a variable: its weight
}

// variable is a group, or else the unit with the number.
type variable struct {
	number uint32
	group  bool
}

// of returns the atoms of a variable, and its number of values.
func (v variable) of(m *loglinear.Model) (atoms []uint32, n int) {
	if v.group {
		return valuesOf(m, v.number)
	}
	return m.Implications.Members(v.number), 2
}

const (
	blockStates  = 64 // joint states of a block at most
	blockFactors = 8  // factors around a variable from which its block takes others
)

// wantsBlocks reports whether there are factors that slices do not move through: factors of three or more atoms, hard constraints, or pairs
// that may conflict. With bilinear factors, flips cost too much.
func wantsBlocks(m *loglinear.Model) bool {
	s := &m.Scope
	return !m.Bilinear.Any() && (len(s.Soft)+len(s.Hard) > 0 || len(s.Pairs) > 0 && slices.Min(m.Couplings.Energy) < 0)
}

// sweepBlocks is sweep with some random blocks whose variables are drawn from their joint conditional distribution. States that no single
// flip connects, such as the solutions of a parity, are connected by a few flips together. The choice does not depend on the state.
func (c *Chain) sweepBlocks(r *rand.Rand) {
	s, b := &c.s.M.Scope, &c.block
	b.done = grow.Zeroed(b.done, len(c.s.X))
	first, blocks := r.IntN(len(s.Atoms)), 0
	for i := range s.Atoms {
		a := s.Atoms[(first+i)%len(s.Atoms)]
		if b.done[a] {
			continue
		}
		b.vars, b.atoms, b.states = b.vars[:0], b.atoms[:0], 1
		if c.take(a); blocks == c.blocks {
			if v := b.vars[0]; v.group {
				c.drawGroup(v.number, r)
			} else {
				c.drawUnit(v.number, r)
			}
			continue
		}
		blocks++
		for i := 0; i < blockFactors && 2*b.states <= blockStates; i++ {
			c.takeAround(b.atoms[r.IntN(len(b.atoms))], r)
		}
		c.drawBlock(r)
	}
	c.passes++
}

// takeAround adds the variables of one of an atom's factors to the block, from a random one on, while there is room.
func (c *Chain) takeAround(a uint32, r *rand.Rand) {
	m := c.s.M
	neighbours, _, base := m.Couplings.Of(a)
	c.factors = m.AppendFactors(c.factors[:0], a, m.Outer(a))
	n := len(neighbours) + len(c.factors)
	if n == 0 {
		return
	}
	i := r.IntN(n)
	if i < len(neighbours) {
		c.take(base + neighbours[i])
		return
	}
	atoms := c.atomsOf(c.factors[i-len(neighbours)])
	first := r.IntN(len(atoms))
	for i := range atoms {
		c.take(atoms[(first+i)%len(atoms)])
	}
}

// take adds the variable of an atom to the block, unless it has been drawn or there is no room. A whole component is never drawn.
func (c *Chain) take(a uint32) {
	m, b := c.s.M, &c.block
	v := variable{m.Implications.Block[a].Atom(), false}
	if m.Groups.Grouped(a) {
		v = variable{m.Groups.Of(a), true}
	}
	atoms, n := v.of(m)
	component := m.Components.Atoms(m.Components.Of(a))
	if b.done[a] || len(b.vars) > 0 && (b.states*n > blockStates || len(b.atoms)+len(atoms) >= len(component)) {
		return
	}
	for _, a := range atoms {
		b.done[a] = true
	}
	b.vars, b.atoms, b.states = append(b.vars, v), append(b.atoms, atoms...), b.states*n
}

// drawBlock draws the variables of the block.
func (c *Chain) drawBlock(r *rand.Rand) {
	b := &c.block
	for _, v := range b.vars {
		if v.group {
			c.unset(v.number)
		}
	}
	b.weights = b.weights[:0]
	c.weigh(0, 0)
	most := slices.Max(b.weights)
	sum := 0.0
	for i, e := range b.weights {
		b.weights[i] = elementary.Exp(e - most)
		sum += b.weights[i]
	}
	c.sumBlock(sum)
	c.become(pickWeighted(b.weights, float64(r.Float64()*sum)))
}

// sumBlock adds the marginals of the block's joint distribution, whose weights sum to sum.
func (c *Chain) sumBlock(sum float64) {
	b := &c.block
	stride := 1
	for _, v := range slices.Backward(b.vars) {
		atoms, n := v.of(c.s.M)
		b.values = grow.Zeroed(b.values, n)
		for from := 0; from < len(b.weights); {
			for value := range b.values {
				for _, w := range b.weights[from : from+stride] {
					b.values[value] += w
				}
				from += stride
			}
		}
		stride *= n
		if !v.group {
			c.sum(atoms, b.values[0]/sum)
			continue
		}
		for i, a := range atoms {
			c.sums[a] += b.values[i+n-len(atoms)] / sum
		}
	}
}

// unset removes a group's value.
func (c *Chain) unset(g uint32) {
	for _, a := range c.s.M.Groups.Atoms(g) {
		if c.s.X[a] {
			c.s.Flip(a)
			return
		}
	}
}

// weigh lists the energies of the joint states of the variables from the i-th on, given the energy of the earlier ones. Units have their
// current state first.
func (c *Chain) weigh(i int, energy float64) {
	b := &c.block
	if i == len(b.vars) {
		if !c.s.Lawful(b.atoms) {
			energy = math.Inf(-1)
		}
		b.weights = append(b.weights, energy)
		return
	}
	v := b.vars[i]
	if !v.group {
		if i == len(b.vars)-1 && c.weighLast(v.number, energy) {
			return
		}
		c.weigh(i+1, energy)
		c.weigh(i+1, energy+c.s.FlipUnit(v.number))
		c.flipAll(c.s.M.Implications.Members(v.number))
		return
	}
	atoms, n := valuesOf(c.s.M, v.number)
	if n > len(atoms) {
		c.weigh(i+1, energy)
	}
	for _, a := range atoms {
		h := c.s.Field(a)
		c.s.Flip(a)
		c.weigh(i+1, energy+h)
		c.s.Flip(a)
	}
}

// weighLast is weigh for the last variable if it is a unit of one atom, which needs no flip.
func (c *Chain) weighLast(unit uint32, energy float64) bool {
	if len(c.s.M.Implications.Members(unit)) > 1 || !c.s.Lawful(c.block.atoms) {
		return false
	}
	gain := math.Inf(-1)
	if c.s.MayFlip(unit) {
		if gain = c.s.Field(unit); c.s.X[unit] {
			gain = -gain
		}
	}
	c.block.weights = append(c.block.weights, energy, energy+gain)
	return true
}

// become sets the variables to a joint state.
func (c *Chain) become(state int) {
	for _, v := range slices.Backward(c.block.vars) {
		atoms, n := v.of(c.s.M)
		value := state % n
		state /= n
		switch {
		case !v.group && value == 1:
			c.flipAll(atoms)
		case v.group && value >= n-len(atoms): // values before these mean none
			c.s.Flip(atoms[value-(n-len(atoms))])
		}
	}
}
