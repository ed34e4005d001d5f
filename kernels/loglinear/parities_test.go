package loglinear_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// addParity adds the conjunctions over atoms that hold for one of their parities, each with its own formula.
func addParity(w *oracle.World, odd bool, atoms []int, formula func() uint32) {
	for s := range 1 << len(atoms) {
		var lits []network.Lit
		parity := false
		for i, a := range atoms {
			lits = append(lits, network.NewLit(uint32(a), s>>i&1 == 0))
			parity = parity != (s>>i&1 == 1)
		}
		if parity == odd {
			w.And(formula(), 1, lits...)
		}
	}
}

// Parities and the rest of the conjunctions add up to the conjunctions, up to a constant.
func TestModel_Parities(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		const atoms, formulas = 8, 6
		w := oracle.New(atoms, formulas)
		parities := 1 + r.IntN(3)
		for range parities {
			one, first := r.IntN(2) == 0, uint32(r.IntN(formulas))
			addParity(w, r.IntN(2) == 0, r.Perm(atoms)[:3+r.IntN(2)], func() uint32 {
				if one {
					return first
				}
				return uint32(r.IntN(formulas))
			})
		}
		w.And(0, 1, oracle.Pos(0), oracle.Neg(1), oracle.Pos(2))
		weights := make([]float64, formulas)
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		var m loglinear.Model
		m.Reset(w.Network(), weights)
		m.SplitCouplings()
		if len(m.Parities) < 1 || len(m.Parities) > parities {
			t.Fatalf("got %d parities of %d", len(m.Parities), parities)
		}
		least, most := math.Inf(1), math.Inf(-1)
		x := make([]bool, atoms)
		for s := range 1 << atoms {
			for a := range x {
				x[a] = s>>a&1 == 1
			}
			sum := 0.0
			for i, c := range m.Net.Conjunctions {
				if loglinear.AllTrue(c.Lits, x) {
					sum += m.SoftEnergy[i] - m.SoftRest[i]
				}
			}
			for i := range m.Parities {
				if m.Parities[i].Holds(x) {
					sum -= m.Parities[i].Energy
				}
			}
			least, most = min(least, sum), max(most, sum)
		}
		check.AtMost(t, most-least, 1e-9, "energies differ by")
	}
}

// The clauses of an exclusive disjunction form a parity; three of its four clauses do not.
func TestModel_HardParities(t *testing.T) {
	t.Parallel()
	for _, clauses := range []int{3, 4} {
		w := oracle.New(3, 1)
		w.And(0, 1, oracle.Pos(0))
		for s := range 8 {
			if n := s&1 + s>>1&1 + s>>2&1; n%2 == 0 && s < 2*clauses { // an even number of true atoms
				w.HardClause(network.NewLit(0, s&1 == 1), network.NewLit(1, s&2 == 2), network.NewLit(2, s&4 == 4))
			}
		}
		var m loglinear.Model
		m.Reset(w.Network(), []float64{1})
		m.SplitCouplings()
		if got := len(m.Parities); got != clauses-3 {
			t.Fatalf("%d clauses: got %d parities", clauses, got)
		}
		for i := range m.Parities {
			if p := &m.Parities[i]; !p.Odd || !math.IsInf(p.Energy, 1) {
				t.Errorf("got %+v", p)
			}
		}
	}
}
