package gain

import "slices"

const (
	rivals = .5 // share of a column's gain from which a candidate rivals it
	spent  = .1 // share of its own gain below which a rival has become redundant
)

// watch notes, after a round, which candidates the column before it made redundant.
func (p *path) watch(s *search) {
	i := len(p.redundant)
	if i == len(p.found) {
		return // the first round
	}
	f, list := &p.found[i], []int(nil)
	for c, before := range s.before {
		own := slices.ContainsFunc(f.column.literals, func(l literal) bool { return l.candidate == c })
		if !own && before >= rivals*f.gain && s.single[c] < spent*before {
			list = append(list, c)
		}
	}
	p.redundant = append(p.redundant, list)
}
