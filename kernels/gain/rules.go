package gain

import "slices"

// beam is the number of thresholds, the best of a round, that rules start from.
const beam = 1

// grow tries rules that start with a threshold or its negation: the best two literals of either, and the better of these
// with more added one by one, while the gain rises.
func (s *search) grow(start *found) {
	l := start.column.literals[0]
	inside := s.cover(s.places, &l)
	outside := rest(s.places, inside)
	in, out := &s.inside, &s.outside
	// What the smaller side has is counted, what the other has is the rest.
	if len(inside) <= len(outside) {
		in.fill(s.Matrix, s.rows, inside, s.words, true)
		out.complement(&s.whole, in)
	} else {
		out.fill(s.Matrix, s.rows, outside, s.words, true)
		in.complement(&s.whole, out)
	}
	negated := *start
	l.negated = true
	negated.column.literals = []literal{l}
	a, b := s.extend(start, in), s.extend(&negated, out)
	s.offerRule(&a)
	s.offerRule(&b)
	// The better one grows on.
	before, places := start.gain, inside
	if b.gain > a.gain {
		a, places = b, outside
	}
	for a.gain > before && len(a.column.literals) < s.opt.Depth {
		before = a.gain
		places = s.cover(places, &a.column.literals[len(a.column.literals)-1])
		s.deeper.fill(s.Matrix, s.rows, places, s.words, true)
		a = s.extend(&a, &s.deeper)
		s.offerRule(&a)
	}
}

// offerRule offers a rule of a gain already known.
func (s *search) offerRule(f *found) {
	f.score = f.gain / (1 + float64(perLiteral*float64(len(f.column.literals)-1)))
	s.offer(f, f.total.ones())
}

// extend returns the rule with the literal that gains most added to it; g is over the rows that it covers.
func (s *search) extend(f *found, g *histogram) (best found) {
	all := s.whole.all.ones()
	var add literal
	for _, k := range s.cuts {
		t := g.span(k.span)
		for _, negated := range [2]bool{false, true} {
			if negated {
				t = g.all.minus(t)
			}
			if t.n == g.all.n || !s.supported(t) {
				continue
			}
			if gain := t.ones().gain(all); gain > best.gain {
				best.gain, best.total = gain, t
				add = literal{k, negated}
			}
		}
	}
	if best.gain > 0 {
		best.column.literals = append(slices.Clone(f.column.literals), add)
	}
	return best
}

// cover returns those of the places for which the literal holds.
func (s *search) cover(places []int32, l *literal) []int32 {
	covered := make([]int32, 0, len(places))
	for _, at := range places {
		if s.holds(s.rows[at], l) {
			covered = append(covered, at)
		}
	}
	return covered
}

// rest returns those of the places that are not among part, both ascending.
func rest(places, part []int32) []int32 {
	others := make([]int32, 0, len(places)-len(part))
	for _, at := range places {
		if len(part) > 0 && part[0] == at {
			part = part[1:]
			continue
		}
		others = append(others, at)
	}
	return others
}
