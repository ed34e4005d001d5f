package mcsat

import (
	"math/bits"

	"resolwe/kernels/ground"
)

// AddCounts adds to dst, by formula, the true groundings of all terms of a network in the state x. The network's
// constants are left out.
func AddCounts(dst []float64, net *ground.Network, x []bool) {
	eachTrue(net, x, func(coefs []ground.Coef) { addCoefs(dst, coefs, 1) })
	eachMeeting(net, x, func(coefs []ground.Coef, left, right int64) {
		addCoefs(dst, coefs, float64(left)*float64(right))
	})
}

// AddCounts does the same for the network that the model is bound to, whatever its weights; of the products it reads the
// hubs of the true atoms alone.
func (m *Model) AddCounts(dst []float64, x []bool) {
	eachTrue(m.net, x, func(coefs []ground.Coef) { addCoefs(dst, coefs, 1) })
	h := &m.hubs
	h.count = zeroed(h.count, len(h.side))
	if len(h.side) == 0 {
		return
	}
	for a, v := range x {
		if v {
			h.add(h.count, uint32(a), 1)
		}
	}
	for i := range m.net.Products {
		addCoefs(dst, m.net.Products[i].Coefs, m.product(uint32(i), h.count))
	}
}

// Counts sets dst, by formula, to the true groundings in the state x, constants included. It returns an
// *OverflowError where one does not fit.
func Counts(dst []int64, net *ground.Network, x []bool) error {
	sums := make([]wide, len(net.Constant))
	for i, n := range net.Constant {
		sums[i].add(n)
	}
	eachTrue(net, x, func(coefs []ground.Coef) {
		for _, c := range coefs {
			sums[c.Formula].add(c.N)
		}
	})
	eachMeeting(net, x, func(coefs []ground.Coef, left, right int64) {
		for _, c := range coefs {
			sums[c.Formula].addProduct(c.N, left, right)
		}
	})
	for i, s := range sums {
		n, ok := s.int64()
		if !ok {
			return &OverflowError{Formula: i}
		}
		dst[i] = n
	}
	return nil
}

// wide is a sum of 128 bits: terms may be negative, so that a sum that fits can have parts that do not.
type wide struct{ hi, lo uint64 }

func (w *wide) add(n int64) {
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, uint64(n), 0)
	w.hi, _ = bits.Add64(w.hi, uint64(n>>63), carry)
}

// addProduct adds n times two counts, modulo 2^128.
func (w *wide) addProduct(n, left, right int64) {
	hi, lo := bits.Mul64(uint64(left), uint64(right))
	high, low := bits.Mul64(lo, uint64(n))
	high += hi * uint64(n)
	if n < 0 { // n is uint64(n) - 2^64
		high -= lo
	}
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, low, 0)
	w.hi, _ = bits.Add64(w.hi, high, carry)
}

func (w *wide) int64() (int64, bool) { return int64(w.lo), int64(w.hi) == int64(w.lo)>>63 }

// eachTrue calls f with the coefficients of each term that is true in x.
func eachTrue(net *ground.Network, x []bool, f func(coefs []ground.Coef)) {
	for a, v := range x {
		if v {
			f(net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]])
		}
	}
	for i, p := range net.Pairs {
		if x[p.A] && x[p.B] {
			f(net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]])
		}
	}
	for i := range net.Cubes {
		if allTrue(net.Cubes[i].Lits, x) {
			f(net.Cubes[i].Coefs)
		}
	}
	for i := range net.Features {
		if net.Features[i].Root.True(x) {
			f(net.Features[i].Coefs)
		}
	}
}

// eachMeeting calls f with the coefficients of each product and the values of its sides in each hub.
func eachMeeting(net *ground.Network, x []bool, f func(coefs []ground.Coef, left, right int64)) {
	values := make([][]int64, len(net.Sides))
	for i := range net.Sides {
		s := &net.Sides[i]
		values[i] = make([]int64, s.Hubs())
		for h := range values[i] {
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				values[i][h] += s.At(k) & int64(mask(x[s.Atoms[k]]))
			}
		}
	}
	for _, p := range net.Products {
		for h, n := range values[p.Left] {
			if r := values[p.Right][h]; n != 0 && r != 0 {
				f(p.Coefs, n, r)
			}
		}
	}
}

