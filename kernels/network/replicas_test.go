package network_test

import (
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/network"
)

// replicasOf returns how many replicas a network of these incidences has.
func replicasOf(atoms int, sides ...network.Incidence) int {
	net := &network.Network{
		NumAtoms: atoms, Constant: []int64{0}, UnaryStart: make([]uint32, atoms+1), PairStart: []uint32{0}, Incidences: sides,
		Bilinears: []network.Bilinear{{Coefs: []network.Coef{{Mult: 1}}}},
	}
	net.FindReplicas()
	return max(1, int(net.Replicas.N))
}

func TestNetwork_FindReplicas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, atoms []uint32
		mult         []int64
		want         int
	}{
		"none":                        {[]uint32{0}, nil, nil, 1},
		"no atoms":                    {[]uint32{0, 0, 0}, nil, nil, 1},
		"one entity":                  {[]uint32{0, 2}, []uint32{0, 1}, nil, 1},
		"two":                         {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, nil, 2},
		"two with a gap":              {[]uint32{0, 2, 4}, []uint32{1, 3, 6, 8}, nil, 2},
		"four":                        {[]uint32{0, 1, 2, 3, 4}, []uint32{0, 3, 6, 9}, nil, 4},
		"two of two entities":         {[]uint32{0, 1, 3, 4, 6}, []uint32{0, 0, 1, 2, 2, 3}, nil, 2},
		"weights":                     {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, []int64{1, 2, 1, 2}, 2},
		"other weights":               {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, []int64{1, 2, 2, 1}, 1},
		"another atom":                {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 4}, nil, 1},
		"another entity":              {[]uint32{0, 1, 3, 5, 6}, []uint32{0, 0, 1, 2, 2, 3}, nil, 1},
		"the same atoms":              {[]uint32{0, 2, 4}, []uint32{0, 1, 0, 1}, nil, 1},
		"atoms that overlap":          {[]uint32{0, 2, 4}, []uint32{0, 1, 1, 2}, nil, 1},
		"atoms the other way":         {[]uint32{0, 2, 4}, []uint32{4, 5, 0, 1}, nil, 1},
		"a entity without atoms":      {[]uint32{0, 0, 1, 1, 2}, []uint32{0, 1}, nil, 2},
		"more entities than replicas": {[]uint32{0, 1, 2, 3}, []uint32{0, 1, 3}, nil, 1},
	} {
		if got := replicasOf(10, network.Incidence{Start: c.start, Atoms: c.atoms, Mult: c.mult}); got != c.want {
			t.Errorf("%s: got %d replicas, want %d", name, got, c.want)
		}
	}
}

// What Repeat repeats is found again, unless an atom differs.
func TestNetwork_Repeat(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 46))
		net := &network.Network{NumAtoms: 30, PairStart: []uint32{0}, Bilinears: make([]network.Bilinear, 1)}
		for range 2 {
			one := network.Incidence{Start: []uint32{0}}
			for range 4 {
				for a := range uint32(5) {
					if r.IntN(3) == 0 {
						one.Atoms, one.Mult = append(one.Atoms, a), append(one.Mult, int64(1+r.IntN(2)))
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
		last := &net.Incidences[1]
		if len(net.Incidences[0].Atoms) == 0 || len(last.Atoms) == 0 {
			continue
		}
		net.Repeat(5, 6)
		net.FindReplicas()
		if got := net.Replicas; got.N != 6 || got.Shift != 5 || !got.Pairs {
			t.Errorf("seed %d: got %+v, want 6 replicas, 5 atoms apart", seed, got)
		}
		last.Mult[len(last.Mult)-1]++
		if net.FindReplicas(); net.Replicas.N != 0 {
			t.Errorf("seed %d, one multiplicity changed: got %d replicas, want none", seed, net.Replicas.N)
		}
	}
}

// Pairs are those of the replicas where each has the same ones, of the same coefficients, and there are no others.
func TestNetwork_FindReplicas_Pairs(t *testing.T) {
	t.Parallel()
	one, two := []network.Coef{{Mult: 1}}, []network.Coef{{Mult: 2}}
	for name, c := range map[string]struct {
		atoms int
		first uint32 // atom of the first replica, of four
		pairs []network.Pair
		coefs [][]network.Coef
		want  bool
	}{
		"none":                     {8, 0, nil, nil, true},
		"one each":                 {8, 0, []network.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]network.Coef{one, one}, true},
		"two each":                 {8, 0, []network.Pair{{A: 0, B: 2}, {A: 1, B: 3}, {A: 4, B: 6}, {A: 5, B: 7}}, [][]network.Coef{one, two, one, two}, true},
		"of an atom before":        {8, 1, []network.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]network.Coef{one, one}, true},
		"other atoms":              {8, 0, []network.Pair{{A: 0, B: 2}, {A: 4, B: 7}}, [][]network.Coef{one, one}, false},
		"other coefficients":       {8, 0, []network.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]network.Coef{one, two}, false},
		"more coefficients":        {8, 0, []network.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]network.Coef{one, {{Mult: 1}, {Formula: 1, Mult: 1}}}, false},
		"one in one replica":       {8, 0, []network.Pair{{A: 0, B: 2}}, [][]network.Coef{one}, false},
		"across replicas":          {8, 0, []network.Pair{{A: 0, B: 4}, {A: 1, B: 5}}, [][]network.Coef{one, one}, false},
		"beyond the last replica":  {9, 0, []network.Pair{{A: 0, B: 2}, {A: 4, B: 8}}, [][]network.Coef{one, one}, false},
		"before the first replica": {9, 1, []network.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]network.Coef{one, one}, false},
	} {
		net := &network.Network{
			NumAtoms: c.atoms, Constant: []int64{0, 0}, UnaryStart: make([]uint32, c.atoms+1),
			Pairs: c.pairs, PairStart: []uint32{0},
			Incidences: []network.Incidence{{Start: []uint32{0, 2, 4}, Atoms: []uint32{c.first, 3, c.first + 4, 7}}},
			Bilinears:  []network.Bilinear{{Coefs: one}},
		}
		for _, coefs := range c.coefs {
			net.PairCoefs = append(net.PairCoefs, coefs...)
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		}
		net.FindReplicas()
		if n := net.Replicas.N; n != 2 {
			t.Fatalf("%s: got %d replicas, want 2", name, n)
		}
		check.Equal(t, name, net.Replicas.Pairs, c.want)
	}
}
