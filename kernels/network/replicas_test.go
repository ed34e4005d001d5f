package network_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/network"
)

// Repeat repeats pairs and incidences, and the components of the first replica determine those of all.
func TestNetwork_Repeat(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 46))
		const atoms, replicas, entities = 5, 6, 4
		net := &network.Network{NumAtoms: atoms * replicas, PairStart: []uint32{0}, Bilinears: []network.Bilinear{{Left: 0, Right: 1}}}
		width := uint32(0)
		for range 2 {
			one := network.Incidence{Start: []uint32{0}}
			for range entities {
				for a := range uint32(atoms) {
					if r.IntN(3) == 0 {
						one.Atoms, one.Mult = append(one.Atoms, a), append(one.Mult, int64(1+r.IntN(2)))
						width = max(width, a+1)
					}
				}
				one.Start = append(one.Start, uint32(len(one.Atoms)))
			}
			net.Incidences = append(net.Incidences, one)
		}
		for range r.IntN(3) {
			net.Pairs, net.PairCoefs = append(net.Pairs, network.Pair{A: 0, B: uint32(1 + r.IntN(4))}), append(net.PairCoefs, network.Coef{Mult: 1})
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		}
		pairs := len(net.Pairs)
		net.Repeat(atoms, replicas)
		name := fmt.Sprint("seed ", seed)
		check.Equal(t, name, net.Replicas, network.Replicas{N: replicas, Shift: atoms, Width: width})
		for i := pairs; i < len(net.Pairs); i++ {
			before := net.Pairs[i-pairs]
			check.Equal(t, name+", pair", net.Pairs[i], network.Pair{A: before.A + atoms, B: before.B + atoms})
		}
		for i := range net.Incidences {
			s := &net.Incidences[i]
			for e := entities; e < s.Entities(); e++ {
				for k, a := range s.Atoms[s.Start[e-entities]:s.Start[e-entities+1]] {
					at := s.Start[e] + uint32(k)
					check.Equal(t, name+", atom", s.Atoms[at], a+atoms)
					check.Equal(t, name+", multiplicity", s.At(at), s.At(s.Start[e-entities]+uint32(k)))
				}
			}
		}
		got := network.Forest(nil).Connect(net)
		net.Replicas = network.Replicas{}
		want := network.Forest(nil).Connect(net)
		for a := range uint32(net.NumAtoms) {
			check.Equal(t, name+", root", got.Root(a), want.Root(a))
		}
	}
}
