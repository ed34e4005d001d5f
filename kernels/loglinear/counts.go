package loglinear

import (
	"slices"

	"resolwe/kernels/network"
)

// AddCounts adds to dst, by formula, the true groundings of all terms of a network in state x, except the network's constants. Counts are
// in units of the network's Scale.
func AddCounts(dst []float64, net *network.Network, x []bool) {
	for a, v := range x {
		if v {
			AddCoefs(dst, net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]], 1)
		}
	}
	var last []network.Coef
	n := 0.0 // consecutive true pairs with the same coefficients as last
	for i, p := range net.Pairs {
		if !x[p.A] || !x[p.B] {
			continue
		}
		if coefs := net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]]; !slices.Equal(coefs, last) {
			AddCoefs(dst, last, n)
			last, n = coefs, 0
		}
		n++
	}
	AddCoefs(dst, last, n)
	for i := range net.Conjunctions {
		if AllTrue(net.Conjunctions[i].Lits, x) {
			AddCoefs(dst, net.Conjunctions[i].Coefs, 1)
		}
	}
	for i := range net.Features {
		if net.Features[i].Root.True(x) {
			AddCoefs(dst, net.Features[i].Coefs, 1)
		}
	}
	values := make([][]int64, len(net.Incidences)) // by entity
	for i := range net.Incidences {
		s := &net.Incidences[i]
		values[i] = make([]int64, s.Entities())
		for h := range values[i] {
			sum, first := int64(0), s.Start[h]
			for k, a := range s.Atoms[first:s.Start[h+1]] {
				sum += s.At(first+uint32(k)) & int64(Mask(x[a]))
			}
			values[i][h] = sum
		}
	}
	for _, p := range net.Bilinears {
		sum := 0.0
		for h, n := range values[p.Left] {
			sum += float64(float64(n) * float64(values[p.Right][h]))
		}
		AddCoefs(dst, p.Coefs, sum)
	}
}

// AddCoefs adds the multiplicities of coefficients, times scale, to dst.
func AddCoefs(dst []float64, coefs []network.Coef, scale float64) {
	for _, c := range coefs {
		dst[c.Formula] += float64(scale * float64(c.Mult))
	}
}

// Unary returns the coefficients of an atom's unary term.
func (m *Model) Unary(a uint32) []network.Coef {
	return m.Net.Unary[m.Net.UnaryStart[a]:m.Net.UnaryStart[a+1]]
}

// PairCoefs returns the coefficients of a class of pairs.
func (m *Model) PairCoefs(class uint32) []network.Coef { return m.Couplings.coefs(m.Net, class) }
