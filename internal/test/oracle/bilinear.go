package oracle

import (
	"math/rand/v2"

	"resolwe/kernels/network"
)

// Drawing draws a network with bilinear factors, the same one with its pairs listed, and weights.
type Drawing func(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64)

// Mixed is a random network with bilinear factors, and the same one with its pairs listed.
func Mixed(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := Random(r, atoms, spread, false)
	return AddBilinear(r, w, weights, 1)
}

// MixedReplicas has two or three equal replicas of its entities, and atoms in none.
func MixedReplicas(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := Random(r, atoms, spread, false)
	return AddBilinear(r, w, weights, 2+r.IntN(2))
}

// BareReplicas is Bare with replicas.
func BareReplicas(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	return AddBilinear(r, w, weights, 2+r.IntN(2))
}

// CoupledReplicas is BareReplicas with pairs, which mostly come in equal replicas too; some connect one replica to another.
func CoupledReplicas(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	replicas := 2 + r.IntN(2)
	size := atoms / replicas
	for range 2 {
		a, b, f := r.IntN(size), r.IntN(size), uint32(r.IntN(4))
		from := r.IntN(8) / 7 // seldom, one replica has none
		for c := from; c < replicas && a != b; c++ {
			w.And(f, 1, Pos(c*size+a), Pos(c*size+b))
		}
	}
	if r.IntN(4) == 0 {
		w.And(uint32(r.IntN(4)), int64(4/spread), Pos(0), Pos(size))
	}
	return AddBilinear(r, w, weights, replicas)
}

// Bare has nothing but fields and bilinear factors.
func Bare(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	return AddBilinear(r, w, weights, 1)
}

// BareWorld has nothing but fields, of formulas 0 and 2.
func BareWorld(r *rand.Rand, atoms int, spread float64) (w *World, weights []float64) {
	w = New(atoms, 4)
	weights = make([]float64, 4)
	for i := range weights {
		weights[i] = r.NormFloat64() * spread
	}
	for a := range atoms {
		w.And(uint32(2*r.IntN(2)), 1, Pos(a))
	}
	return w, weights
}

// randomIncidence is an incidence of four entities over so many atoms, and equal replicas of it over those that follow.
func randomIncidence(r *rand.Rand, atoms, replicas int) network.Incidence {
	one := network.Incidence{Start: []uint32{0}}
	weighted := r.IntN(2) == 0
	for range 4 {
		for a := range uint32(atoms) {
			if r.IntN(3) > 0 {
				continue
			}
			one.Atoms = append(one.Atoms, a)
			if weighted {
				one.Mult = append(one.Mult, int64(1+r.IntN(2)))
			}
		}
		one.Start = append(one.Start, uint32(len(one.Atoms)))
	}
	net := network.Network{Incidences: []network.Incidence{one}, PairStart: []uint32{0}}
	net.Repeat(atoms, replicas)
	return net.Incidences[0]
}

// AddBilinear adds three bilinear factors to a world, whose entities come in equal replicas.
func AddBilinear(r *rand.Rand, w *World, weights []float64, replicas int) (factored, listed *network.Network, _ []float64) {
	factored = w.Network()
	for range 3 {
		factored.Incidences = append(factored.Incidences, randomIncidence(r, w.Atoms/replicas, replicas))
	}
	bilinear := 4 * replicas
	for _, incidences := range [][2]uint32{{0, 0}, {0, 1}, {1, 2}} {
		p := network.Bilinear{Left: incidences[0], Right: incidences[1]}
		for f := 1; f < len(weights); f += 2 {
			p.Coefs = append(p.Coefs, network.Coef{Formula: uint32(f), Mult: int64(1 - 2*r.IntN(2))})
		}
		factored.Bilinears = append(factored.Bilinears, p)
		l, s := &factored.Incidences[incidences[0]], &factored.Incidences[incidences[1]]
		for h := range bilinear {
			for i := l.Start[h]; i < l.Start[h+1]; i++ {
				for j := s.Start[h]; j < s.Start[h+1]; j++ {
					for _, c := range p.Coefs {
						w.And(c.Formula, c.Mult*l.At(i)*s.At(j), Pos(int(l.Atoms[i])), Pos(int(s.Atoms[j])))
					}
				}
			}
		}
	}
	factored.FindReplicas()
	return factored, w.Network(), weights
}
