package network

import (
	"resolwe/internal/grow"
)

// Slopes computes derivatives of expected counts, as if atoms were independent: what an atom adds to the expected count of a
// formula while each other atom is true with a probability of its own (mean field). The zero value is ready for use; its memory is reused.
type Slopes struct {
	p           []float64
	left, right []float64 // by entity, expected true atoms of an incidence
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
	s.left, s.right = s.expected(s.left, left), s.expected(s.right, right)
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
				add(left.Atoms[i], float64(left.At(i))*s.right[e])
				i++
			case i == left.Start[e+1] || right.Atoms[j] < left.Atoms[i]:
				add(right.Atoms[j], float64(right.At(j))*s.left[e])
				j++
			default:
				l, r, p := float64(left.At(i)), float64(right.At(j)), s.p[left.Atoms[i]]
				own := float64(l * r)
				add(left.Atoms[i], float64(l*s.right[e])+float64(r*s.left[e])+own-float64(2*own*p))
				i++
				j++
			}
		}
	}
}

// expected sets dst to the expected value of each entity.
func (s *Slopes) expected(dst []float64, of *Incidence) []float64 {
	dst = grow.Zeroed(dst, of.Entities())
	for e := range dst {
		for i := of.Start[e]; i < of.Start[e+1]; i++ {
			dst[e] += float64(float64(of.At(i)) * s.p[of.Atoms[i]])
		}
	}
	return dst
}
