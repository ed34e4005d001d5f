package report

import (
	"encoding/binary"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/elementary"
)

// mostPatterns bounds the number of different cases by which shares are adjusted.
const mostPatterns = 1 << 15

// beside holds how the features of a model's formulas occur together.
type beside struct {
	at       []int // column of a formula, -1 if it has none
	columns  int
	pairs    []int64          // cases in which the features of two columns, by rows, are both not 0; nil if there are too many columns
	told     []int            // columns of the formulas that are established or, without any, of all: at most 64
	head     int              // predicate of the cases of patterns
	patterns []pattern        // in order of appearance; nil if there are too many
	index    map[string]int   // of patterns
	full     bool             // there were too many patterns
	held     map[int][]uint64 // by position of the subgraph, by atom: a bit for each column in told that is not 0
}

// pattern counts cases that are equal in all columns told.
type pattern struct {
	x               []float64
	cases, positive int64
}

func newBeside(m *resolwe.Model, columns []int) *beside {
	b := &beside{columns: len(columns), at: make([]int, len(m.Formulas)), index: map[string]int{}, held: map[int][]uint64{}, head: -1}
	for i := range b.at {
		b.at[i] = slices.Index(columns, i)
	}
	if n := len(columns); n <= mostIntervals {
		b.pairs = make([]int64, n*n)
	}
	established := slices.ContainsFunc(m.Formulas, func(f *mln.Formula) bool { return f.Standing == mln.StandingEstablished })
	for c, i := range columns {
		if f := m.Formulas[i]; len(b.told) < 64 && f.HasWeight && (!established || f.Standing == mln.StandingEstablished) {
			b.told = append(b.told, c)
		}
	}
	return b
}

// add counts a case: an atom of the subgraph at some position. at lists the columns that are not 0.
func (b *beside) add(subgraph, atom, pred int, values []float64, at []int, truth bool) {
	if n := len(values); b.pairs != nil {
		for i, c := range at {
			for _, d := range at[:i+1] {
				b.pairs[c*n+d]++
			}
		}
	}
	bits, key := uint64(0), make([]byte, 0, 8*len(b.told))
	for k, c := range b.told {
		if values[c] != 0 {
			bits |= 1 << k
		}
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(values[c]))
	}
	of := b.held[subgraph]
	for len(of) <= atom {
		of = append(of, 0)
	}
	of[atom] = bits
	b.held[subgraph] = of
	if b.head < 0 {
		b.head = pred
	}
	if b.full || pred != b.head {
		return
	}
	k, ok := b.index[string(key)]
	if !ok {
		if k = len(b.patterns); k == mostPatterns {
			b.patterns, b.index, b.full = nil, nil, true
			return
		}
		x := make([]float64, len(b.told))
		for i, c := range b.told {
			x[i] = values[c]
		}
		b.patterns, b.index[string(key)] = append(b.patterns, pattern{x: x}), k
	}
	b.patterns[k].cases++
	if truth {
		b.patterns[k].positive++
	}
}

// both returns the number of cases for which two formulas hold, and whether it is known.
func (b *beside) both(f, g int) (int64, bool) {
	if b == nil || b.pairs == nil || b.at[f] < 0 || b.at[g] < 0 {
		return 0, false
	}
	c, d := max(b.at[f], b.at[g]), min(b.at[f], b.at[g])
	return b.pairs[c*b.columns+d], true
}

// place returns the place of a formula in told, -1 if it is not there.
func (b *beside) place(f int) int {
	if b == nil || b.at[f] < 0 {
		return -1
	}
	return slices.Index(b.told, b.at[f])
}

// adjusted returns the average predicted shares if the columns at some places of told were, in every case, what they are on average
// where the first of them is not 0, and where it is: standardisation. The model has the weights given, and a bias with which it predicts as
// many true cases as there are. ok is false if there are too many different cases.
func (b *beside) adjusted(weights []float64, places []int) (with, without float64, ok bool) {
	if b == nil || len(b.patterns) == 0 {
		return 0, 0, false
	}
	var total, positive float64
	n, sums := [2]float64{}, [2][]float64{make([]float64, len(weights)), make([]float64, len(weights))}
	for _, p := range b.patterns {
		cases, side := float64(p.cases), 0
		if p.x[places[0]] != 0 {
			side = 1
		}
		total, positive, n[side] = total+cases, positive+float64(p.positive), n[side]+cases
		for i, v := range p.x {
			sums[side][i] += float64(cases * v)
		}
	}
	if n[0] == 0 || n[1] == 0 || positive == 0 || positive == total {
		return 0, 0, false
	}
	sum := func(bias float64, side int) (out float64) {
		for _, p := range b.patterns {
			z := bias
			for i, v := range p.x {
				if side >= 0 && slices.Contains(places, i) {
					v = sums[side][i] / n[side]
				}
				z += float64(weights[i] * v)
			}
			out += float64(float64(p.cases) * elementary.Sigmoid(z))
		}
		return out
	}
	low, high := -100., 100.
	for range 60 {
		if middle := (low + high) / 2; sum(middle, -1) < positive {
			low = middle
		} else {
			high = middle
		}
	}
	return sum(low, 1) / total, sum(low, 0) / total, true
}
