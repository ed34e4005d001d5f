package selftest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"resolwe/internal/elementary"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// exactDistribution is the distribution of a ground network, state by state. Bit a of a state is atom a.
type exactDistribution struct {
	atoms  int
	states []uint32    // that the hard constraints allow
	upTo   []float64   // by state: its probability and that of those before it
	counts [][]float64 // by state and formula: true groundings but for constants
}

// maxEnumerated is how many atoms a network may have to be enumerated.
const maxEnumerated = 12

// enumerateStates enumerates a network. One without states says that nothing satisfies the hard constraints.
func enumerateStates(net *network.Network, weights []float64) *exactDistribution {
	d := &exactDistribution{atoms: net.NumAtoms}
	var scores []float64
	x := make([]bool, net.NumAtoms)
	for state := range uint32(1) << net.NumAtoms {
		spread(x, state)
		if !allowed(net, x) {
			continue
		}
		counts := countsOf(net, len(weights), x)
		score := 0.0
		for i, n := range counts {
			score += float64(weights[i] * n)
		}
		d.states, d.counts, scores = append(d.states, state), append(d.counts, counts), append(scores, score)
	}
	if len(scores) == 0 {
		return d
	}
	most, sum := slices.Max(scores), 0.0
	for _, score := range scores {
		sum += elementary.Exp(score - most)
		d.upTo = append(d.upTo, sum)
	}
	for i := range d.upTo {
		d.upTo[i] /= sum
	}
	return d
}

// countsOf returns the counts of n formulas in a state but for constants, or the values of their shapes.
func countsOf(net *network.Network, n int, x []bool) []float64 {
	out := make([]float64, n)
	loglinear.AddCounts(out, net, x)
	for i, scale := range net.Scale {
		out[i] *= scale
	}
	return out
}

// spread sets x to a state.
func spread(x []bool, state uint32) {
	for a := range x {
		x[a] = state>>a&1 == 1
	}
}

// allowed reports whether a state satisfies the hard constraints.
func allowed(net *network.Network, x []bool) bool {
	for _, c := range net.Clauses {
		if !slices.ContainsFunc(c, func(l network.Lit) bool { return l.True(x) }) {
			return false
		}
	}
	return !slices.ContainsFunc(net.HardFeatures, func(f network.Feature) bool { return !f.Root.True(x) })
}

// draw sets x to a state of the distribution.
func (d *exactDistribution) draw(x []bool, r *rand.Rand) {
	u := r.Float64()
	i := sort.Search(len(d.upTo)-1, func(i int) bool { return d.upTo[i] > u })
	spread(x, d.states[i])
}

// each visits the states with their probabilities.
func (d *exactDistribution) each(visit func(i int, state uint32, p float64)) {
	before := 0.0
	for i, s := range d.states {
		visit(i, s, d.upTo[i]-before)
		before = d.upTo[i]
	}
}

// probability returns that of all atoms of a set being true.
func (d *exactDistribution) probability(set uint32) float64 {
	sum := 0.0
	d.each(func(_ int, state uint32, p float64) {
		if state&set == set {
			sum += p
		}
	})
	return sum
}

// startBias returns how far single flips can leave a marginal from its exact value: after so many sweeps in which each atom
// in turn is drawn from its conditional distribution, over all atoms and all states to start from.
func (d *exactDistribution) startBias(sweeps int) float64 {
	place := make([]int, 1<<d.atoms) // by state: its index, plus 1
	p := make([]float64, len(d.states))
	d.each(func(i int, state uint32, q float64) { place[state], p[i] = i+1, q })
	worst := 0.0
	mean := make([]float64, len(d.states)) // by start, of the atom's truth after the sweeps
	for a := range d.atoms {
		for i, s := range d.states {
			mean[i] = float64(s >> a & 1)
		}
		for range sweeps {
			for b := range d.atoms {
				d.average(mean, p, place, 1<<b)
			}
		}
		exact := d.probability(1 << a)
		for _, m := range mean {
			worst = max(worst, math.Abs(m-exact))
		}
	}
	return worst
}

// average takes the expectation over one atom, given the others.
func (d *exactDistribution) average(mean, p []float64, place []int, atom uint32) {
	for i, s := range d.states {
		j := place[s|atom] - 1
		if s&atom != 0 || j < 0 || p[i]+p[j] == 0 {
			continue
		}
		m := (float64(p[i]*mean[i]) + float64(p[j]*mean[j])) / (p[i] + p[j])
		mean[i], mean[j] = m, m
	}
}
