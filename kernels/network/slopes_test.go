package network_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/network"
)

// count returns the value of every formula in a state, as package network defines it, but for features.
func count(net *network.Network, formulas int, x []bool) []float64 {
	n := make([]float64, formulas)
	add := func(coefs []network.Coef, times float64) {
		for _, c := range coefs {
			n[c.Formula] += times * float64(c.Mult)
		}
	}
	one := func(v bool) float64 {
		if v {
			return 1
		}
		return 0
	}
	for a := range net.NumAtoms {
		add(net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]], one(x[a]))
	}
	for i, p := range net.Pairs {
		add(net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]], one(x[p.A] && x[p.B]))
	}
	for _, c := range net.Conjunctions {
		holds := true
		for _, l := range c.Lits {
			holds = holds && l.True(x)
		}
		add(c.Coefs, one(holds))
	}
	for _, b := range net.Bilinears {
		l, r := &net.Incidences[b.Left], &net.Incidences[b.Right]
		for e := range l.Entities() {
			sum := func(s *network.Incidence) (v float64) {
				for i := s.Start[e]; i < s.Start[e+1]; i++ {
					v += one(x[s.Atoms[i]]) * float64(s.At(i))
				}
				return v
			}
			add(b.Coefs, sum(l)*sum(r))
		}
	}
	return n
}

func TestSlopes_Enumerated(t *testing.T) {
	t.Parallel()
	const atoms = 8
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var s network.Slopes
	for _, draw := range []oracle.Drawing{oracle.Mixed, oracle.CoupledReplicas} {
		for range 20 {
			net, _, weights := draw(r, atoms, 1)
			p := make([]float64, net.NumAtoms)
			for i := range p {
				p[i] = r.Float64()
			}
			got, want := make([][]float64, len(weights)), make([][]float64, len(weights))
			for f := range got {
				got[f], want[f] = make([]float64, net.NumAtoms), make([]float64, net.NumAtoms)
			}
			s.Add(got, net, p)
			x := make([]bool, net.NumAtoms)
			for state := range 1 << net.NumAtoms {
				for a := range x {
					x[a] = state>>a&1 == 1
				}
				n := count(net, len(weights), x)
				for a := range x { // the probability of the others
					q := 1.0
					for b := range x {
						switch {
						case b == a:
						case x[b]:
							q *= p[b]
						default:
							q *= 1 - p[b]
						}
					}
					if !x[a] {
						q = -q
					}
					for f := range want {
						want[f][a] += q * n[f]
					}
				}
			}
			for f := range want {
				for a := range want[f] {
					if !(math.Abs(got[f][a]-want[f][a]) < 1e-9) {
						t.Fatalf("formula %d, atom %d: got %v, want %v", f, a, got[f][a], want[f][a])
					}
				}
			}
		}
	}
}
