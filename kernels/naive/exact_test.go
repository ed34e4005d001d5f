package naive_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
	"resolwe/kernels/naive"
)

// The derivative of ln Z by w_i is E[n_i], and its second derivative the covariance.
func TestDistribution_MeanAndCovarianceAreDerivatives(t *testing.T) {
	t.Parallel()
	const h = 1e-4
	for seed := range uint64(25) {
		c := random(t, seed, 7, naive.TaskOptions{General: true, Hard: true, Formulas: 3, Subgraphs: 1})
		fs, w, rules := c.Model.Formulas, c.World(0), naive.Rules{UnknownExist: true}
		at := weights(fs)
		d, err := w.Enumerate(fs, at, rules)
		if errors.Is(err, naive.ErrUnsatisfiable) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
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
				if math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("seed %d, formula %d, %s: got %v, want %v", seed, i, what, got, want)
				}
			}
			same("mean", mean[i], (above.LogZ-below.LogZ)/(2*h))
			for j := range fs {
				same("covariance", covariance[i][j], (above.Mean()[j]-below.Mean()[j])/(2*h))
			}
		}
	}
}

func TestMarginals(t *testing.T) {
	t.Parallel()
	const model = "link(item, item)\ntarget act(item)\n"
	logistic := func(w float64) float64 { return 1 / (1 + math.Exp(-w)) }
	for _, test := range []struct {
		name, formulas, db string
		given              bool
		want               []float64
		logZ               float64
	}{
		{"independent atoms", "0.5 act(x)", "@entity item A0 A1", false, []float64{logistic(0.5), logistic(0.5)}, 2 * math.Log1p(math.Exp(0.5))},
		{"known truth is only compared with", "0.5 act(x)", "act(A0)\n?act(A1)", false, []float64{logistic(0.5), logistic(0.5)}, 2 * math.Log1p(math.Exp(0.5))},
		{"given truth is fixed", "0.5 act(x)\n1 act(x) ^ act(A0)", "act(A0)\n?act(A1)", true, []float64{1, logistic(1.5)}, 1.5 + math.Log1p(math.Exp(1.5))},
		{"hard formula", "0 act(x)\nact(x) v act(y).", "@entity item A0 A1", false, []float64{1, 1}, 0},
		{"hard formula on evidence", "1 act(x)\nlink(x, y) => !act(y).", "link(A0, A1)", false, []float64{logistic(1), 0}, math.Log1p(math.E)},
		{"no query atom", "1 link(x, y)", "link(A0, A0)\n!act(A0)", true, []float64{0}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jointest.Load(t, model+test.formulas+"\n", "@subgraph s\n"+test.db+"\n")
			d, err := c.World(0).Enumerate(c.Model.Formulas, nil, naive.Rules{UnknownExist: true, Given: test.given})
			check.OK(t, err)
			got := d.Marginals()
			if math.Abs(d.LogZ-test.logZ) > 1e-12 {
				t.Errorf("log Z: got %v, want %v", d.LogZ, test.logZ)
			}
			for i := range test.want {
				if len(got) != len(test.want) || math.Abs(got[i]-test.want[i]) > 1e-12 {
					t.Fatalf("marginals: got %v, want %v", got, test.want)
				}
			}
		})
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
		{"too many atoms", "1 act(x)", many.String(), false, naive.ErrTooManyAtoms},
		{"fixed atoms are not enumerated", "1 act(x)", many.String(), true, nil},
		{"contradiction", "act(x).\n!act(A0).", "act(A0)", false, naive.ErrUnsatisfiable},
		{"evidence contradicts", "link(x, y).", "link(A0, A1)", false, naive.ErrUnsatisfiable},
		{"given atoms contradict", "act(x).", "!act(A0)", true, naive.ErrUnsatisfiable},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := jointest.Load(t, schema+test.formulas+"\n", "@subgraph s\n"+test.db+"\n")
			if _, err := c.World(0).Enumerate(c.Model.Formulas, nil, naive.Rules{UnknownExist: true, Given: test.given}); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
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
