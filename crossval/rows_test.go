package crossval_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// rowsTask are evidence and a target for a row in each subgraph.
const rowsTask = "a(x)\nb(x)\ntarget listed q(x)\na(x) => q(x)\nb(x) => q(x)\n"

// rows returns subgraphs of one row each, but the first few have two. The evidence a agrees with the truth as often as said.
func rows(t *testing.T, m *resolwe.Model, subgraphs, pairs int, agrees float64) []*subgraph.Subgraph {
	t.Helper()
	r, b := rand.New(rand.NewPCG(6, 0)), &strings.Builder{}
	for s := range subgraphs {
		fmt.Fprintf(b, "@subgraph s%d\n", s)
		for i := range 2 {
			if i == 1 && s >= pairs {
				continue
			}
			known := r.IntN(2) == 0
			if known {
				fmt.Fprintf(b, "a(X%d)\n", i)
			}
			if r.IntN(3) == 0 {
				fmt.Fprintf(b, "b(X%d)\n", i)
			}
			if (r.Float64() < agrees) != known {
				fmt.Fprint(b, "!")
			}
			fmt.Fprintf(b, "q(X%d)\n", i)
		}
	}
	return streamtest.Subgraphs(t, m, b.String())
}

// Where nine of ten subgraphs have one query atom, no row is left out of the tests, and only the likelihood is compared.
func TestRun_RowTask(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, rowsTask)
	for pairs, rowTask := range map[int]bool{0: true, 10: true, 40: false} {
		opt := crossval.Options{Systems: named(t, "gain", "base"), Test: 5}
		got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, rows(t, m, 100, pairs, .8)), opt)
		check.OK(t, err)
		tested, measures := 20, []string{"map", "auc_roc", "cll"}
		if rowTask {
			tested, measures = 100, []string{"cll"}
		}
		check.Equal(t, fmt.Sprint(pairs, " pairs: subgraphs tested"), len(got.Tested), tested)
		var compared []string
		for _, c := range got.Tests {
			compared = append(compared, c.Measure)
		}
		check.Equal(t, fmt.Sprint(pairs, " pairs: compared"), compared, measures)
	}
}

// A draw of rows that alone tells true from false is found by the area under the ROC curve.
func TestNull_RowTask(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, rowsTask)
	for agrees, tells := range map[float64]bool{.8: true, .5: false} {
		opt := crossval.Options{Systems: named(t, "gain", "base"), Null: resolwe.NewStream(m, rows(t, m, 150, 0, agrees))}
		got, err := crossval.Run(t.Context(), m, resolwe.NewStream(m, rows(t, m, 100, 0, .8)), opt)
		check.OK(t, err)
		by, _, measure := got.Null.Excess()
		check.Is(t, got.Null.Tells(), tells, "the draw tells, by %.3f of %s,", by, measure)
		check.Is(t, measure, "AUC-ROC", "measure")
	}
}
