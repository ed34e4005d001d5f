package report

import (
	"io"
	"strconv"

	"resolwe/internal/render"
	"resolwe/internal/stage/learning"
)

// WriteCurve writes a prequential curve as CSV: pass and subgraph, both from 0, query atoms, the two scores, and the means of the
// scores over the subgraphs of the pass so far. An unknown conditional log-likelihood is empty.
func WriteCurve(w io.Writer, curve []learning.Point) error {
	line, end := render.Lines(w)
	line("pass", "subgraph", "atoms", "pll", "pll_mean", "cll", "cll_mean")
	var pll, cll, n, exact float64 // sums, and numbers of subgraphs
	for i, p := range curve {
		if i > 0 && p.Pass != curve[i-1].Pass {
			pll, cll, n, exact = 0, 0, 0, 0
		}
		pll, n = pll+p.PLL, n+1
		row := []any{p.Pass, p.Index, p.Atoms, decimal(p.PLL), decimal(pll / n), nil, nil}
		if p.Exact {
			cll, exact = cll+p.CLL, exact+1
			row[5] = decimal(p.CLL)
		}
		if exact > 0 {
			row[6] = decimal(cll / exact)
		}
		line(row...)
	}
	return end()
}

// decimal prints a number with six decimals.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
