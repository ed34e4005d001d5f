package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"resolwe"
)

// WriteCurve writes a prequential curve as CSV: pass and subgraph, both from 0, query atoms, the two scores, and the means
// of the scores over the subgraphs of the pass so far. A conditional log-likelihood that is not known is empty.
func WriteCurve(w io.Writer, curve []resolwe.Point) error {
	out := csv.NewWriter(w)
	row := []string{"pass", "subgraph", "atoms", "pll", "pll_mean", "cll", "cll_mean"}
	_ = out.Write(row) // Error has what goes wrong
	var pll, cll mean
	for i, p := range curve {
		if i > 0 && p.Pass != curve[i-1].Pass {
			pll, cll = mean{}, mean{}
		}
		pll.add(p.PLL)
		row = append(row[:0], strconv.Itoa(p.Pass), strconv.Itoa(p.Index), strconv.Itoa(p.Atoms), decimal(p.PLL), decimal(pll.value()), "", "")
		if p.Exact {
			cll.add(p.CLL)
			row[5] = decimal(p.CLL)
		}
		if cll.n > 0 {
			row[6] = decimal(cll.value())
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
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

// decimal prints a number with six digits behind the point.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
