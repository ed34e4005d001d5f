package mcsat

import (
	"math/rand/v2"

	"resolwe/kernels/loglinear"
)

// WalkState is where a chain of a walk stands.
type WalkState struct {
	X      []bool // by atom
	Atoms  []uint32
	Fields []float64 // of these
}

// WalkFields takes steps with three chains, and returns where they stand.
func WalkFields(m *loglinear.Model, steps int) []WalkState {
	var t ties
	var w walk
	t.bind(m, &Options{Rounds: 1})
	w.set(&t, make([]rand.PCG, 3))
	for c := range w.sources {
		w.sources[c].Seed(1, uint64(c))
	}
	for range steps {
		w.step()
	}
	out := make([]WalkState, len(w.sources))
	for c := range out {
		out[c] = WalkState{make([]bool, m.Net.NumAtoms), t.atoms, nil}
		for i, a := range t.atoms {
			out[c].X[a] = w.state[i]>>c&1 == 1
			out[c].Fields = append(out[c].Fields, w.field[i*w.width+c])
		}
	}
	return out
}

// OnlySlices makes a chain that has started draw a slice in each step, and nothing else.
func (c *Chain) OnlySlices() { c.period, c.rounds, c.sweeps = 1, 1, 0 }
