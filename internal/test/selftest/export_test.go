package selftest

import (
	"context"
	"errors"
	"slices"

	"resolwe"
	"resolwe/kernels/mcsat"
)

// Internals that the tests use.
type (
	EProcess = eProcess

	Chain    = chain
	Gradient = gradient
)

var (
	Pack        = pack
	NewEProcess = newEProcess
)

func (e *eProcess) Observe(x float64) { e.observe(x) }
func (e *eProcess) Level() float64    { return e.level() }

// HardKinds names the kinds of networks that samplers find hard.
func HardKinds() []string {
	var out []string
	for _, k := range kinds() {
		out = append(out, k.name)
	}
	return out
}

// Verdicts samples a number of networks of a kind, with 24 to 60 atoms, by MC-SAT, except those too large for a junction tree. For each
// it emits the mean error of its marginals and whether there was a warning.
func Verdicts(ctx context.Context, kind string, seed uint64, networks int, emit func(mean float64, warned bool)) error {
	s := &suite{System: Library(), seed: seed}
	k := kinds()[slices.Index(HardKinds(), kind)]
	for i := range networks {
		r := s.source(kind, i)
		t, err := k.task(r, 24+r.IntN(37))
		if err != nil {
			return err
		}
		v, err := s.judge(ctx, t, resolwe.MethodMCSAT, r)
		if errors.As(err, new(*mcsat.SizeError)) || errors.As(err, new(*resolwe.UnsatisfiableError)) {
			continue
		}
		if err != nil {
			return err
		}
		emit(v.mean, v.Any() || v.Imprecise)
	}
	return nil
}
