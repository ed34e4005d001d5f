package oracle

import (
	"math/rand/v2"
	"slices"

	"resolwe/kernels/network"
)

// Drawing draws a network with bilinear factors, the same network with its pairs listed, and weights.
type Drawing func(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64)

// Mixed draws a random network with bilinear factors, and the same network with its pairs listed.
func Mixed(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := Random(r, atoms, spread, false)
	return AddBilinear(r, w, weights, 1)
}

// BareReplicas is Bare with two or three replicas, if the number of atoms is divisible by that.
func BareReplicas(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	return AddBilinear(r, w, weights, replicasOf(r, atoms))
}

func replicasOf(r *rand.Rand, atoms int) int {
	n := 2 + r.IntN(2)
	if atoms%n != 0 {
		n = 5 - n
	}
	if atoms%n != 0 {
		n = 1
	}
	return n
}

// CoupledReplicas is BareReplicas with pairs.
func CoupledReplicas(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	replicas := replicasOf(r, atoms)
	size := atoms / replicas
	for range 2 {
		a, b, f := r.IntN(size), r.IntN(size), uint32(r.IntN(4))
		for c := 0; c < replicas && a != b; c++ {
			w.And(f, 1, Pos(c*size+a), Pos(c*size+b))
		}
	}
	return AddBilinear(r, w, weights, replicas)
}

// Bare draws a network with only fields and bilinear factors.
func Bare(r *rand.Rand, atoms int, spread float64) (factored, listed *network.Network, weights []float64) {
	w, weights := BareWorld(r, atoms, spread)
	return AddBilinear(r, w, weights, 1)
}

// BareWorld draws a world with only fields, of formulas 0 and 2.
func BareWorld(r *rand.Rand, atoms int, spread float64) (w *Ground, weights []float64) {
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

// randomIncidence returns an incidence whose entities each have random ones of the listed atoms, with equal replicas over the following
// atoms.
func randomIncidence(r *rand.Rand, entities [][]uint32, atoms, replicas int) network.Incidence {
	one := network.Incidence{Start: []uint32{0}}
	weighted := r.IntN(2) == 0
	for _, list := range entities {
		for _, a := range list {
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
	net := network.Network{NumAtoms: atoms * replicas, Incidences: []network.Incidence{one}, PairStart: []uint32{0}}
	net.Repeat(atoms, replicas)
	return net.Incidences[0]
}

// AddBilinear adds three bilinear factors, over four entities of any atoms that come in equal replicas, to a world.
func AddBilinear(r *rand.Rand, w *Ground, weights []float64, replicas int) (factored, listed *network.Network, _ []float64) {
	all := make([]uint32, w.Atoms/replicas)
	for a := range all {
		all[a] = uint32(a)
	}
	return addBilinear(r, w, weights, replicas, [][]uint32{all, all, all, all})
}

// addBilinear is AddBilinear for entities that each have some of the listed atoms.
func addBilinear(
	r *rand.Rand, w *Ground, weights []float64, replicas int, entities [][]uint32,
) (factored, listed *network.Network, _ []float64) {
	factored = w.Network()
	for range 3 {
		factored.Incidences = append(factored.Incidences, randomIncidence(r, entities, w.Atoms/replicas, replicas))
	}
	bilinear := len(entities) * replicas
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
	if size := uint32(w.Atoms / replicas); replicas > 1 {
		factored.Replicas = network.Replicas{N: uint32(replicas), Shift: size, Width: size}
	}
	return factored, w.Network(), weights
}

// Tied draws a world of two to five replicas, the same as a network with bilinear factors, and weights. A replica has components that
// bilinear factors tie, and some of loose atoms, which only pairs tie; pairs may be so strong that atoms hardly ever flip alone. Every atom
// has a field of its own, so that a component may be easy to sample in one replica and hard in another.
func Tied(r *rand.Rand) (w *Ground, factored *network.Network, weights []float64) {
	replicas, size, parts := 2+r.IntN(4), 0, make([][]int, 0, 5)
	for i, most := range [...]int{6, 6, 2, 3, 4} {
		part := make([]int, 1+r.IntN(most))
		if i < 2 { // a single atom has no bilinear factors
			part = make([]int, 2+r.IntN(most-1))
		}
		for i := range part {
			part[i] = size
			size++
		}
		parts = append(parts, part)
	}
	place := r.Perm(size) // bilinear factors need not be of the first atoms
	w, weights = New(replicas*size, 4), []float64{.5, .15 * r.NormFloat64(), .1 + float64(r.IntN(4)), .15 * r.NormFloat64()}
	var tied [][]uint32
	for i, part := range parts {
		entity := make([]uint32, 0, len(part))
		for k, a := range part {
			entity = append(entity, uint32(place[a]))
			for c := 0; c < replicas && k > 0; c++ { // with the one before it
				from, to := c*size+place[part[k-1]], c*size+place[a]
				w.And(2, 1, Pos(from), Pos(to))
				w.And(2, 1, Neg(from), Neg(to))
			}
		}
		if i < 2 {
			slices.Sort(entity)
			tied = append(tied, entity, entity)
		}
	}
	for a := range w.Atoms {
		w.And(0, int64(r.IntN(9)-4), Pos(a))
	}
	factored, _, _ = addBilinear(r, w, weights, replicas, tied)
	return w, factored, weights
}
