package selftest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"resolwe/kernels/ground"
	"resolwe/kernels/mcsat"
)

// law is the distribution of a ground network, state by state. Bit a of a state is atom a.
type law struct {
	atoms  int
	states []uint32    // that the hard constraints allow
	upTo   []float64   // by state: its probability and that of those before it
	counts [][]float64 // by state and formula: true groundings but for constants
}

// maxLaw is how many atoms a network may have to be enumerated.
const maxLaw = 12

// newLaw enumerates a network. A law without states says that nothing satisfies the hard constraints.
func newLaw(net *ground.Network, weights []float64) *law {
	l := &law{atoms: net.NumAtoms}
	var scores []float64
	x := make([]bool, net.NumAtoms)
	for state := range uint32(1) << net.NumAtoms {
		spread(x, state)
		if !allowed(net, x) {
			continue
		}
		counts := make([]float64, len(weights))
		mcsat.AddCounts(counts, net, x)
		score := 0.0
		for i, n := range counts {
			score += weights[i] * n
		}
		l.states, l.counts, scores = append(l.states, state), append(l.counts, counts), append(scores, score)
	}
	if len(scores) == 0 {
		return l
	}
	most, sum := slices.Max(scores), 0.0
	for _, score := range scores {
		sum += math.Exp(score - most)
		l.upTo = append(l.upTo, sum)
	}
	for i := range l.upTo {
		l.upTo[i] /= sum
	}
	return l
}

// spread sets x to a state.
func spread(x []bool, state uint32) {
	for a := range x {
		x[a] = state>>a&1 == 1
	}
}

// allowed reports whether a state satisfies the hard constraints.
func allowed(net *ground.Network, x []bool) bool {
	for _, c := range net.Clauses {
		if !slices.ContainsFunc(c, func(l ground.Lit) bool { return l.True(x) }) {
			return false
		}
	}
	return !slices.ContainsFunc(net.HardFeatures, func(f ground.Feature) bool { return !f.Root.True(x) })
}

// draw sets x to a state of the law.
func (l *law) draw(x []bool, r *rand.Rand) {
	u := r.Float64()
	i := sort.Search(len(l.upTo)-1, func(i int) bool { return l.upTo[i] > u })
	spread(x, l.states[i])
}

// each visits the states with their probabilities.
func (l *law) each(visit func(i int, state uint32, p float64)) {
	before := 0.0
	for i, s := range l.states {
		visit(i, s, l.upTo[i]-before)
		before = l.upTo[i]
	}
}

// probability returns that of all atoms of a set being true.
func (l *law) probability(set uint32) float64 {
	sum := 0.0
	l.each(func(_ int, state uint32, p float64) {
		if state&set == set {
			sum += p
		}
	})
	return sum
}

// startBias returns how far single flips can leave a marginal from its exact value: after so many sweeps in which each atom
// in turn is drawn from its conditional distribution, over all atoms and all states to start from.
func (l *law) startBias(sweeps int) float64 {
	place := make([]int, 1<<l.atoms) // by state: its index, plus 1
	p := make([]float64, len(l.states))
	l.each(func(i int, state uint32, q float64) { place[state], p[i] = i+1, q })
	worst := 0.0
	mean := make([]float64, len(l.states)) // by start, of the atom's truth after the sweeps
	for a := range l.atoms {
		for i, s := range l.states {
			mean[i] = float64(s >> a & 1)
		}
		for range sweeps {
			for b := range l.atoms {
				l.average(mean, p, place, 1<<b)
			}
		}
		exact := l.probability(1 << a)
		for _, m := range mean {
			worst = max(worst, math.Abs(m-exact))
		}
	}
	return worst
}

// average takes the expectation over one atom, given the others.
func (l *law) average(mean, p []float64, place []int, atom uint32) {
	for i, s := range l.states {
		j := place[s|atom] - 1
		if s&atom != 0 || j < 0 || p[i]+p[j] == 0 {
			continue
		}
		m := (p[i]*mean[i] + p[j]*mean[j]) / (p[i] + p[j])
		mean[i], mean[j] = m, m
	}
}
