package loglinear

import (
	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// AddCounts adds to dst, by formula, the true groundings of all terms of a network in the state x. The network's
// constants are left out; counts are in units of its Scale.
func AddCounts(dst []float64, net *network.Network, x []bool) {
	eachTrue(net, x, func(coefs []network.Coef) { AddCoefs(dst, coefs, 1) })
	eachTied(net, x, func(coefs []network.Coef, left, right int64) {
		AddCoefs(dst, coefs, float64(left)*float64(right))
	})
}

// AddCounts does the same for the network that the model is bound to, whatever its weights; of the bilinear factors it reads the
// entities of the true atoms alone.
func (m *Model) AddCounts(dst []float64, x []bool) {
	add := func(coefs []network.Coef) { AddCoefs(dst, coefs, 1) }
	eachTrueAtom(m.Net, x, add)
	m.Couplings.addCounts(dst, m.Net, x)
	eachTrueLarge(m.Net, x, add)
	h := &m.Bilinear
	if !h.Any() {
		return
	}
	h.count = grow.Zeroed(h.count, h.size())
	h.addCounts(h.count, x)
	for i := range m.Net.Bilinears {
		AddCoefs(dst, m.Net.Bilinears[i].Coefs, m.bilinearValue(uint32(i), h.count))
	}
}

// eachTrue calls f with the coefficients of each term that is true in x.
func eachTrue(net *network.Network, x []bool, f func(coefs []network.Coef)) {
	eachTrueAtom(net, x, f)
	for i, p := range net.Pairs {
		if x[p.A] && x[p.B] {
			f(net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]])
		}
	}
	eachTrueLarge(net, x, f)
}

// eachTrueAtom is eachTrue for the terms of one atom.
func eachTrueAtom(net *network.Network, x []bool, f func(coefs []network.Coef)) {
	for a, v := range x {
		if v {
			f(net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]])
		}
	}
}

// eachTrueLarge is eachTrue for the terms of more than two atoms.
func eachTrueLarge(net *network.Network, x []bool, f func(coefs []network.Coef)) {
	for i := range net.Conjunctions {
		if AllTrue(net.Conjunctions[i].Lits, x) {
			f(net.Conjunctions[i].Coefs)
		}
	}
	for i := range net.Features {
		if net.Features[i].Root.True(x) {
			f(net.Features[i].Coefs)
		}
	}
}

// eachTied calls f with the coefficients of each bilinear factor and the values of its incidences in each entity.
func eachTied(net *network.Network, x []bool, f func(coefs []network.Coef, left, right int64)) {
	values := make([][]int64, len(net.Incidences))
	for i := range net.Incidences {
		s := &net.Incidences[i]
		values[i] = make([]int64, s.Entities())
		for h := range values[i] {
			for k := s.Start[h]; k < s.Start[h+1]; k++ {
				values[i][h] += s.At(k) & int64(Mask(x[s.Atoms[k]]))
			}
		}
	}
	for _, p := range net.Bilinears {
		for h, n := range values[p.Left] {
			if r := values[p.Right][h]; n != 0 && r != 0 {
				f(p.Coefs, n, r)
			}
		}
	}
}

// AddCoefs adds so many times the multiplicities of coefficients.
func AddCoefs(dst []float64, coefs []network.Coef, scale float64) {
	for _, c := range coefs {
		dst[c.Formula] += float64(scale * float64(c.Mult))
	}
}

// Unary returns the coefficients of an atom on its own.
func (m *Model) Unary(a uint32) []network.Coef {
	return m.Net.Unary[m.Net.UnaryStart[a]:m.Net.UnaryStart[a+1]]
}

// PairCoefs returns the coefficients of a class of pairs.
func (m *Model) PairCoefs(class uint32) []network.Coef { return m.Couplings.coefs(m.Net, class) }
