package cd

import (
	"resolwe/internal/grow"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Conditionals iterates over the conditional distributions of single atoms in the pseudo-likelihood (Besag, 1975). The zero value is ready
// to use.
type Conditionals struct {
	own   loglinear.State
	state *loglinear.State
	delta []float64 // by formula
	known []bool    // by formula: whether delta is set
	gains []float64 // by factor, then by replica: true groundings that an atom adds, except those with itself

	formulas []uint32
	values   []float64
}

// Visit calls f for each sampled atom that the hard constraints leave free in the state x. Given the others, h is its log-odds of being
// true, and values[k] is what it adds to the true groundings of formula formulas[k]: their number if it is true less that if it is false.
// formulas is not sorted, and may omit unaffected formulas. Both slices are reused for the next atom. After SetExact(0) all atoms are
// visited. Atoms of bilinear factors come last.
func (v *Conditionals) Visit(m *loglinear.Model, x []bool, f func(atom uint32, h float64, formulas []uint32, values []float64)) {
	v.own.Set(m, x)
	v.VisitState(&v.own, f)
}

// VisitState is Visit for a state whose fields are up to date.
func (v *Conditionals) VisitState(s *loglinear.State, f func(atom uint32, h float64, formulas []uint32, values []float64)) {
	m := s.M
	v.state = s
	v.delta, v.known = grow.Zeroed(v.delta, len(m.Weights)), grow.Zeroed(v.known, len(m.Weights))
	for _, a := range m.Scope.Loose {
		if s.MayFlip(a) {
			v.collect(a)
			v.emit(a, f)
		}
	}
	if !m.Bilinear.Any() {
		return
	}
	x := &m.Bilinear
	count := s.Counts()
	for _, i := range x.Places {
		v.gains = x.Gains(v.gains, i, count)
		for r := range x.Replicas.N {
			if a := x.Replicas.Atom(i, r); m.Sampled(a) && s.MayFlip(a) {
				v.collect(a)
				v.addBilinear(a, i, int(r))
				v.emit(a, f)
			}
		}
	}
}

// emit calls f for an atom whose formulas have been collected, and clears them.
func (v *Conditionals) emit(a uint32, f func(atom uint32, h float64, formulas []uint32, values []float64)) {
	v.values = v.values[:0]
	h := 0.0
	for _, i := range v.formulas {
		n := v.delta[i]
		v.values = append(v.values, n)
		v.delta[i], v.known[i] = 0, false
		h += float64(v.state.M.Weights[i] * n)
	}
	f(a, h, v.formulas, v.values)
}

// collect starts with the terms of an atom other than bilinear factors.
func (v *Conditionals) collect(a uint32) {
	s, m := v.state, v.state.M
	v.formulas = v.formulas[:0]
	for _, c := range m.Unary(a) { // one for each formula
		v.known[c.Formula] = true
		v.formulas = append(v.formulas, c.Formula)
		v.delta[c.Formula] = float64(c.Mult)
	}
	neighbours, classes, base := m.Couplings.Of(a)
	for k, b := range neighbours {
		if s.X[base+b] {
			v.add(m.PairCoefs(classes[k]), 1)
		}
	}
	for _, ref := range m.Soft.Of(a) {
		v.add(m.SoftCoefs(ref>>1), s.Gain(a, ref))
	}
}

// addBilinear adds the bilinear factors of the atom at a place, from a column of gains.
func (v *Conditionals) addBilinear(a, place uint32, column int) {
	s, x := v.state, &v.state.M.Bilinear
	for i := range x.Self {
		n := v.gains[i*x.Width+column]
		if self := x.Self[i]; self != nil && s.X[a] {
			n -= float64(self[place])
		} else if self != nil {
			n += float64(self[place])
		}
		v.add(s.M.Net.Bilinears[i].Coefs, n)
	}
}

func (v *Conditionals) add(coefs []network.Coef, scale float64) {
	if scale == 0 {
		return
	}
	for _, c := range coefs {
		if !v.known[c.Formula] {
			v.known[c.Formula] = true
			v.formulas = append(v.formulas, c.Formula)
		}
		v.delta[c.Formula] += float64(scale * float64(c.Mult))
	}
}
