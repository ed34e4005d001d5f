package resolwe

import (
	"encoding/csv"
	"io"
	"strconv"
)

// Point is the score of a subgraph under the weights before they learned from it (test, then train; Dawid, 1984). Values
// are in nats an atom.
type Point struct {
	Pass  int // from 0
	Index int // position in the stream
	Atoms int // query atoms
	// PLL is the pseudo-log-likelihood: the mean log-probability of an atom's truth given all others, probabilities clipped
	// to 1e-6 and 1 - 1e-6.
	PLL float64
	// CLL is the conditional log-likelihood of the subgraph over its atoms, where Exact: where every component of its ground
	// network is small enough for learning to enumerate.
	CLL   float64
	Exact bool
}

// scored reports whether the subgraph at a place of the batch is scored.
func (l *learner) scored(place int) bool {
	return l.opt.CurveEvery > 0 && (l.seen+place)%l.opt.CurveEvery == 0
}

// addPoints adds the scores of the batch to the curve. Subgraphs without atoms, and those whose data breaks a hard
// formula, have none.
func (l *learner) addPoints() {
	for i, ex := range l.batch {
		if !l.scored(i) || ex.Net.NumAtoms == 0 || breaks(ex.Net, ex.Data) {
			continue
		}
		s := &l.scores[i]
		p := Point{Pass: l.pass, Index: ex.index, Atoms: s.Atoms, PLL: s.Pseudo / float64(s.Atoms), Exact: s.Exact}
		if s.Exact {
			p.CLL = s.Joint / float64(s.Atoms)
		}
		l.curve = append(l.curve, p)
	}
}

// WriteCurve writes a prequential curve as CSV: pass and subgraph, both from 0, query atoms, the two scores, and the means
// of the scores over the subgraphs of the pass so far. A conditional log-likelihood that is not known is empty.
func WriteCurve(w io.Writer, curve []Point) error {
	out := csv.NewWriter(w)
	row := []string{"pass", "subgraph", "atoms", "pll", "pll_mean", "cll", "cll_mean"}
	if err := out.Write(row); err != nil {
		return err
	}
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
		if err := out.Write(row); err != nil {
			return err
		}
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
