package ground_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/ground"
)

// vast returns what has that many variables; a function makes a part over each.
func vast(n int, with string, part func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part(i)
	}
	return strings.Join(parts, with)
}

// A grounding that would never end says how far it is, and ends where it is told to.
func TestGrounder_Vast(t *testing.T) {
	t.Parallel()
	const n = 41
	target := func(i int) string { return fmt.Sprintf("q(x%d)", i) }
	clique := vast(n, " ^ ", func(i int) string {
		return vast(i+1, " ^ ", func(k int) string { return fmt.Sprintf("s(x%d, x%d)", k, i) })
	})
	variables := vast(n, ", ", func(i int) string { return fmt.Sprintf("x%d", i) })
	facts := vast(7, "", func(i int) string {
		return vast(7, "", func(k int) string { return fmt.Sprintf("s(A%d, A%d)\n", i, k) })
	})
	all, enough := math.Pow(7, n), errors.New("enough")
	for name, c := range map[string]struct {
		formula string
		most    float64 // 0 for a formula that is not reported
	}{
		"targets":             {vast(n, " ^ ", target), all},
		"a disjunction":       {vast(n, " v ", target), all},
		"a cyclic selector":   {clique + " => q(x0)", all},
		"a quantifier":        {"q(y) ^ EXIST " + variables + " (" + vast(n, " ^ ", target) + ")", 7 * all},
		"a counted selector":  {"#{" + variables + ": " + clique + "} >= 3 ^ q(y)", 7 * all},
		"a counting literal":  {"#{" + variables + ": " + clique + "} >= 3 => q(y)", 0},
		"many more variables": {vast(128, " ^ ", target), math.Pow(7, 128)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := jointest.Load(t, "s(a, a)\ntarget q(a)\n1 "+c.formula+"\n", facts)
			for _, mode := range []ground.Mode{ground.Learning, ground.Predicting} {
				g := ground.NewGrounder(ground.Compile(&task.Model.Schema, task.Model.Formulas, mode))
				asked, told := 0, int64(0)
				g.Stop = func() error {
					if asked++; asked < 4 {
						return nil
					}
					return enough
				}
				g.Watch = func(e ground.Effort) {
					if e.First() != (told == 0) || e.Tried() <= told || e.Subgraph() != "facts" || e.Formula() != mln.FormatFormula(task.Model.Formulas[0]) {
						t.Errorf("got %v, %d after %d of %.20s in %q", e.First(), e.Tried(), told, e.Formula(), e.Subgraph())
					}
					check.Near(t, e.Most(), c.most, 1e-9*c.most, "bindings at most")
					told = e.Tried()
				}
				if _, _, err := g.Ground(task.Subs[0]); !errors.Is(err, enough) || asked != 4 || told == 0 != (c.most == 0) {
					t.Errorf("mode %d: got %v after it was asked %d times", mode, err, asked)
				}
			}
			f := ground.NewForecaster(&task.Model.Schema, task.Model.Formulas, ground.Predicting)
			f.Stop(func() error { return enough })
			check.Equal(t, "forecasts", len(f.Count(task.Subs[0])), 1)
		})
	}
}
