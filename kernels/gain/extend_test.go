package gain_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/gain"
)

func extras(r *rand.Rand, truth []bool) [][]float64 {
	x := make([][]float64, 6)
	for _, t := range truth {
		a, b := r.Float64(), 1000*r.Float64()
		if t {
			a, b = a+.4, b+300
		}
		for c, v := range []float64{r.Float64(), a, a, b, r.Float64(), 7} {
			x[c] = append(x[c], v)
		}
	}
	return x
}

// added returns the extra columns of an extension.
func added(x *gain.Result) (extras []int) {
	for _, s := range x.Path[:x.Size] {
		extras = append(extras, s.Extra)
	}
	return extras
}

// extended returns the log-odds of a row by a model with extra columns.
func extended(m *gain.Model, counts []int64, extras [][]float64, row int) float64 {
	z := m.Bias
	for c := range m.Columns {
		if m.Columns[c].Kind == gain.KindExtra {
			z += m.Weights[c] * extras[m.Columns[c].Extra][row]
		} else {
			z += m.Weights[c] * value(&m.Columns[c], counts)
		}
	}
	return z
}

// Extra columns that tell something are taken, whatever their scale; held-out log-odds are those of the models of folds.
func TestExtend_Concurrent(t *testing.T) {
	r := seeded(t)
	for _, subgraphs := range []int{5, 40} {
		d := random(r, subgraphs, 50, 6, .5, planted)
		d.offset = func(i int) float64 { return float64(i % 2) }
		m := d.matrix(t, r.Perm(subgraphs))
		counts, truth := d.rows(m)
		more := extras(r, truth)
		res, err := m.Select(gain.Of(gain.Options{Formulas: 8}, gain.Families...))
		check.OK(t, err)
		x, err := m.Extend(res, more, gain.Options{Run: sideBySide})
		check.OK(t, err)
		if again, err := m.Extend(res, more, gain.Options{}); err != nil || !reflect.DeepEqual(again, x) {
			t.Errorf("%v; twice:\n%+v\n%+v", err, again, x)
		}
		added := added(x)
		if x.Size < 2 || !slices.Contains(added, 1) || !slices.Contains(added, 3) || slices.Contains(added, 2) || slices.Contains(added, 5) {
			t.Errorf("extras %v", added)
		}
		if base, after := x.Base.CLL, x.Path[x.Size-1].After.CLL; after < base+.02 || math.Abs(base-res.Path[res.Size-1].After.CLL) > .01 {
			t.Errorf("CLL %g, %g with no extras, then %g, shrink %g, size %d %d", res.Path[res.Size-1].After.CLL, base, after, res.Shrink, res.Size, len(x.FoldModels[0].Weights))
		}
		total := func(em *gain.Model, i int) float64 { return m.Offsets()[i] + extended(em, counts[i], more, i) }
		for i := range truth {
			if z := total(&x.FoldModels[m.Fold()[i]], i); math.Abs(z-x.HeldOut[i]) > 1e-8 {
				t.Fatalf("row %d: %g, by the model of its fold %g", i, x.HeldOut[i], z)
			}
		}
		// The weights are at the optimum of the penalised log-likelihood.
		for j, e := range added {
			slope := -res.Shrink * variance(more[e]) * x.Weights[len(res.Columns)+j]
			for i, v := range more[e] {
				p := 1 / (1 + math.Exp(-total(&x.Model, i)))
				if truth[i] {
					p--
				}
				slope -= p * v
			}
			if s := math.Sqrt(variance(more[e])); math.Abs(slope) > .05*s {
				t.Errorf("extra %d: slope %g of standard deviation %g", e, slope, s)
			}
		}
	}
}

// Scaled, the weights of a selection keep their ratios, in each fold and after a refit; held-out log-odds are those of the
// models of folds.
func TestExtend_Scaled(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 50, 6, .5, planted)
	m := d.matrix(t, r.Perm(40))
	counts, truth := d.rows(m)
	more := extras(r, truth)
	res, err := m.Select(gain.Of(gain.Options{Formulas: 8}, gain.Families...))
	check.OK(t, err)
	x, err := m.Extend(res, more, gain.Options{Scaled: true})
	check.OK(t, err)
	compare := func(base, em *gain.Model) {
		factor := em.Weights[0] / base.Weights[0]
		for i, w := range base.Weights {
			if math.Abs(em.Weights[i]-factor*w) > 1e-9*math.Abs(factor*w) || math.Abs(factor-1) < 1e-9 {
				t.Errorf("weight %g of %g, the first one's factor is %g", em.Weights[i], w, factor)
			}
		}
	}
	for range 2 {
		if added := added(x); x.Size < 2 || !slices.Contains(added, 1) || !slices.Contains(added, 3) {
			t.Errorf("extras %v", added)
		}
		compare(&res.Model, &x.Model)
		for f := range x.FoldModels {
			compare(&res.FoldModels[f], &x.FoldModels[f])
		}
		for i := range truth {
			z := extended(&x.FoldModels[m.Fold()[i]], counts[i], more, i)
			if math.Abs(z-x.HeldOut[i]) > 1e-8 {
				t.Fatalf("row %d: %g, by the model of its fold %g", i, x.HeldOut[i], z)
			}
		}
		if x, err = m.Refit(x, res, more, gain.Options{}); err != nil {
			t.Fatal(err)
		}
	}
}

// Extra columns that tell nothing are left out.
func TestExtend_Nothing(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 50, 6, .5, planted)
	m := d.matrix(t, r.Perm(40))
	res, err := m.Select(gain.Of(gain.Options{Formulas: 8}, gain.Families...))
	check.OK(t, err)
	for _, more := range [][][]float64{nil, {make([]float64, m.Rows())}} {
		x, err := m.Extend(res, more, gain.Options{})
		check.OK(t, err)
		if x.Size != 0 || len(x.Path) != 0 || !reflect.DeepEqual(x.Model, res.Model) || x.Base.CLL < -.7 {
			t.Errorf("%+v", x)
		}
	}
}

// Whatever is at work when Stop returns an error ends with it, after a few more questions.
func TestStop(t *testing.T) {
	r := seeded(t)
	d := random(r, 40, 50, 6, .5, planted)
	m := d.matrix(t, r.Perm(40))
	_, truth := d.rows(m)
	more := extras(r, truth)
	res, err := m.Select(gain.Options{Formulas: 4})
	check.OK(t, err)
	stopped := errors.New("stopped")
	for name, run := range map[string]func(opt gain.Options) error{
		"Select": func(opt gain.Options) error { _, err := m.Select(opt); return err },
		"Extend": func(opt gain.Options) error { _, err := m.Extend(res, more, opt); return err },
		"Refit": func(opt gain.Options) error {
			x, err := m.Extend(res, more, gain.Options{Formulas: 4})
			if err == nil {
				_, err = m.Refit(x, res, more, opt)
			}
			return err
		},
		"Ridge": func(opt gain.Options) error { opt.Shrink = 1; _, err := m.Ridge(opt); return err },
	} {
		asked, until := 0, math.MaxInt
		opt := gain.Options{Formulas: 4, Stop: func() error {
			if asked++; asked > until {
				return stopped
			}
			return nil
		}}
		check.OK(t, run(opt))
		all := asked
		for _, until = range []int{0, all / 7, all / 2, all - 1} {
			asked = 0
			if err := run(opt); !errors.Is(err, stopped) || asked > until+40 {
				t.Errorf("%s: got %v after %d questions, want that it stopped after %d", name, err, asked, until)
			}
		}
	}
}
