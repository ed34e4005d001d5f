package oracle

import (
	"slices"

	"resolwe/kernels/network"
)

// Problem is a small network with its weights, whose exact marginals are known in closed form or by enumeration.
type Problem struct {
	Name    string
	World   *World
	Weights []float64
	Exact   []float64 // from the published values of the networks; nil where enumeration gives them
}

// smokers: six people, Friends is evidence. Atoms 0 to 5 are Smokes, 6 to 11 Cancer.
func smokers() Problem {
	w := New(12, 4)
	friends := []string{"AB", "BA", "AC", "CD", "DE", "EF", "FD"}
	for x := range 6 {
		w.Implies(0, x, 6+x)
		for y := range 6 {
			if friend := string([]byte{byte('A' + x), byte('A' + y)}); !slices.Contains(friends, friend) {
				continue
			}
			w.Implies(1, x, y)
		}
		w.And(2, 1, Pos(x))
		w.And(3, 1, Pos(6+x))
	}
	return Problem{"smokers", w, []float64{1.5, 1.1, -0.7, -1}, nil}
}

// link: three items, five users; r, l and k are evidence. Atom 5t+u is m(t, u).
func link(name string, weights []float64, exact []float64) Problem {
	w := New(15, 5)
	r := [3][5]bool{{true, true, true}, {false, true, false, true}, {true, false, false, true, true}}
	next := [3]int{1, 2, 0}
	k := [][2]int{{0, 1}, {1, 2}, {3, 0}, {4, 3}, {2, 4}, {1, 0}}
	for t := range 3 {
		for u1 := range 5 {
			for u2 := range 5 {
				if r[t][u1] && r[t][u2] {
					w.Implies(0, 5*t+u1, 5*t+u2)
				}
			}
			if r[t][u1] {
				w.And(1, 1, Pos(5*next[t]+u1))
			}
			w.And(4, 1, Pos(5*t+u1))
		}
		for _, e := range k {
			w.Implies(2, 5*t+e[0], 5*t+e[1])
			w.Or(3, 1, Neg(5*t+e[0]), Neg(5*t+e[1]))
		}
	}
	return Problem{name, w, weights, exact}
}

// Hardprobe is a chain of hard implications.
func Hardprobe() Problem {
	w := New(4, 1)
	for _, e := range [][2]int{{0, 1}, {1, 2}, {3, 2}} {
		w.HardClause(Neg(e[0]), Pos(e[1]))
	}
	for u := range 4 {
		w.And(0, 1, Pos(u))
	}
	return Problem{"hardprobe", w, []float64{0.5}, []float64{
		0.4857550366316238, 0.780380359458537, 0.9590796508807922, 0.5969880780565662,
	}}
}

// Published returns small networks with published marginals.
func Published() []Problem {
	return []Problem{
		smokers(),
		link("link", []float64{0.9, 1.3, 0.8, -0.6, -1.2}, []float64{
			0.6939200847171347, 0.6193715381766386, 0.5963440902279376, 0.744839549149549, 0.7252719891625374,
			0.8218993606682321, 0.7780784080146811, 0.7041845771267198, 0.5796806217082839, 0.4670953022325003,
			0.5876870722330516, 0.6134275156578392, 0.42846557522425893, 0.594898476716196, 0.5156376559213867,
		}),
		link("linkstrong", []float64{4, 2.5, 5, -0.5, -2.5}, []float64{
			0.11735359148679624, 0.11734240867313167, 0.11734165267239162, 0.1322618996661752, 0.13225825167979277,
			0.1295209397728215, 0.12363942077239853, 0.12757369294194332, 0.1228370440201252, 0.11848340607188057,
			0.011447003493712348, 0.011359018076337801, 0.011544412646213415, 0.011448822900994691, 0.01144557128920177,
		}),
		Hardprobe(),
	}
}

// Friends is a network of three atoms: smokes(A), smokes(B) and smokes(C). Formula 0 is smokes(x), formula 1 that A and
// B, and B and C, smoke together; a hard clause says that A or C smokes.
func Friends() *network.Network {
	return &network.Network{
		NumAtoms:   3,
		Constant:   []int64{0, 0},
		UnaryStart: []uint32{0, 1, 2, 3},
		Unary:      []network.Coef{{Formula: 0, Mult: 1}, {Formula: 0, Mult: 1}, {Formula: 0, Mult: 1}},
		Pairs:      []network.Pair{{A: 0, B: 1}, {A: 1, B: 2}},
		PairStart:  []uint32{0, 1, 2},
		PairCoefs:  []network.Coef{{Formula: 1, Mult: 1}, {Formula: 1, Mult: 1}},
		Clauses:    [][]network.Lit{{network.NewLit(0, false), network.NewLit(2, false)}},
	}
}
