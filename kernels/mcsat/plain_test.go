package mcsat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// Plain sweeps do where atoms are tied loosely, alone or in entities; what they get wrong is sampled with slices, and nothing else is.
func TestMarginals_PlainFirst(t *testing.T) {
	t.Parallel()
	const atoms = 6
	w := oracle.New(3*atoms, 3)
	for a := range atoms - 1 {
		w.And(0, 1, oracle.Pos(a), oracle.Pos(a+1))
		for _, from := range []int{atoms, 2 * atoms} {
			w.And(1, 1, oracle.Pos(from+a), oracle.Pos(from+a+1))
			w.And(1, 1, oracle.Neg(from+a), oracle.Neg(from+a+1))
		}
	}
	for a := range w.Atoms {
		w.And(2, 1, oracle.Pos(a))
	}
	w.HardClause(oracle.Pos(2*atoms), oracle.Pos(2*atoms+1))
	weights := []float64{0.4, 5, -0.1}
	m := modelOf(w.Network(), weights)
	opt := mcsat.DefaultOptions()
	opt.Method = mcsat.MethodMCSAT
	got, d := marginals(t, m, opt, sources(1, 4))
	check.Equal(t, "sampled with slices", m.Scope.Atoms[0], uint32(atoms)) // from the second component on
	check.Equal(t, "atoms of these", len(m.Scope.Atoms), 2*atoms)
	check.Equal(t, "sampled", d.Sampled, w.Atoms)
	if e := meanError(got, w.Enumerate(weights).Marginals); e > 0.01 || d.Any() {
		t.Errorf("mean error %.4f, %+v", e, d)
	}
}

// The fields of walks are those of states, whatever factors tie their atoms, and however long they have followed flips.
func TestWalk_Fields(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for i := range 60 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		draw := []oracle.Drawing{oracle.Bare, oracle.BareReplicas, oracle.CoupledReplicas}[i%3]
		net, _, weights := draw(r, 9, 0.2)
		m := modelOf(net, weights)
		for _, l := range mcsat.WalkFields(m, 50) {
			var s loglinear.State
			s.Set(m, l.X)
			for k, a := range l.Atoms {
				oracle.Near(t, fmt.Sprintf("seed %d, network %d, atom %d", seed, i, a), l.Fields[k], s.Field(a), 1e-9)
			}
		}
	}
}
