package mcsat

import (
	"math/rand/v2"

	"resolwe/internal/grow"
	"resolwe/kernels/diagnostics"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/loglinear/rows"
)

// ties are the sampled components connected only by pairs and bilinear factors, one after another: a field for each atom, and an energy for
// each two connected atoms, whatever factors connect them.
type ties struct {
	components []uint32
	end        []int    // by component: where its atoms end
	sweeps     []int    // by component: in a step, more if they are cheap
	atoms      []uint32 // by place
	bias       []float64
	adjacent   loglinear.Adjacent // by place, with places instead of atoms
	one        []uint32           // 0, 1, 2 and so on: the energies of a place as classes of rows.AddEach

	place []uint32 // by atom
}

// Bounds on the pairs of a component's atoms, counted from both, and on how often these meet in entities; beyond them, sums over entities
// cost less than pairs.
const mostPairs, mostMeetings = 1 << 20, 1 << 26

// bind loads a model's suitable components that are left to sampling.
func (t *ties) bind(m *loglinear.Model, opt *Options) {
	t.components, t.end, t.sweeps, t.atoms, t.bias = t.components[:0], t.end[:0], t.sweeps[:0], t.atoms[:0], t.bias[:0]
	t.one, t.place = t.one[:0], grow.To(t.place, m.Net.NumAtoms)
	t.adjacent.Reset(m.Net.NumAtoms)
	for c := range m.Components.Len() {
		atoms := m.Components.Atoms(c)
		if !m.Sampled(atoms[0]) || !suits(m, atoms) {
			continue
		}
		for _, a := range atoms {
			t.place[a] = uint32(len(t.atoms))
			t.atoms = append(t.atoms, a)
		}
		t.components, t.end = append(t.components, uint32(c)), append(t.end, len(t.atoms))
	}
	for _, a := range t.atoms {
		t.bindAtom(m, a)
	}
	for k := range t.components {
		t.sweeps = append(t.sweeps, max(1, opt.Sweeps)*t.rounds(k, opt))
	}
}

// rounds returns the number of sweeps of a component that replace a slice and a sweep.
func (t *ties) rounds(k int, opt *Options) int {
	switch n := t.pairs(k); {
	case opt.Rounds > 0:
		return opt.Rounds
	case n <= 2_000:
		return 24
	case n <= 20_000:
		return 8
	default:
		return 2
	}
}

// pairs returns the number of pairs in the k-th component.
func (t *ties) pairs(k int) int {
	from, end := t.places(k)
	return int(t.adjacent.Start[end]-t.adjacent.Start[from]) / 2
}

// suits reports whether only pairs, and not too many, connect the atoms of a component.
func suits(m *loglinear.Model, atoms []uint32) bool {
	n, meetings := len(atoms), 0
	for _, a := range atoms {
		if len(m.Soft.Of(a))+len(m.Hard.Of(a)) > 0 {
			return false
		}
		meetings += m.Bilinear.LeastPartners(m.Net, a)
		if min(meetings, n*n) > mostPairs || meetings > mostMeetings {
			return false
		}
	}
	return true
}

// bindAtom lists the connections of an atom.
func (t *ties) bindAtom(m *loglinear.Model, a uint32) {
	bias := m.Bias[a]
	m.Bilinear.EachSelf(a, func(factor uint32, mult int64) { bias += float64(m.Bilinear.Energy[factor] * float64(mult)) })
	t.bias = append(t.bias, bias)
	t.adjacent.MeetPairs(m, a)
	t.adjacent.MeetBilinear(m, a)
	list := t.adjacent.End()
	for i, b := range list {
		list[i] = t.place[b]
	}
	for len(t.one) < len(list) {
		t.one = append(t.one, uint32(len(t.one)))
	}
}

// of returns the places connected to a place, and the energies.
func (t *ties) of(i int) (list, one []uint32, energy []float64) {
	list, energy = t.adjacent.Of(uint32(i))
	return list, t.one[:len(list)], energy
}

// places returns the range of the k-th component's atoms.
func (t *ties) places(k int) (from, end int) {
	if k > 0 {
		from = t.end[k-1]
	}
	return from, t.end[k]
}

// walk runs Gibbs sweeps of a few chains side by side, updating the fields after each flip.
type walk struct {
	*ties
	sources []rand.PCG // of the chains
	width   int        // of a row of values by chain
	state   []uint64   // by place: the set of chains in which it is true
	field   []float64  // by place, then by chain
	sums    []float64  // likewise: means of a step's conditional probabilities
	steps   int

	uniform, p, change []float64 // by chain
}

const (
	walkChains = 4 // in a walk that samples
	walkProbes = 8 // in a walk that probes
)

// set prepares chains with the given sources; they have no state yet.
func (w *walk) set(t *ties, sources []rand.PCG) {
	w.ties, w.sources, w.width, w.steps = t, sources, rows.Width(len(sources)), 0
	w.state = grow.Zeroed(w.state, len(t.atoms))
	w.field, w.sums = grow.To(w.field, w.width*len(t.atoms)), grow.To(w.sums, w.width*len(t.atoms))
	w.uniform, w.p, w.change = grow.Zeroed(w.uniform, w.width), grow.Zeroed(w.p, w.width), grow.Zeroed(w.change, w.width)
}

// refresh recomputes the fields, which drift with each flip.
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

// follow updates the fields after the change of a place.
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

// step runs the sweeps of a step. The sums are then the means of their probabilities.
func (w *walk) step() {
	if w.steps%refreshPeriod == 0 {
		w.refresh()
	}
	w.steps++
	clear(w.sums)
	for k, sweeps := range w.sweeps {
		from, end := w.places(k)
		for range sweeps {
			for i := from; i < end; i++ {
				w.draw(i, 1/float64(sweeps))
			}
		}
	}
}

// draw draws a place in all chains, and adds a share of the probabilities to the sums.
func (w *walk) draw(i int, share float64) {
	for c := range w.sources {
		w.uniform[c] = float64(w.sources[c].Uint64()<<11>>11) / (1 << 53)
	}
	at := i * w.width
	before, all := w.state[i], uint64(1)<<len(w.sources)-1
	w.state[i] = rows.Draw(w.p, w.field[at:at+w.width], w.uniform) & all
	sums := w.sums[at : at+w.width]
	for c, p := range w.p {
		sums[c] += float64(p * share)
	}
	w.follow(i, before)
}

// walkLane samples the chains of a walk.
type walkLane struct {
	walk
	starts  []origin
	vars    [walkChains][]uint32 // by chain: positions of the walk's sums
	batched [walkChains]diagnostics.Batches
}

// begin starts the chains from random states.
func (l *walkLane) begin(m *loglinear.Model, _ *Options) error {
	sources, x := make([]rand.PCG, len(l.starts)), make([]bool, m.Net.NumAtoms)
	for c, o := range l.starts {
		sources[c] = *rand.NewPCG(o.atoms, uint64(o.chain)+2) // smaller ones belong to the origin
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

// advance runs a step.
func (l *walkLane) advance(opt *Options, step int) {
	if l.step(); step < opt.BurnIn {
		return
	}
	for c := range l.starts {
		l.batched[c].Add(l.sums, 1)
	}
}

func (l *walkLane) batches() []diagnostics.Batches { return l.batched[:len(l.starts)] }
