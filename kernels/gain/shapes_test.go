package gain_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/gain"
	"resolwe/kernels/ground"
)

// A number on whose rank the log-odds depend gives a column of ranks, and one that counts beside the others of its subgraph a difference from
// their mean. Held-out log-odds are those of the formulas' features, computed by the oracle.
func TestTask_Choose_Shapes(t *testing.T) {
	r := seeded(t)
	const subgraphs, atoms = 80, 25
	var db strings.Builder
	for s := range subgraphs {
		level := 8 * r.NormFloat64()
		var own [2][]float64
		mean := 0.
		for range atoms {
			own[0] = append(own[0], math.Round(1e4*math.Exp(3*r.NormFloat64()))/1e4)
			v := math.Round(100*(level+r.NormFloat64())) / 100
			own[1] = append(own[1], v)
			mean += v / atoms
		}
		fmt.Fprintf(&db, "@subgraph s%d\n", s)
		for a := range atoms {
			z := .7*math.Log(own[0][a]) + 2*(own[1][a]-mean)
			fmt.Fprintf(&db, "size(A%d, %v)\nspeed(A%d, %v)\n", a, own[0][a], a, own[1][a])
			if r.Float64() < 1/(1+math.Exp(-z)) {
				fmt.Fprintf(&db, "q(A%d)\n", a)
			}
		}
	}
	task := jointest.Load(t, `size(thing, number)
speed(thing, number)
target q(thing)
size(x, v) ^ v >= 3 => q(x)
size(x, v) ^ v <= 2 => q(x)
avg{v: speed(x, v)} >= 2 => q(x)
`, db.String())
	candidates, _, err := mln.Candidates(task.Model)
	check.OK(t, err)
	of := gain.NewTask(&task.Model.Schema, candidates, nil, false)
	all := of.NewRows(1, 0)
	for i, sub := range task.Subs {
		counted, err := of.NewCounter(ground.NewGrounder).Count(sub)
		check.OK(t, err)
		check.OK(t, all.Add(counted, i))
	}
	chosen, err := of.Choose(all, candidates, gain.Options{Formulas: 8})
	check.OK(t, err)
	s := chosen[0]
	var texts strings.Builder
	for _, f := range s.Formulas(&s.Result.Model) {
		fmt.Fprintln(&texts, mln.FormatFormula(f))
	}
	for _, want := range []string{`rank\(.*\): size`, `relative\(.*\): .*speed`} {
		if !regexp.MustCompile(want).MatchString(texts.String()) {
			t.Errorf("no column %s in\n%s", want, &texts)
		}
	}
	fold := s.Matrix.Fold()
	for name, logOdds := range s.LogOdds() {
		sub, err := strconv.Atoi(name[1:])
		check.OK(t, err)
		for a, got := range logOdds {
			m := &s.Result.FoldModels[fold[s.Matrix.Start[s.Matrix.At(name)]]]
			want := m.Bias
			for i := range m.Columns {
				want += m.Weights[i] * task.World(sub).Features(s.Formula(&m.Columns[i]))[a]
			}
			check.Near(t, got, want, 1e-9*(1+math.Abs(want)), "held-out log-odds")
		}
	}
}
