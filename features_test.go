package resolwe_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/kernels/naive"
)

// features returns the features of each subgraph, by formula and query atom.
func features(t *testing.T, m *resolwe.Model, s *resolwe.Stream, opt resolwe.FeatureOptions) [][][]float64 {
	t.Helper()
	var out [][][]float64
	columns, _ := resolwe.FeatureColumns(m, opt)
	check.OK(t, resolwe.Features(t.Context(), m, s, opt, func(r *resolwe.FeatureRows) error {
		values := make([][]float64, len(columns))
		for i := range r.Len() {
			for c, v := range r.Values(i, nil) {
				values[c] = append(values[c], v)
			}
		}
		out = append(out, values)
		return nil
	}))
	return out
}

func TestFeatures_Naive(t *testing.T) {
	t.Parallel()
	for seed := range rounds(300) {
		text, db := random(seed, naive.TaskOptions{General: seed%4 > 0, Shapes: seed%4 == 2, Counts: seed%4 == 3})
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := parse(t, text)
			subs := subgraphs(t, m, db)
			s := resolwe.NewStream(m, subs)
			opt := resolwe.FeatureOptions{Others: seed%8 < 6}
			columns, leftOut := resolwe.FeatureColumns(m, opt)
			check.Equal(t, "formulas", len(columns)+len(leftOut), len(m.Formulas))
			got := features(t, m, s, opt)
			for i, w := range worlds(m, subs) {
				for c, at := range columns {
					want := w.Features(m.Formulas[at])
					if !near(got[i][c], want, 1e-11) {
						t.Errorf("%s in %s: got %v, want %v\n%s\n%s", mln.FormatFormula(m.Formulas[at]), subs[i].Name, got[i][c], want, text, db)
					}
				}
			}
		})
	}
}

// near reports whether numbers are the same but for rounding.
func near(got, want []float64, tolerance float64) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*math.Max(1, math.Abs(want[i]))) {
			return false
		}
	}
	return true
}

// Where the truth of all atoms is known, the features of the true ones add up to what Counts counts.
func TestFeatures_AddUpToCounts(t *testing.T) {
	t.Parallel()
	m, s := example()
	headed, _ := m.Formulas[0].Headed(m.Schema)
	check.Equal(t, "formula", mln.FormatFormula(headed), "edits(t1, u) ^ links(t1, t2) ^ modifies(t2, u)")
	m = m.With([]*mln.Formula{headed})
	var got, want []string
	check.OK(t, resolwe.Features(t.Context(), m, s, resolwe.FeatureOptions{}, func(r *resolwe.FeatureRows) error {
		sum := 0.0
		for i := range r.Len() {
			pred, args := r.Args(i)
			check.Equal(t, "arguments", m.Schema.Predicates[pred].Name+"("+strings.Join(args, ", ")+")", r.Atom(i))
			if r.Truth(i) == subgraph.True {
				sum += r.Values(i, nil)[0]
			}
		}
		got = append(got, fmt.Sprint(r.Subgraph, " ", sum))
		return nil
	}))
	s = inMemory(t, m, exampleFacts)
	check.OK(t, resolwe.Counts(t.Context(), m, s, resolwe.Run{}, func(name string, counts []resolwe.Count) error {
		want = append(want, fmt.Sprint(name, " ", counts[0]))
		return nil
	}))
	check.Equal(t, "sums", got, want)
}

func TestFeatureColumns_SaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	m := parse(t, "r(a, a)\ntarget q(a)\nr(x, y) ^ q(x) => q(y)\nr(x, y) => q(y)\nEXIST y r(x, y) ^ q(y)\nr(x, x)\nq(x) v q(y)\n")
	columns, leftOut := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	check.Equal(t, "columns", columns, []int{1})
	var formulas []int
	for _, f := range leftOut {
		formulas = append(formulas, f.Formula)
	}
	check.Equal(t, "left out", formulas, []int{0, 2, 3, 4})
	columns, _ = resolwe.FeatureColumns(m, resolwe.FeatureOptions{Others: true})
	check.Equal(t, "columns", columns, []int{0, 1})
}

func ExampleFeatures() {
	m, s := example()
	columns, _ := resolwe.FeatureColumns(m, resolwe.FeatureOptions{})
	for _, i := range columns {
		fmt.Println(mln.FormatFormula(m.Formulas[i]))
	}
	err := resolwe.Features(context.Background(), m, s, resolwe.FeatureOptions{}, func(r *resolwe.FeatureRows) error {
		for i := range r.Len() {
			if r.Subgraph == "monday" && r.Truth(i) == subgraph.True {
				fmt.Println(r.Atom(i), r.Values(i, nil))
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output:
	// edits(t1, u) ^ links(t1, t2) => modifies(t2, u)
	// edits(t1, u) ^ links(t2, t1) => modifies(t2, u)
	// modifies(C, Ann) [1 0]
}
