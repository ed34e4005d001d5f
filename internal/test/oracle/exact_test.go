package oracle_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
)

const schema = `link(item, item)
edit(item, user)
target act(item)
target listed pick(item, user)
`

// The derivative of ln Z by w_i is E[n_i], and its second derivative is the covariance.
func TestDistribution_MeanAndCovarianceAreDerivatives(t *testing.T) {
	t.Parallel()
	const h = 1e-4
	for seed := range uint64(25) {
		c := random(t, seed, 7, oracle.TaskOptions{General: true, Hard: true, Formulas: 3, Subgraphs: 1})
		fs, w, rules := c.Model.Formulas, c.World(0), oracle.Rules{UnknownExist: true}
		at := weights(fs)
		d, err := w.Enumerate(fs, at, rules)
		if errors.Is(err, oracle.ErrUnsatisfiable) {
			continue
		}
		check.OKf(t, err, "seed %d", seed)
		mean, covariance := d.Mean(), d.Covariance()
		for i, f := range fs {
			if f.Hard {
				continue
			}
			moved := append([]float64(nil), at...)
			moved[i] += h
			above, err := w.Enumerate(fs, moved, rules)
			check.OK(t, err)
			moved[i] -= 2 * h
			below, err := w.Enumerate(fs, moved, rules)
			check.OK(t, err)
			same := func(what string, got, want float64) {
				check.Near(t, got, want, 1e-4*(1+math.Abs(want)), "seed %d, formula %d, %s", seed, i, what)
			}
			same("mean", mean[i], (above.LogZ-below.LogZ)/(2*h))
			for j := range fs {
				same("covariance", covariance[i][j], (above.Mean()[j]-below.Mean()[j])/(2*h))
			}
		}
	}
}

func TestMarginals_Errors(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 21 {
		fmt.Fprintf(&many, "!act(A%d)\n", i)
	}
	for _, test := range []struct {
		name, formulas, db string
		given              bool
		want               error
	}{
		{"too many atoms", "1 act(x)", many.String(), false, oracle.ErrTooManyAtoms},
		{"fixed atoms are not enumerated", "1 act(x)", many.String(), true, nil},
		{"contradiction", "act(x).\n!act(A0).", "act(A0)", false, oracle.ErrUnsatisfiable},
		{"evidence contradicts", "link(x, y).", "link(A0, A1)", false, oracle.ErrUnsatisfiable},
		{"given atoms contradict", "act(x).", "!act(A0)", true, oracle.ErrUnsatisfiable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jointest.Load(t, schema+test.formulas+"\n", "@subgraph s\n"+test.db+"\n")
			check.ErrorIs(t, check.Err(c.World(0).Enumerate(c.Model.Formulas, nil, oracle.Rules{UnknownExist: true, Given: test.given})), test.want, "error")
		})
	}
}

func TestLogLikelihood_HardFormulas(t *testing.T) {
	t.Parallel()
	c := jointest.Load(t, schema+"act(x) v act(A0).\n1 act(x)\n", "@subgraph s\n@entity item A0\n")
	if got, err := oracle.LogLikelihood(c.World(0), c.Model.Formulas, weights(c.Model.Formulas)); !math.IsInf(got, -1) || err != nil {
		t.Errorf("data that violates a hard formula: got %v, %v, want -Inf", got, err)
	}
}
