package naive

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// maxFree bounds the enumeration at 2^20 states.
const maxFree = 20

// ErrTooManyAtoms says that there are more than 20 query atoms to enumerate.
var ErrTooManyAtoms = errors.New("more than 20 free query atoms")

// ErrUnsatisfiable says that no state satisfies the hard formulas.
var ErrUnsatisfiable = errors.New("no state satisfies the hard formulas")

// Marginals returns the probability of each of QueryAtoms(rules) under the formulas' own weights, 0 where they have
// none, and the logarithm of the partition function. Hard formulas hold in every grounding. An atom that rules fix has
// probability 0 or 1. The error is ErrTooManyAtoms or ErrUnsatisfiable.
func (w *World) Marginals(fs []*mln.Formula, rules Rules) (marginals []float64, logZ float64, err error) {
	weights := make([]float64, len(fs))
	for i, f := range fs {
		weights[i] = f.Weight
	}
	states, logZ, err := w.states(fs, weights, rules)
	if err != nil {
		return nil, 0, err
	}
	marginals = make([]float64, len(w.queries(rules)))
	for _, s := range states {
		for i, holds := range s.atoms {
			if holds {
				marginals[i] += s.p
			}
		}
	}
	return marginals, logZ, nil
}

// Expectations returns the expected number of true groundings of each formula under the given weights, one for each
// formula and without effect for hard ones, and the logarithm of the partition function. Errors are those of Marginals.
func (w *World) Expectations(fs []*mln.Formula, weights []float64, rules Rules) (mean []float64, logZ float64, err error) {
	states, logZ, err := w.states(fs, weights, rules)
	if err != nil {
		return nil, 0, err
	}
	return meanCounts(states, len(fs)), logZ, nil
}

// Covariance returns the covariance of the formulas' numbers of true groundings. Arguments and errors are those of
// Expectations.
func (w *World) Covariance(fs []*mln.Formula, weights []float64, rules Rules) ([][]float64, error) {
	states, _, err := w.states(fs, weights, rules)
	if err != nil {
		return nil, err
	}
	mean, out := meanCounts(states, len(fs)), make([][]float64, len(fs))
	for i := range out {
		out[i] = make([]float64, len(fs))
		for j := range out[i] {
			for _, s := range states {
				out[i][j] += float64(s.p * (s.counts[i] - mean[i]) * (s.counts[j] - mean[j]))
			}
		}
	}
	return out, nil
}

// LogLikelihood returns the conditional log-likelihood of the data under the given weights; atoms of unknown truth do
// not exist. Where the data violates a hard formula it is negative infinity. Errors are those of Marginals.
func (w *World) LogLikelihood(fs []*mln.Formula, weights []float64) (float64, error) {
	_, logZ, err := w.states(fs, weights, Rules{})
	if err != nil {
		return 0, err
	}
	r := w.interpret(Rules{})
	_, score, ok := r.score(fs, r.allGroundings(fs), weights)
	if !ok {
		return math.Inf(-1), nil
	}
	return score - logZ, nil
}

// Mode returns the state of QueryAtoms(rules) that the formulas' own weights make most probable, of equal ones but for rounding
// the first, and the sum of weight times count over the soft formulas there. Errors are those of Marginals.
func (w *World) Mode(fs []*mln.Formula, rules Rules) (atoms []bool, logWeight float64, err error) {
	weights := make([]float64, len(fs))
	for i, f := range fs {
		weights[i] = f.Weight
	}
	states, _, err := w.states(fs, weights, rules)
	if err != nil {
		return nil, 0, err
	}
	best := slices.MaxFunc(states, func(a, b state) int { return cmp.Compare(a.score, b.score) })
	for _, s := range states {
		if s.score > best.score-1e-9 && slices.CompareFunc(s.atoms, best.atoms, falseFirst) < 0 {
			best.atoms = s.atoms
		}
	}
	return best.atoms, best.score, nil
}

// falseFirst orders truth values.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// state is a truth assignment to the query atoms that the hard formulas allow.
type state struct {
	atoms  []bool    // by query atom
	counts []float64 // n_i or a shape's value, by formula
	score  float64   // sum of w_i n_i
	p      float64   // probability
}

// meanCounts returns the expected counts of n formulas.
func meanCounts(states []state, n int) []float64 {
	mean := make([]float64, n)
	for _, s := range states {
		for i, count := range s.counts {
			mean[i] += float64(s.p * count)
		}
	}
	return mean
}

// states enumerates the states that the hard formulas allow. logZ is the logarithm of the partition function.
func (w *World) states(fs []*mln.Formula, weights []float64, rules Rules) (out []state, logZ float64, err error) {
	queries := w.queries(rules)
	var free []query
	for _, q := range queries {
		truth := w.stated[q.pred][q.position]
		if !rules.Given || truth != subgraph.True && truth != subgraph.False {
			free = append(free, q)
		}
	}
	if len(free) > maxFree {
		return nil, 0, ErrTooManyAtoms
	}
	r := w.interpret(rules)
	groundings := r.allGroundings(fs)
	most := math.Inf(-1)
	for bits := range 1 << len(free) {
		for i, q := range free {
			r.holds[q.pred][q.position] = bits>>i&1 == 1
		}
		counts, score, ok := r.score(fs, groundings, weights)
		if !ok {
			continue
		}
		s := state{counts: counts, score: score}
		for _, q := range queries {
			s.atoms = append(s.atoms, r.holds[q.pred][q.position])
		}
		out, most = append(out, s), max(most, score)
	}
	if len(out) == 0 {
		return nil, 0, ErrUnsatisfiable
	}
	sum := 0.0
	for _, s := range out {
		sum += math.Exp(s.score - most)
	}
	logZ = most + math.Log(sum)
	for i := range out {
		out[i].p = math.Exp(out[i].score - logZ)
	}
	return out, logZ, nil
}

// allGroundings lists the groundings of each formula.
func (r *interpretation) allGroundings(fs []*mln.Formula) [][][]int {
	out := make([][][]int, len(fs))
	for i, f := range fs {
		out[i] = r.groundings(f)
	}
	return out
}

// score returns the counts and the weighted sum of the soft ones; ok is false where a hard formula is violated.
func (r *interpretation) score(fs []*mln.Formula, groundings [][][]int, weights []float64) (counts []float64, score float64, ok bool) {
	counts = make([]float64, len(fs))
	for i, f := range fs {
		counts[i] = r.value(f, groundings[i])
		if f.Hard && counts[i] < float64(len(groundings[i])) {
			return nil, 0, false
		}
		if !f.Hard {
			score += float64(weights[i] * counts[i])
		}
	}
	return counts, score, true
}
