package rank_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/rank"
)

func near(tolerance float64) cmp.Option {
	return cmpopts.EquateApprox(0, tolerance)
}

// randomAtoms draws marginals from a few values, so that many are tied.
func randomAtoms(r *rand.Rand, n int) []rank.Scored {
	values := 1 + r.IntN(5)
	atoms := make([]rank.Scored, n)
	for i := range atoms {
		p := float64(r.IntN(values)) / 4
		if r.IntN(2) == 0 {
			p = min(p+1e-14*r.Float64(), 1) // still tied
		}
		atoms[i] = rank.Scored{P: p, True: r.IntN(3) == 0}
	}
	return atoms
}

func TestEvaluate_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		atoms := randomAtoms(r, r.IntN(8))
		check.MustEqual(t, fmt.Sprintf("seed %d, atoms %v: figures", seed, atoms), rank.Evaluate(atoms), oracle.Figures(atoms), near(1e-12))
		want := rank.Evaluate(atoms)
		area, precision, ok := rank.Ranks(atoms)
		if ok != want.Ranked || ok && (area != want.AUC || precision != want.AveragePrecision) { // to the last bit
			t.Fatalf("seed %d, atoms %v: got %v, %v, %v, want %v", seed, atoms, area, precision, ok, want)
		}
	}
}

// A pool's curve gives the number of true atoms among the first, regardless of which atoms its runs join.
func TestPool_Top(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		atoms := make([]rank.Scored, r.IntN(900))
		values := 1 + r.IntN(2000)
		for i := range atoms {
			atoms[i] = rank.Scored{P: float64(r.IntN(values)) / 2000, True: r.IntN(5) > 0}
		}
		p := rank.Pool(slices.Clone(atoms))
		top, _ := p.Top()
		for i, k := range []int{10, 50, (len(atoms) + 99) / 100} {
			check.Equal(t, fmt.Sprintf("seed %d, first %d", seed, k), top[i], oracle.Precision(atoms, k), near(1e-12), cmpopts.EquateNaNs())
		}
	}
}

func TestMeasures_IgnoreInputOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		atoms := randomAtoms(r, 2+r.IntN(200))
		want := rank.Evaluate(atoms)
		wantPooled := rank.Pool(slices.Clone(atoms))
		r.Shuffle(len(atoms), func(i, j int) { atoms[i], atoms[j] = atoms[j], atoms[i] })
		if got := rank.Evaluate(atoms); got != want { // to the last bit
			t.Fatalf("seed %d: figures: got %v, want %v", seed, got, want)
		}
		check.Equal(t, fmt.Sprintf("seed %d: pooled", seed), rank.Pool(atoms), wantPooled, cmpopts.EquateNaNs())
	}
}

// Reversing the ranking reflects AUC; the ranks depend only on the order.
func TestMeasures_Symmetries(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		atoms := randomAtoms(r, 2+r.IntN(50))
		f := rank.Evaluate(atoms)
		check.Is(t, !math.IsNaN(rank.Pool(atoms).AUCPR), f.Ranked, "seed %d: AUC-PR defined", seed)
		if !f.Ranked {
			continue
		}
		reversed, squared := make([]rank.Scored, len(atoms)), make([]rank.Scored, len(atoms))
		for i, a := range atoms {
			reversed[i] = rank.Scored{P: 1 - a.P, True: a.True}
			squared[i] = rank.Scored{P: a.P * a.P, True: a.True}
		}
		if got := rank.Evaluate(reversed).AUC; math.Abs(1-got-f.AUC) > 1e-15 {
			t.Errorf("seed %d: AUC of the reverse: got %v, want %v", seed, got, 1-f.AUC)
		}
		g := rank.Evaluate(squared)
		f.CLL, g.CLL, f.Brier, g.Brier = 0, 0, 0, 0
		check.Is(t, g, f, "seed %d: of squared marginals", seed)
	}
}

func TestEvaluate_KeepsItsInput(t *testing.T) {
	t.Parallel()
	atoms := []rank.Scored{{.1, true}, {.9, false}, {.5, true}}
	rank.Evaluate(atoms)
	check.Equal(t, "input", atoms, []rank.Scored{{.1, true}, {.9, false}, {.5, true}})
}

func TestRound12(t *testing.T) {
	t.Parallel()
	check := func(p float64) {
		text := strconv.FormatFloat(p, 'f', 12, 64) // rounds exactly
		scaled, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("no number: %s", text)
		}
		want, _ := scaled.Mul(scaled, big.NewRat(1e12, 1)).Float64()
		check.Equal(t, fmt.Sprintf("%.20g", p), rank.Round12(p), want)
	}
	for _, p := range []float64{0, 1, .5, 1e-6, 1e-12, 5e-13, .1, .9, 1 - 1e-12, 1 - 1e-13, math.SmallestNonzeroFloat64, 0x1p-13, 0x3p-13, 0x1p-12} {
		check(p)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		near := (float64(r.Int64N(1e12)) + .5) / 1e12 // as close to a half as a float64 can be
		check(near)
		check(math.Nextafter(near, 0))
		check(math.Nextafter(near, 1))
		check(r.Float64())
	}
}

func FuzzEvaluate(f *testing.F) {
	f.Add(.5, .5, .1, uint8(1))
	f.Add(math.NaN(), math.Inf(1), -1., uint8(2))
	f.Fuzz(func(_ *testing.T, p, q, r float64, truths uint8) {
		atoms := []rank.Scored{{p, truths&1 != 0}, {q, truths&2 != 0}, {r, truths&4 != 0}}
		rank.Evaluate(atoms)
		rank.Pool(atoms)
	})
}
