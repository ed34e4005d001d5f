package selftest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"resolwe/kernels/ground"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/naive"
)

// grounded is the ground network of a task's first subgraph, with its exact distribution from two sides.
type grounded struct {
	*task
	mode    ground.Mode
	atoms   *ground.Atoms
	query   []int // by atom of the network: its place among the query atoms
	weights []float64
	model   loglinear.Model // every component of two or more atoms is sampled
	exact   *exactDistribution
	want    []float64 // marginals by query atom, by the definition of the model
}

// errUnfit says that a random task is not what a check needs.
var errUnfit = errors.New("task is of no use")

// errNoState says that grounding lost the solutions of the hard formulas.
var errNoState = errors.New("the ground network allows no state, its definition does")

// newNetwork grounds and enumerates. errUnfit says that nothing is left to sampling, that there are too many atoms, or that
// nothing satisfies the hard formulas.
func newNetwork(ctx context.Context, t *task, mode ground.Mode) (*grounded, error) {
	n := &grounded{task: t, mode: mode, weights: weights(t.model.Formulas)}
	want, _, err := t.worlds[0].Marginals(t.model.Formulas, n.rules())
	if errors.Is(err, naive.ErrUnsatisfiable) || errors.Is(err, naive.ErrTooManyAtoms) {
		return nil, errUnfit
	}
	if err != nil {
		return nil, err
	}
	sub, err := t.first(ctx)
	if err != nil {
		return nil, err
	}
	net, atoms, err := ground.NewGrounder(ground.Compile(t.model.Schema, t.model.Formulas, mode)).Ground(sub)
	if err != nil {
		return nil, err
	}
	n.model.Reset(net, n.weights)
	if net.NumAtoms > maxEnumerated || len(n.sampled()) == 0 {
		return nil, errUnfit
	}
	n.atoms, n.want, n.exact, n.query = atoms, want, enumerateStates(net, n.weights), places(atoms)
	if len(n.exact.states) == 0 {
		return nil, errNoState
	}
	return n, nil
}

// places returns, by free atom, its place among the atoms that exist.
func places(atoms *ground.Atoms) []int {
	var out []int
	next := 0
	for i := range atoms.Len() {
		_, free := atoms.Free(i)
		if free {
			out = append(out, next)
		}
		if _, fixed := atoms.Fixed(i); free || fixed {
			next++
		}
	}
	return out
}

// rules say what exists and what is free, for enumeration.
func (n *grounded) rules() naive.Rules {
	return naive.Rules{UnknownExist: n.mode != ground.Learning, Given: n.mode == ground.Conditioning}
}

// sampled lists the atoms that are left to sampling.
func (n *grounded) sampled() []uint32 {
	var out []uint32
	for a := range uint32(n.model.Net.NumAtoms) {
		if n.model.Sampled(a) {
			out = append(out, a)
		}
	}
	return out
}

// name names atoms of the network.
func (n *grounded) name(atoms ...uint32) string {
	query := n.worlds[0].QueryAtoms(n.rules())
	names := make([]string, len(atoms))
	for i, a := range atoms {
		names[i] = n.atomName(query[n.query[a]])
	}
	return strings.Join(names, " ^ ")
}

// agree compares the marginals by the definition with those of the ground network.
func (n *grounded) agree(f *finding) {
	for a := range uint32(n.exact.atoms) {
		f.equal(n.exact.probability(1<<a), n.want[n.query[a]], rounding, func() string {
			return "ground network: P(" + n.name(a) + ")"
		})
	}
}

// rounding is what sums of probabilities may be off by.
const rounding = 1e-9

// fitNetwork draws tasks until one is fit.
func fitNetwork(ctx context.Context, mode ground.Mode, draw func() (*task, error)) (*grounded, error) {
	const tries = 1000
	for range tries {
		t, err := draw()
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

// randomNetwork draws the i-th network of a check.
func randomNetwork(ctx context.Context, r *rand.Rand, i int, mode ground.Mode, hard bool) (*grounded, error) {
	return fitNetwork(ctx, mode, func() (*task, error) {
		return randomTask(r, varied(i, naive.TaskOptions{General: true, Hard: hard, Subgraphs: 1}))
	})
}
