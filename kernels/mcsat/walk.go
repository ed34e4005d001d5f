package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/loglinear/rows"
)

// walk takes Gibbs sweeps of a few chains side by side, in which the fields follow each flip.
type walk struct {
	*ties
	sources []rand.PCG // of the chains
	width   int        // of a row of values by chain
	state   []uint64   // by place: the chains in which it is true
	field   []float64  // by place, then by chain
	sums    []float64  // likewise: of the probabilities drawn from
	steps   int

	uniform, p, change []float64 // by chain
}

const (
	walkChains = 4 // of a walk that samples
	walkProbes = 8 // of one that probes
)

// set prepares chains with such sources; they have no state yet.
func (w *walk) set(t *ties, sources []rand.PCG) {
	w.ties, w.sources, w.width, w.steps = t, sources, rows.Width(len(sources)), 0
	w.state = grow.Zeroed(w.state, len(t.atoms))
	w.field, w.sums = grow.To(w.field, w.width*len(t.atoms)), grow.To(w.sums, w.width*len(t.atoms))
	w.uniform, w.p, w.change = grow.Zeroed(w.uniform, w.width), grow.Zeroed(w.p, w.width), grow.Zeroed(w.change, w.width)
}

// refresh computes the fields anew: they drift with each flip.
func (w *walk) refresh() {
	for i, h := range w.bias {
		for c := range w.width {
			w.field[i*w.width+c] = h
		}
	}
	for i := range w.bias {
		w.follow(i, 0)
	}
}

// follow adds what the change of a place from a state does to the fields.
func (w *walk) follow(i int, before uint64) {
	after := w.state[i]
	if before == after {
		return
	}
	for c := range w.sources {
		w.change[c] = float64(int(after>>c&1) - int(before>>c&1))
	}
	list, one, energy := w.of(i)
	rows.AddEach(w.field, w.change, list, one, energy)
}

// step takes some sweeps, whose probabilities alone are then in the sums.
func (w *walk) step(sweeps int) {
	if w.steps%refreshPeriod == 0 {
		w.refresh()
	}
	w.steps++
	clear(w.sums)
	all := uint64(1)<<len(w.sources) - 1
	for range sweeps {
		for i := range w.bias {
			for c := range w.sources {
				w.uniform[c] = float64(w.sources[c].Uint64()<<11>>11) / (1 << 53)
			}
			at := i * w.width
			before := w.state[i]
			w.state[i] = rows.Draw(w.p, w.field[at:at+w.width], w.uniform) & all
			for c, p := range w.p {
				w.sums[at+c] += p
			}
			w.follow(i, before)
		}
	}
}

// walkLane samples the chains of a walk.
type walkLane struct {
	walk
	sweeps  int // of a step
	starts  []origin
	vars    [walkChains][]uint32 // by chain: where a walk has its sums
	batched [walkChains]diagnostics.Batches
}

// begin starts the chains from random states.
func (l *walkLane) begin(m *loglinear.Model, _ *Options) error {
	sources, x := make([]rand.PCG, len(l.starts)), make([]bool, m.Net.NumAtoms)
	for c, o := range l.starts {
		sources[c] = *rand.NewPCG(o.atoms, uint64(o.chain)+2) // those before are of the origin
	}
	l.set(l.ties, sources)
	for c, o := range l.starts {
		o.set(x, m)
		l.vars[c] = grow.To(l.vars[c], len(l.atoms))
		for i, a := range l.atoms {
			l.state[i] |= loglinear.Mask(x[a]) & 1 << c
			l.vars[c][i] = uint32(i*l.width + c)
		}
		l.batched[c].Reset(l.vars[c])
	}
	return nil
}

// advance takes the steps from one to another.
func (l *walkLane) advance(opt *Options, from, to int) error {
	for i := from; i < to; i++ {
		if err := opt.Stop(); err != nil {
			return err
		}
		if l.step(l.sweeps); i < opt.BurnIn {
			continue
		}
		for c := range l.starts {
			l.batched[c].Add(l.sums, l.sweeps)
		}
	}
	return nil
}

func (l *walkLane) batches() []diagnostics.Batches { return l.batched[:len(l.starts)] }
