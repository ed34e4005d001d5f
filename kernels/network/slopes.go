package network

import (
	"resolwe/internal/grow"
)

// Slopes computes derivatives of expected counts, as if atoms were independent: what an atom adds to the expected count of a
// formula while each other atom is true with a probability of its own (mean field). The zero value is ready for use; its memory is reused.
type Slopes struct {
	p        []float64
	expected [][]float64 // by incidence, then entity: expected true atoms
}

// Add adds to dst[formula][atom] the derivative of the formula's expected count along the atom's probability, where atoms are
// independent and true with the probabilities p: the expected difference between the formula's true groundings with the
// atom true and false. Constraints and [Feature]s, which conjunctions have none of, are left out.
func (s *Slopes) Add(dst [][]float64, net *Network, p []float64) {
	s.p = p
	for a := range net.NumAtoms {
		for _, c := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
			dst[c.Formula][a] += net.Groundings(c)
		}
	}
	for i, pair := range net.Pairs {
		for _, c := range net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]] {
			v := net.Groundings(c)
			dst[c.Formula][pair.A] += float64(v * p[pair.B])
			dst[c.Formula][pair.B] += float64(v * p[pair.A])
		}
	}
	s.expect(net)
	for i := range net.Bilinears {
		s.bilinear(dst, net, &net.Bilinears[i])
	}
	for i := range net.Conjunctions {
		s.conjunction(dst, net, &net.Conjunctions[i])
	}
}

// conjunction adds, for each of its atoms, the probability that the others' literals hold.
func (s *Slopes) conjunction(dst [][]float64, net *Network, c *Conjunction) {
	for i, l := range c.Lits {
		v := 1.0
		if l.Negated() {
			v = -1
		}
		for k, other := range c.Lits {
			switch q := s.p[other.Atom()]; {
			case k == i:
			case other.Negated():
				v *= 1 - q
			default:
				v *= q
			}
		}
		for _, coef := range c.Coefs {
			dst[coef.Formula][l.Atom()] += float64(net.Groundings(coef) * v)
		}
	}
}

// bilinear adds a sum over entities of L R, where L and R are sums of atoms with multiplicities l and r. An atom in both is
// its own square, so that its slope is l (R - r p) + r (L - l p) + l r.
func (s *Slopes) bilinear(dst [][]float64, net *Network, b *Bilinear) {
	left, right := &net.Incidences[b.Left], &net.Incidences[b.Right]
	inLeft, inRight := s.expected[b.Left], s.expected[b.Right]
	add := func(a uint32, v float64) {
		for _, c := range b.Coefs {
			dst[c.Formula][a] += float64(net.Groundings(c) * v)
		}
	}
	for e := range left.Entities() {
		i, j := left.Start[e], right.Start[e]
		for i < left.Start[e+1] || j < right.Start[e+1] {
			switch {
			case j == right.Start[e+1] || i < left.Start[e+1] && left.Atoms[i] < right.Atoms[j]:
				add(left.Atoms[i], float64(left.At(i))*inRight[e])
				i++
			case i == left.Start[e+1] || right.Atoms[j] < left.Atoms[i]:
				add(right.Atoms[j], float64(right.At(j))*inLeft[e])
				j++
			default:
				l, r, p := float64(left.At(i)), float64(right.At(j)), s.p[left.Atoms[i]]
				own := float64(l * r)
				add(left.Atoms[i], float64(l*inRight[e])+float64(r*inLeft[e])+own-float64(2*own*p))
				i++
				j++
			}
		}
	}
}

// expect computes the expected values of each incidence's entities.
func (s *Slopes) expect(net *Network) {
	s.expected = grow.To(s.expected, len(net.Incidences))
	for k := range net.Incidences {
		x := &net.Incidences[k]
		s.expected[k] = grow.To(s.expected[k], x.Entities())
		for e := range s.expected[k] {
			sum := 0.0
			for i := x.Start[e]; i < x.Start[e+1]; i++ {
				sum += float64(float64(x.At(i)) * s.p[x.Atoms[i]])
			}
			s.expected[k][e] = sum
		}
	}
}
