package mcsat

import (
	"math/rand/v2"
	"slices"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
)

// forestDraws is the memory of draws of forests: atoms among which pairs make no cycle.
type forestDraws struct {
	eligible []bool // by atom: pairs alone tie it
	any      bool
	seen     []bool    // by atom
	place    []uint32  // by atom: its place in the forest, plus 1
	atoms    []uint32  // of the forest, parents before children
	parent   []uint32  // by place: that of the parent, plus 1
	energy   []float64 // by place: of the pair with the parent
	field    []float64 // by place: from outside and from the children
	p        []float64 // by place: the probability of true
	open     []uint32  // atoms beside the tree that grows
}

// begin finds the atoms that forests may have.
func (f *forestDraws) begin(m *loglinear.Model) {
	f.any, f.eligible = false, grow.Zeroed(f.eligible, m.Net.NumAtoms)
	for _, a := range m.Scope.Atoms {
		f.eligible[a] = m.Couplings.Degree(a) > 0 &&
			len(m.Conjunctions.Of(a))+len(m.Features.Of(a))+len(m.Clauses.Of(a))+len(m.HardFeatures.Of(a)) == 0
		f.any = f.any || f.eligible[a]
	}
}

// drawForest draws a random induced forest from its joint conditional distribution given the other atoms (Hamze and de Freitas,
// From fields to trees, 2004), and marks its atoms as done. The choice does not depend on the state.
func (c *Chain) drawForest(r *rand.Rand) {
	f := &c.forest
	n := len(c.s.X)
	f.seen, f.place = grow.Zeroed(f.seen, n), grow.Zeroed(f.place, n)
	f.atoms, f.parent, f.energy = f.atoms[:0], f.parent[:0], f.energy[:0]
	atoms := c.s.M.Scope.Atoms
	first := r.IntN(len(atoms))
	for i := range atoms {
		if a := atoms[(first+i)%len(atoms)]; f.eligible[a] && !f.seen[a] {
			c.growTree(a, r)
		}
	}
	c.sumForest()
	for i, a := range f.atoms {
		h := f.field[i]
		if f.parent[i] > 0 && c.s.X[f.atoms[f.parent[i]-1]] {
			h += f.energy[i]
		}
		if r.Float64() < loglinear.Sigmoid(h) {
			c.s.Flip(a)
		}
		c.sums[a] += f.p[i]
		c.block.done[a] = true
	}
}

// growTree adds an atom and what is around it, in random order, where that makes no cycle. A component is not taken as a whole.
func (c *Chain) growTree(a uint32, r *rand.Rand) {
	f, m := &c.forest, c.s.M
	most := len(f.atoms) + len(m.Components.Atoms(m.Components.Of(a))) - 1
	f.open = append(f.open[:0], a)
	f.seen[a] = true
	for len(f.open) > 0 {
		i := r.IntN(len(f.open))
		a := f.open[i]
		f.open[i] = f.open[len(f.open)-1]
		f.open = f.open[:len(f.open)-1]
		neighbours, classes, base := m.Couplings.Of(a)
		parent, energy, beside := uint32(0), 0.0, 0
		for k, b := range neighbours {
			if at := f.place[base+b]; at > 0 {
				parent, energy = at, m.Couplings.Energy[classes[k]]
				beside++
			}
		}
		if beside > 1 || len(f.atoms) == most {
			continue
		}
		f.atoms, f.parent, f.energy = append(f.atoms, a), append(f.parent, parent), append(f.energy, energy)
		f.place[a] = uint32(len(f.atoms))
		for _, b := range neighbours {
			if b += base; f.eligible[b] && !f.seen[b] {
				f.seen[b] = true
				f.open = append(f.open, b)
			}
		}
	}
}

// sumForest makes the forest's atoms false, and sums it out from the children to the parents and back.
func (c *Chain) sumForest() {
	f := &c.forest
	for _, a := range f.atoms {
		if c.s.X[a] {
			c.s.Flip(a)
		}
	}
	f.field, f.p = grow.To(f.field, len(f.atoms)), grow.To(f.p, len(f.atoms))
	for i, a := range f.atoms {
		f.field[i] = c.s.Field(a)
	}
	for i, up := range slices.Backward(f.parent) {
		if up > 0 {
			f.field[up-1] += softplus(f.field[i]+f.energy[i]) - softplus(f.field[i])
		}
	}
	for i, h := range f.field {
		f.p[i] = loglinear.Sigmoid(h)
		if up := f.parent[i]; up > 0 {
			q := f.p[up-1]
			f.p[i] = float64(q*loglinear.Sigmoid(h+f.energy[i])) + float64((1-q)*f.p[i])
		}
	}
}

// softplus returns log(1 + exp(h)).
func softplus(h float64) float64 {
	return max(h, 0) + elementary.Log1p(elementary.Exp(-max(h, -h)))
}
