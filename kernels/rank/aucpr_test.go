package rank_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/kernels/naive"
	"resolwe/kernels/rank"
)

func TestAUCPR_ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		atoms []rank.Scored
		want  float64
	}{
		{"right order", []rank.Scored{{.9, true}, {.8, true}, {.1, false}}, 1},
		// One segment from the origin: precision is 1/3 throughout.
		{"all tied", []rank.Scored{{.5, true}, {.5, false}, {.5, false}}, 1. / 3},
		// From (0, 1), precision 0, to (1, 1), precision 1/2.
		{"wrong order", []rank.Scored{{.1, true}, {.9, false}}, 1. / 4},
		// (1, 0) precision 1; false atom: (1, 1) precision 1/2; (2, 1) 2/3.
		{"false atom between", []rank.Scored{{.9, true}, {.5, false}, {.1, true}}, (1 + (1./2+2./3)/2) / 2},
		// A tie of two true and four false atoms after a true one: one true
		// positive more brings two false ones. Precision 1, 1, 2/4, 3/7.
		{
			"tie that is interpolated",
			[]rank.Scored{{.9, true}, {.5, true}, {.5, true}, {.5, false}, {.5, false}, {.5, false}, {.5, false}},
			(1 + (1+2./4)/2 + (2./4+3./7)/2) / 3,
		},
		// Davis and Goadrich's own example, on the segment from 5 true and 5
		// false positives to 10 and 30, of 20 and 2000: precision .5, 6/16,
		// 7/22, 8/28, 9/34, 10/40. Before it .5 throughout, after it a tie
		// of 10 with 1970: precision falls from 10/40 to 20/2000.
		{"of the paper", paperExample(), paperArea()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, ok := rank.AUCPR(tt.atoms)
			if !ok || math.Abs(got-tt.want) > 1e-14 {
				t.Errorf("got %v %v, want %v", got, ok, tt.want)
			}
		})
	}
}

func paperExample() []rank.Scored {
	var atoms []rank.Scored
	add := func(n int, a rank.Scored) {
		for range n {
			atoms = append(atoms, a)
		}
	}
	add(5, rank.Scored{P: .9, True: true})
	add(5, rank.Scored{P: .9})
	add(5, rank.Scored{P: .8, True: true})
	add(25, rank.Scored{P: .8})
	add(10, rank.Scored{P: .1, True: true})
	add(1970, rank.Scored{P: .1})
	return atoms
}

func paperArea() float64 {
	precision := []float64{.5, .5, .5, .5, .5, .5, 6. / 16, 7. / 22, 8. / 28, 9. / 34, 10. / 40}
	for x := 1.; x <= 10; x++ {
		precision = append(precision, (10+x)/(40+198*x))
	}
	area := 0.0
	for i := 1; i < len(precision); i++ {
		area += (precision[i-1] + precision[i]) / 2 / 20
	}
	return area
}

func TestAUCPR_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 7))
		atoms := randomAtoms(r, r.IntN(60))
		got, ok := rank.AUCPR(atoms)
		if !ok {
			continue
		}
		if want := naive.AUCPR(atoms); math.Abs(got-want) > 1e-13 {
			t.Fatalf("seed %d, atoms %v: got %v, want %v", seed, atoms, got, want)
		}
	}
}
