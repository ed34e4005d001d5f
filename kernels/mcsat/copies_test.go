package mcsat_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// copiesOf returns how many equal copies a network of these sides is taken for.
func copiesOf(atoms int, sides ...ground.Side) int {
	net := &ground.Network{
		NumAtoms: atoms, Constant: []int64{0}, UnaryStart: make([]uint32, atoms+1), PairStart: []uint32{0}, Sides: sides,
		Products: []ground.Product{{Coefs: []ground.Coef{{N: 1}}}},
	}
	var m mcsat.Model
	m.Reset(net, []float64{0})
	return mcsat.Copies(&m)
}

func TestModel_Copies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, atoms []uint32
		mult         []int32
		want         int
	}{
		"none":                  {[]uint32{0}, nil, nil, 1},
		"no atoms":              {[]uint32{0, 0, 0}, nil, nil, 1},
		"one hub":               {[]uint32{0, 2}, []uint32{0, 1}, nil, 1},
		"two":                   {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, nil, 2},
		"two with a gap":        {[]uint32{0, 2, 4}, []uint32{1, 3, 6, 8}, nil, 2},
		"four":                  {[]uint32{0, 1, 2, 3, 4}, []uint32{0, 3, 6, 9}, nil, 4},
		"two of two hubs":       {[]uint32{0, 1, 3, 4, 6}, []uint32{0, 0, 1, 2, 2, 3}, nil, 2},
		"weights":               {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, []int32{1, 2, 1, 2}, 2},
		"other weights":         {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 3}, []int32{1, 2, 2, 1}, 1},
		"another atom":          {[]uint32{0, 2, 4}, []uint32{0, 1, 2, 4}, nil, 1},
		"another hub":           {[]uint32{0, 1, 3, 5, 6}, []uint32{0, 0, 1, 2, 2, 3}, nil, 1},
		"the same atoms":        {[]uint32{0, 2, 4}, []uint32{0, 1, 0, 1}, nil, 1},
		"atoms that overlap":    {[]uint32{0, 2, 4}, []uint32{0, 1, 1, 2}, nil, 1},
		"atoms the other way":   {[]uint32{0, 2, 4}, []uint32{4, 5, 0, 1}, nil, 1},
		"a hub without atoms":   {[]uint32{0, 0, 1, 1, 2}, []uint32{0, 1}, nil, 2},
		"more hubs than copies": {[]uint32{0, 1, 2, 3}, []uint32{0, 1, 3}, nil, 1},
	} {
		if got := copiesOf(10, ground.Side{Start: c.start, Atoms: c.atoms, Mult: c.mult}); got != c.want {
			t.Errorf("%s: got %d copies, want %d", name, got, c.want)
		}
	}
}

// Copies are found where all sides have them, and a single change hides them.
func TestModel_Copies_Random(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 46))
		a, b := randomSide(r, 5, 6), randomSide(r, 5, 6)
		if len(a.Atoms)+len(b.Atoms) == 0 {
			continue
		}
		if got := copiesOf(32, a, b); got != 6 {
			t.Errorf("seed %d: got %d copies, want 6", seed, got)
		}
		if len(b.Atoms) == 0 {
			continue
		}
		b.Atoms = slices.Clone(b.Atoms)
		b.Atoms[len(b.Atoms)-1] = 31
		if got := copiesOf(32, a, b); got != 1 {
			t.Errorf("seed %d, one atom changed: got %d copies, want 1", seed, got)
		}
	}
}

// Pairs are those of the copies where each has the same ones, of the same coefficients, and there are no others.
func TestModel_TiesCopied(t *testing.T) {
	t.Parallel()
	one, two := []ground.Coef{{N: 1}}, []ground.Coef{{N: 2}}
	for name, c := range map[string]struct {
		atoms int
		first uint32 // atom of the first copy, of four
		pairs []ground.Pair
		coefs [][]ground.Coef
		want  bool
	}{
		"none":                  {8, 0, nil, nil, true},
		"one each":              {8, 0, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]ground.Coef{one, one}, true},
		"two each":              {8, 0, []ground.Pair{{A: 0, B: 2}, {A: 1, B: 3}, {A: 4, B: 6}, {A: 5, B: 7}}, [][]ground.Coef{one, two, one, two}, true},
		"of an atom before":     {8, 1, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]ground.Coef{one, one}, true},
		"other atoms":           {8, 0, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 7}}, [][]ground.Coef{one, one}, false},
		"other coefficients":    {8, 0, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]ground.Coef{one, two}, false},
		"more coefficients":     {8, 0, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]ground.Coef{one, {{N: 1}, {Formula: 1, N: 1}}}, false},
		"one in one copy":       {8, 0, []ground.Pair{{A: 0, B: 2}}, [][]ground.Coef{one}, false},
		"across copies":         {8, 0, []ground.Pair{{A: 0, B: 4}, {A: 1, B: 5}}, [][]ground.Coef{one, one}, false},
		"beyond the last copy":  {9, 0, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 8}}, [][]ground.Coef{one, one}, false},
		"before the first copy": {9, 1, []ground.Pair{{A: 0, B: 2}, {A: 4, B: 6}}, [][]ground.Coef{one, one}, false},
	} {
		net := &ground.Network{
			NumAtoms: c.atoms, Constant: []int64{0, 0}, UnaryStart: make([]uint32, c.atoms+1),
			Pairs: c.pairs, PairStart: []uint32{0},
			Sides:    []ground.Side{{Start: []uint32{0, 2, 4}, Atoms: []uint32{c.first, 3, c.first + 4, 7}}},
			Products: []ground.Product{{Coefs: one}},
		}
		for _, coefs := range c.coefs {
			net.PairCoefs = append(net.PairCoefs, coefs...)
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		}
		var m mcsat.Model
		m.Reset(net, []float64{0, 0})
		if copies := mcsat.Copies(&m); copies != 2 {
			t.Fatalf("%s: got %d copies, want 2", name, copies)
		}
		if got := mcsat.TiesCopied(&m); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
