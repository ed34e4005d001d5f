package oracle

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
)

// maxFree bounds the enumeration at 2^20 states.
const maxFree = 20

// ErrTooManyAtoms reports more than 20 query atoms to enumerate.
var ErrTooManyAtoms = errors.New("more than 20 free query atoms")

// ErrUnsatisfiable reports that no state satisfies the hard formulas.
var ErrUnsatisfiable = errors.New("no state satisfies the hard formulas")

// Distribution is a log-linear distribution, as a list of states.
type Distribution struct {
	States []State
	LogZ   float64 // logarithm of the partition function
}

// State is a truth assignment that satisfies the hard formulas.
type State struct {
	Atoms  []bool
	Counts []float64 // by formula: its number of true groundings, or its shape's value
	Score  float64   // sum of weight times count
	P      float64   // probability
}

// Enumerate returns the distribution over the states of a number of atoms. counts returns the counts of a state, or nil if it violates
// hard formulas. The error is ErrTooManyAtoms or ErrUnsatisfiable.
func Enumerate(atoms int, weights []float64, counts func(state []bool) []float64) (*Distribution, error) {
	if atoms > maxFree {
		return nil, ErrTooManyAtoms
	}
	d := &Distribution{}
	most, sum := math.Inf(-1), 0.0
	for bits := range 1 << atoms {
		s := State{Atoms: make([]bool, atoms)}
		for a := range s.Atoms {
			s.Atoms[a] = bits>>a&1 == 1
		}
		if s.Counts = counts(s.Atoms); s.Counts == nil {
			continue
		}
		for i, n := range s.Counts {
			s.Score += float64(weights[i] * n)
		}
		d.States, most = append(d.States, s), max(most, s.Score)
	}
	if len(d.States) == 0 {
		return nil, ErrUnsatisfiable
	}
	for _, s := range d.States {
		sum += elementary.Exp(s.Score - most)
	}
	d.LogZ = most + elementary.Log(sum)
	for i := range d.States {
		d.States[i].P = elementary.Exp(d.States[i].Score-most) / sum
	}
	return d, nil
}

// Marginals returns the probability of each atom.
func (d *Distribution) Marginals() []float64 {
	return d.mean(len(d.States[0].Atoms), func(s *State, a int) float64 {
		if s.Atoms[a] {
			return 1
		}
		return 0
	})
}

// Mean returns the expected counts.
func (d *Distribution) Mean() []float64 {
	return d.mean(len(d.States[0].Counts), func(s *State, i int) float64 { return s.Counts[i] })
}

// Covariance returns the covariance matrix of the counts.
func (d *Distribution) Covariance() [][]float64 {
	mean := d.Mean()
	out := make([][]float64, len(mean))
	for i := range out {
		out[i] = d.mean(len(mean), func(s *State, j int) float64 { return (s.Counts[i] - mean[i]) * (s.Counts[j] - mean[j]) })
	}
	return out
}

// mean returns the expectations of n values.
func (d *Distribution) mean(n int, value func(s *State, i int) float64) []float64 {
	out := make([]float64, n)
	for k := range d.States {
		for i := range out {
			out[i] += float64(d.States[k].P * value(&d.States[k], i))
		}
	}
	return out
}

// Mode returns the most probable state. Of states that are equal up to rounding, it returns the one that is false at the first
// difference.
func (d *Distribution) Mode() *State {
	most := slices.MaxFunc(d.States, func(a, b State) int { return cmp.Compare(a.Score, b.Score) }).Score
	var best *State
	for i := range d.States {
		s := &d.States[i]
		if s.Score <= most-1e-9 {
			continue
		}
		if best == nil {
			best = s
		}
		for a, v := range s.Atoms {
			if v != best.Atoms[a] {
				if !v {
					best = s
				}
				break
			}
		}
	}
	return best
}

// Enumerate returns the distribution over the states of QueryAtoms(rules), with those fixed by the rules as in the data. If weights is
// nil, the formulas' own weights are used, or 0 for formulas without one. Hard formulas hold in every grounding, and their weights have
// no effect. Errors are those of the function Enumerate.
func (w *World) Enumerate(fs []*mln.Formula, weights []float64, rules Rules) (*Distribution, error) {
	r := w.interpret(rules)
	groundings, used := make([][][]int, len(fs)), make([]float64, len(fs))
	for i, f := range fs {
		groundings[i] = r.groundings(f)
		switch {
		case f.Hard:
		case weights == nil:
			used[i] = f.Weight
		default:
			used[i] = weights[i]
		}
	}
	free := slices.Clone(r.queries)
	if rules.Given {
		free = slices.DeleteFunc(free, func(a int) bool { return w.stated[a] == subgraph.True || w.stated[a] == subgraph.False })
	}
	set := func(state []bool) {
		for i, a := range free {
			r.holds[a] = state[i]
		}
	}
	d, err := Enumerate(len(free), used, func(state []bool) []float64 {
		set(state)
		counts := make([]float64, len(fs))
		for i, f := range fs {
			counts[i] = r.value(f, groundings[i])
			if f.Hard && counts[i] < float64(len(groundings[i])) {
				return nil
			}
		}
		return counts
	})
	if err != nil {
		return nil, err
	}
	for i := range d.States {
		s := &d.States[i]
		set(s.Atoms)
		s.Atoms = make([]bool, len(r.queries))
		for k, a := range r.queries {
			s.Atoms[k] = r.holds[a]
		}
	}
	return d, nil
}
