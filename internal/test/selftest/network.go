package selftest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"resolwe/internal/test/oracle"
	"resolwe/kernels/cd"
	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// grounded is the ground network of a task's first subgraph, with its exact distribution computed in two ways.
type grounded struct {
	*task
	mode    ground.Mode
	atoms   *ground.Atoms
	index   []int     // by atom of the network: its index in atoms
	want    []float64 // by atom of the network: its marginal by the definition of the model
	weights []float64
	defined *oracle.Distribution // by the definition of the model
	model   loglinear.Model      // every component of two or more atoms is sampled
	sampled []uint32             // the atoms that must be sampled
	exact   *oracle.Distribution
	upTo    []float64 // by state of exact: cumulative probability
}

// errUnfit reports that a random task does not suit a check.
var errUnfit = errors.New("task is of no use")

// newNetwork grounds and enumerates a task. It returns errUnfit if no atoms need sampling, if there are too many, or if nothing
// satisfies the hard formulas.
func newNetwork(ctx context.Context, t *task, mode ground.Mode) (*grounded, error) {
	const maxEnumerated = 12
	n := &grounded{task: t, mode: mode, weights: weights(t.model.Formulas)}
	rules := oracle.Rules{UnknownExist: mode != ground.Learning, Given: mode == ground.Conditioning}
	var err error
	n.defined, err = t.worlds[0].Enumerate(t.model.Formulas, nil, rules)
	if errors.Is(err, oracle.ErrUnsatisfiable) || errors.Is(err, oracle.ErrTooManyAtoms) {
		return nil, errUnfit
	}
	if err != nil {
		return nil, err
	}
	subs, err := all(ctx, t.copies(1))
	if err != nil {
		return nil, err
	}
	net, atoms, err := ground.NewGrounder(ground.Compile(t.model.Schema, t.model.Formulas, mode)).Ground(subs[0])
	if err != nil {
		return nil, err
	}
	n.model.Reset(net, n.weights)
	for a := range uint32(net.NumAtoms) {
		if n.model.Sampled(a) {
			n.sampled = append(n.sampled, a)
		}
	}
	if net.NumAtoms > maxEnumerated || len(n.sampled) == 0 {
		return nil, errUnfit
	}
	n.atoms = atoms
	marginals := n.defined.Marginals()
	for i := range atoms.Len() {
		_, free := atoms.Free(i)
		if _, fixed := atoms.Fixed(i); !free && !fixed {
			continue // does not exist
		}
		if free {
			n.index, n.want = append(n.index, i), append(n.want, marginals[0])
		}
		marginals = marginals[1:]
	}
	n.exact, err = oracle.Enumerate(net.NumAtoms, n.weights, func(x []bool) []float64 {
		if cd.Breaks(net, x) {
			return nil
		}
		return countsOf(net, len(n.weights), x)
	})
	if err != nil {
		return nil, fmt.Errorf("the ground network, not its definition: %w", err)
	}
	sum := 0.0
	for _, s := range n.exact.States {
		sum += s.P
		n.upTo = append(n.upTo, sum)
	}
	return n, nil
}

// countsOf returns the counts of n formulas in a state, without constant parts, or the values of their shapes.
func countsOf(net *network.Network, n int, x []bool) []float64 {
	out := make([]float64, n)
	loglinear.AddCounts(out, net, x)
	for i, scale := range net.Scale {
		out[i] *= scale
	}
	return out
}

// name names an atom of the network.
func (n *grounded) name(a uint32) string { return n.atoms.Name(n.index[a]) }

// agree compares the marginals by the definition with those of the ground network.
func (n *grounded) agree(f *Check) {
	for a, p := range n.exact.Marginals() {
		f.equal(p, n.want[a], rounding, func() string { return "ground network: P(" + n.name(uint32(a)) + ")" })
	}
}

// draw sets x to a state of the exact distribution.
func (n *grounded) draw(x []bool, r *rand.Rand) {
	u := r.Float64()
	i := sort.Search(len(n.upTo)-1, func(i int) bool { return n.upTo[i] > u })
	copy(x, n.exact.States[i].Atoms)
}

// forgets reports whether single flips alone leave a bias of at most a fifth of startBias in any marginal, from any start, after a
// number of sweeps in which each atom in turn is drawn from its conditional distribution.
func (n *grounded) forgets() bool {
	states, exact := n.exact.States, n.exact.Marginals()
	place := slices.Repeat([]int{-1}, 1<<len(exact)) // by state: its index in states
	codes := make([]int, len(states))
	for i, s := range states {
		for a, v := range s.Atoms {
			if v {
				codes[i] |= 1 << a
			}
		}
		place[codes[i]] = i
	}
	mean := make([]float64, len(states)) // by start: mean truth of an atom after the sweeps
	for a, p := range exact {
		for i, code := range codes {
			mean[i] = float64(code >> a & 1)
		}
		for flip := range burnIn * len(exact) {
			atom := 1 << (flip % len(exact))
			for i, code := range codes {
				j := place[code|atom]
				if j < 0 || j == i || states[i].P+states[j].P == 0 {
					continue
				}
				m := (float64(states[i].P*mean[i]) + float64(states[j].P*mean[j])) / (states[i].P + states[j].P)
				mean[i], mean[j] = m, m
			}
		}
		if slices.ContainsFunc(mean, func(m float64) bool { return math.Abs(m-p) > startBias/5 }) {
			return false
		}
	}
	return true
}

// randomNetwork draws tasks until one is suitable.
func randomNetwork(ctx context.Context, r *rand.Rand, mode ground.Mode, opt oracle.TaskOptions) (*grounded, error) {
	const tries = 1000
	for range tries {
		t, err := newTask(oracle.RandomTask(r, opt))
		if err != nil {
			return nil, err
		}
		n, err := newNetwork(ctx, t, mode)
		if !errors.Is(err, errUnfit) {
			return n, err
		}
	}
	return nil, fmt.Errorf("%w: none in %d", errUnfit, tries)
}
