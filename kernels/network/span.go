package network

import "math"

// Span returns a bound on the difference between two states in the sum of weight times count, for weights by formula.
func (net *Network) Span(weights []float64) float64 {
	sum := 0.0
	add := func(coefs []Coef, value float64) {
		for _, c := range coefs {
			sum += math.Abs(float64(weights[c.Formula] * value * net.Groundings(c)))
		}
	}
	add(net.Unary, 1)
	add(net.PairCoefs, 1)
	for _, p := range net.Bilinears {
		add(p.Coefs, net.most(p))
	}
	for i := range net.Conjunctions {
		add(net.Conjunctions[i].Coefs, 1)
	}
	for i := range net.Features {
		add(net.Features[i].Coefs, 1)
	}
	return sum
}

// most returns a bilinear factor's value if all atoms are true.
func (net *Network) most(p Bilinear) float64 {
	l, r := &net.Incidences[p.Left], &net.Incidences[p.Right]
	sum := 0.0
	for e := range l.Entities() {
		sum += float64(l.total(e) * r.total(e))
	}
	return sum
}

// total returns the sum of a row's multiplicities.
func (s *Incidence) total(e int) (sum float64) {
	for i := s.Start[e]; i < s.Start[e+1]; i++ {
		sum += float64(s.At(i))
	}
	return sum
}
