package report

import (
	"io"
	"strconv"

	"resolwe"
)

// WriteCurve writes a prequential curve as CSV: pass and subgraph, both from 0, query atoms, the two scores, and the means of the
// scores over the subgraphs of the pass so far. An unknown conditional log-likelihood is empty.
func WriteCurve(w io.Writer, curve []resolwe.Point) error {
	line, end := Lines(w)
	line("pass", "subgraph", "atoms", "pll", "pll_mean", "cll", "cll_mean")
	var pll, cll mean
	for i, p := range curve {
		if i > 0 && p.Pass != curve[i-1].Pass {
			pll, cll = mean{}, mean{}
		}
		pll.add(p.PLL)
		row := []any{p.Pass, p.Index, p.Atoms, decimal(p.PLL), decimal(pll.value()), nil, nil}
		if p.Exact {
			cll.add(p.CLL)
			row[5] = decimal(p.CLL)
		}
		if cll.n > 0 {
			row[6] = decimal(cll.value())
		}
		line(row...)
	}
	return end()
}

// mean is a running mean.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(v float64) {
	m.sum += v
	m.n++
}

func (m *mean) value() float64 { return m.sum / float64(m.n) }

// decimal prints a number with six decimals.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
