package mcsat

import (
	"math"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat/rows"
)

// Conditionals walks over the conditional distributions of single atoms, as the pseudo-likelihood (Besag, 1975) has
// them. The zero value is ready for use.
type Conditionals struct {
	own   state
	state *state
	delta []float64 // by formula
	known []bool    // by formula: whether delta has it
	meets []float64 // by product, then by column of a layer: true groundings that an atom adds, but for those with itself

	formulas []uint32
	values   []float64
}

// Visit calls f for each sampled atom that the hard constraints leave free in the state x, which is true with
// probability p given the others. values[k] is what the atom adds to the true groundings of formula formulas[k]:
// those where it is true less those where it is false; formulas are not sorted, those that it leaves as they are
// may be missing. Both slices are reused for the next atom. After SetExact(0) no atom is left out. Atoms of products
// come last.
func (v *Conditionals) Visit(m *Model, x []bool, f func(atom uint32, p float64, formulas []uint32, values []float64)) {
	v.own.set(m, x)
	v.visit(&v.own, func(a uint32, h float64) { f(a, sigmoid(h), v.formulas, v.values) })
}

// VisitChain is Visit in the present state of a chain, with p to 1e-10.
func (v *Conditionals) VisitChain(c *Chain, f func(atom uint32, p float64, formulas []uint32, values []float64)) {
	v.visit(&c.state, func(a uint32, h float64) { f(a, rows.Logistic(h), v.formulas, v.values) })
}

// visit calls f for each atom with its field, when its formulas and values are set.
func (v *Conditionals) visit(s *state, f func(a uint32, h float64)) {
	m := s.m
	v.state = s
	v.delta, v.known = zeroed(v.delta, len(m.weights)), zeroed(v.known, len(m.weights))
	for _, a := range m.scope.loose {
		if s.mayFlip(a) {
			v.collect(a)
			v.emit(a, f)
		}
	}
	if !m.hubs.any() {
		return
	}
	x := &m.hubs
	count := s.counts()
	for l := range x.layers {
		for _, i := range x.met {
			v.meets = x.meet(v.meets, i, x.layer(count, l))
			for r := range x.columns {
				if a := x.copies.atom(i, uint32(l+r)); s.mayFlip(a) {
					v.collect(a)
					v.addProducts(a, i, r)
					v.emit(a, f)
				}
			}
		}
	}
}

// emit calls f for an atom whose formulas have been collected, and forgets them.
func (v *Conditionals) emit(a uint32, f func(a uint32, h float64)) {
	v.values = v.values[:0]
	h := 0.0
	for _, i := range v.formulas {
		n := v.delta[i]
		v.values = append(v.values, n)
		v.delta[i], v.known[i] = 0, false
		h += v.state.m.weights[i] * n
	}
	if math.IsNaN(h) { // the sum of infinities: the field has bounds
		h = v.state.field(a)
	}
	f(a, h)
}

// collect begins with the terms of an atom that are no products.
func (v *Conditionals) collect(a uint32) {
	s, m := v.state, v.state.m
	v.formulas = v.formulas[:0]
	for _, c := range m.unary(a) { // one of each formula
		v.known[c.Formula] = true
		v.formulas = append(v.formulas, c.Formula)
		v.delta[c.Formula] = float64(c.N)
	}
	neighbours, classes, base := m.ties.of(a)
	for k, b := range neighbours {
		if s.x[base+b] {
			v.add(m.pairCoefs(classes[k]), 1)
		}
	}
	for _, ref := range m.cubes.of(a) {
		v.add(m.net.Cubes[ref>>1].Coefs, s.cubeGain(a, ref))
	}
	for _, i := range m.features.of(a) {
		v.add(m.net.Features[i].Coefs, s.gain(m.net.Features[i].Root, a))
	}
}

// addProducts adds the products of the atom at a place, in a column of meets.
func (v *Conditionals) addProducts(a, place uint32, column int) {
	s, x := v.state, &v.state.m.hubs
	for i := range x.self {
		n := v.meets[i*x.width+column]
		if self := x.self[i]; self != nil && s.x[a] {
			n -= float64(self[place])
		} else if self != nil {
			n += float64(self[place])
		}
		v.add(s.m.net.Products[i].Coefs, n)
	}
}

func (v *Conditionals) add(coefs []ground.Coef, scale float64) {
	if scale == 0 {
		return
	}
	for _, c := range coefs {
		if !v.known[c.Formula] {
			v.known[c.Formula] = true
			v.formulas = append(v.formulas, c.Formula)
		}
		v.delta[c.Formula] += scale * float64(c.N)
	}
}