func addCoefs(dst []float64, coefs []ground.Coef, scale float64) {
	for _, c := range coefs {
		dst[c.Formula] += scale * float64(c.N)
	}
}

func (m *Model) unary(a uint32) []ground.Coef {
	return m.net.Unary[m.net.UnaryStart[a]:m.net.UnaryStart[a+1]]
}

func (m *Model) pairCoefs(i uint32) []ground.Coef {
	return m.net.PairCoefs[m.net.PairStart[i]:m.net.PairStart[i+1]]
}

// Conditionals walks over the conditional distributions of single atoms, as the pseudo-likelihood (Besag, 1975) has
// them. The zero value is ready for use.
type Conditionals struct {
	state   state
	delta   []float64
	touched []bool
	meets   []float64 // by product

	formulas []uint32
	values   []float64
}

// Visit calls f for each sampled atom that the hard constraints leave free in the state x, which is true with
// probability p given the others. values[k] is what the atom adds to the true groundings of formula formulas[k]:
// those where it is true less those where it is false; formulas are not sorted, those that it leaves as they are
// may be missing. Both slices are reused for the next atom. After SetExact(0) no atom is left out.
func (v *Conditionals) Visit(m *Model, x []bool, f func(atom uint32, p float64, formulas []uint32, values []float64)) {
	v.state.set(m, x)
	v.delta = zeroed(v.delta, len(m.weights))
	v.touched = zeroed(v.touched, len(m.weights))
	for _, a := range m.scope.atoms {
		if !v.state.mayFlip(a) {
			continue
		}
		v.collect(a)
		f(a, sigmoid(v.state.field(a)), v.formulas, v.values)
	}
}

func (v *Conditionals) collect(a uint32) {
	s, m := &v.state, v.state.m
	v.formulas, v.values = v.formulas[:0], v.values[:0]
	v.add(m.unary(a), 1)
	nbs := m.neighbours.of(a)
	for k, i := range m.pairs.of(a) {
		if s.x[nbs[k]] {
			v.add(m.pairCoefs(i), 1)
		}
	}
	if m.met(a) {
		v.addHubs(a)
	}
	for _, ref := range m.cubes.of(a) {
		v.add(m.net.Cubes[ref>>1].Coefs, s.cubeGain(a, ref))
	}
	for _, i := range m.features.of(a) {
		v.add(m.net.Features[i].Coefs, s.gain(m.net.Features[i].Root, a))
	}
	for _, i := range v.formulas {
		v.values = append(v.values, v.delta[i])
		v.delta[i], v.touched[i] = 0, false
	}
}

// addHubs adds the products that an atom is in.
func (v *Conditionals) addHubs(a uint32) {
	s, x := &v.state, &v.state.m.hubs
	v.meets = zeroed(v.meets, len(x.self))
	for first, end := x.of.start[a], x.of.start[a+1]; first < end; {
		last, side := x.run(first, end)
		for _, l := range x.links[side] {
			v.meets[l.product] += float64(l.times) * x.sum(first, last, s.load.count, l.shift)
		}
		first = last
	}
	for i, n := range v.meets {
		if self := x.self[i]; self != nil && s.x[a] {
			n -= float64(self[a])
		} else if self != nil {
			n += float64(self[a])
		}
		v.add(s.m.net.Products[i].Coefs, n)
	}
}

// sum returns the sum of counts over some of an atom's incidences, each with its multiplicity, in the hubs of a side
// that is a shift away.
func (x *hubs) sum(first, end uint32, count []int64, shift uint32) float64 {
	hubs := x.of.items[first:end]
	sum := 0.0
	if len(x.mult) == 0 {
		for _, h := range hubs {
			sum += float64(count[h+shift])
		}
		return sum
	}
	mult := x.mult[first:end]
	for k, h := range hubs {
		sum += float64(mult[k]) * float64(count[h+shift])
	}
	return sum
}

func (v *Conditionals) add(coefs []ground.Coef, scale float64) {
	if scale == 0 {
		return
	}
	for _, c := range coefs {
		if !v.touched[c.Formula] {
			v.touched[c.Formula] = true
			v.formulas = append(v.formulas, c.Formula)
		}
		v.delta[c.Formula] += scale * float64(c.N)
	}
}
