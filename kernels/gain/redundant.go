package gain

import "slices"

const (
	rivals    = .5 // share of a column's gain from which a candidate rivals it
	exhausted = .1 // share of its own gain below which a rival has become redundant
)

// gains returns that of each candidate's best column, spent or not.
func (s *search) gains() []float64 {
	g := make([]float64, len(s.tops))
	for c := range s.tops {
		g[c] = s.tops[c].gain
	}
	return g
}

// redundant returns the candidates, none of the column's own, that a column made redundant, by gains before and after it.
func redundant(f *found, before, after []float64) (list []int) {
	for c, g := range before {
		own := slices.ContainsFunc(f.column.literals, func(l literal) bool { return l.candidate == c })
		if !own && g >= rivals*f.gain && after[c] < exhausted*g {
			list = append(list, c)
		}
	}
	return list
}
