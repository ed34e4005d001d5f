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
	add := func(coefs []ground.Coef) { addCoefs(dst, coefs, 1) }
	eachTrueAtom(m.net, x, add)
	m.ties.addCounts(dst, m.net, x)
	eachTrueLarge(m.net, x, add)
	h := &m.hubs
	if !h.any() {
		return
	}
	h.count = zeroed(h.count, h.size())
	h.addCounts(h.count, x)
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
	eachTrueAtom(net, x, f)
	for i, p := range net.Pairs {
		if x[p.A] && x[p.B] {
			f(net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]])
		}
	}
	eachTrueLarge(net, x, f)
}

// eachTrueAtom is eachTrue for the terms of one atom.
func eachTrueAtom(net *ground.Network, x []bool, f func(coefs []ground.Coef)) {
	for a, v := range x {
		if v {
			f(net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]])
		}
	}
}

// eachTrueLarge is eachTrue for the terms of more than two atoms.
func eachTrueLarge(net *ground.Network, x []bool, f func(coefs []ground.Coef)) {
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

// pairCoefs returns the coefficients of a class of pairs.
func (m *Model) pairCoefs(class uint32) []ground.Coef { return m.ties.coefs(m.net, class) }
