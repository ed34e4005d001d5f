package gain

import (
	"slices"

	"resolwe/kernels/bitset"
)

// sampleRows is about how many rows rules are looked for on; what is found counts by all.
const sampleRows = 1 << 14

// sample returns evenly spaced places, others in each of some rounds.
func sample(rows, round int) []uint32 {
	step := max(1, (rows+sampleRows-1)/sampleRows)
	var places []uint32
	for at := round % step; at < rows; at += step {
		places = append(places, uint32(at)) // #nosec G115 -- an index of rows
	}
	return places
}

// rule is a conjunction of literals, with the places that it covers.
type rule struct {
	found
	covers []uint64
}

// grow returns rules that start with a threshold or its negation: the best two literals of either, and the better of these
// with more added one by one, while the gain rises.
func (s *search) grow(start *found) (rules []found) {
	l := start.column.Literals[0]
	inside := rule{*start, s.and(s.everywhere(), &l)}
	l = s.opposite(l)
	outside := rule{*start, s.and(s.everywhere(), &l)}
	outside.column.Literals = []Literal{l}
	s.sample = sample(len(s.rows), s.rounds)
	s.inside.fill(s.Matrix, s.rows, among(s.sample, inside.covers), s.words)
	s.outside.fill(s.Matrix, s.rows, among(s.sample, outside.covers), s.words)
	s.sampled = s.inside.all.plus(s.outside.all)
	a, b := s.extend(&inside, &s.inside), s.extend(&outside, &s.outside)
	rules = append(rules, a.found, b.found)
	// The better one grows on.
	if b.gain > a.gain {
		a = b
	}
	for before := start.gain; a.gain > before && len(a.column.Literals) < s.opt.Depth; {
		before = a.gain
		s.deeper.fill(s.Matrix, s.rows, among(s.sample, a.covers), s.words)
		a = s.extend(&a, &s.deeper)
		rules = append(rules, a.found)
	}
	return rules
}

// shortlist is the number of candidates, the best on a sample, of which all rows tell the best literal.
const shortlist = 8

// extend returns the rule with the literal that gains most added to it; g is over the sample's places that it covers. Its gain
// is 0 where there is none.
func (s *search) extend(r *rule, g *histogram) (longer rule) {
	all, most, covered := s.all.ones(), 0.0, totalOf(s.words, places(r.covers))
	var add Literal
	for _, c := range s.promising(g) {
		totals := s.within(r.covers, c)
		measure := s.isMeasure(c)
		for _, k := range s.cutsOf(c) {
			of := k.of(totals, s.spans[c].lo)
			for _, negated := range [2]bool{false, true} {
				if negated && measure {
					break // a cut of its own, unless there is no value
				}
				if negated {
					of = covered.minus(of)
				}
				if of.n == covered.n || !s.supported(of) {
					continue
				}
				if gain := of.ones().gain(all, s.growth); gain > most {
					most, add = gain, k.literal(c)
					add.Negated = negated
				}
			}
		}
	}
	if most == 0 {
		return rule{}
	}
	longer.covers = s.and(r.covers, &add)
	longer.column.Literals = append(slices.Clone(r.column.Literals), add)
	longer.gain, longer.score = most, most/(1+float64(perLiteral*float64(len(longer.column.Literals)-1)))
	return longer
}

// promising returns the candidates whose literals gain most on the sample, ascending.
func (s *search) promising(g *histogram) (list []int) {
	type scored struct {
		candidate int
		gain      float64
	}
	var best []scored
	all, share := s.sampled.ones(), float64(len(s.sample))/float64(len(s.rows))
	support := int64(float64(s.opt.Support) * share)
	for c := range s.spans {
		most := 0.0
		for _, k := range s.cutsOf(c) {
			t := g.span(k.span)
			for _, of := range [2]total{t, g.all.minus(t)} {
				if of.n != g.all.n && of.n >= support && s.sampled.n-of.n >= support {
					most = max(most, of.ones().gain(all, s.growth*share))
				}
			}
		}
		if most == 0 || len(best) == shortlist && most <= best[shortlist-1].gain {
			continue
		}
		best = append(best, scored{c, most})
		for at := len(best) - 1; at > 0 && best[at].gain > best[at-1].gain; at-- {
			best[at], best[at-1] = best[at-1], best[at]
		}
		best = best[:min(len(best), shortlist)]
	}
	for _, b := range best {
		list = append(list, b.candidate)
	}
	slices.Sort(list)
	return list
}

// within returns the totals of a candidate's slots at the places of a set, each with those after it.
func (s *search) within(of []uint64, c int) []total {
	lo, hi := s.spans[c].lo, s.spans[c].hi
	t := make([]total, hi-lo+1)
	var sums [levels]uint64
	var count [levels]int64
	k := s.cells[c]
	for len(k.places) > 0 {
		n := min(len(k.places), wordRows)
		places, levels := k.places[:n], k.levels[:n]
		k = cells{k.places[n:], k.levels[n:]}
		for i, at := range places {
			in := of[at/64] >> (at % 64) & 1
			sums[levels[i]] += s.words[at] & -in
			count[levels[i]] += int64(in) // #nosec G115 -- 0 or 1
		}
		for i, l := range s.level[lo:hi] {
			t[i] = t[i].plus(unpack(sums[l]))
			sums[l] = 0
		}
	}
	for i := len(t) - 2; i >= 0; i-- {
		t[i].n = count[s.level[int(lo)+i]]
		t[i] = t[i].plus(t[i+1])
	}
	return t
}

// among returns those of the places that are in a set.
func among(places []uint32, s []uint64) []uint32 {
	in := make([]uint32, 0, len(places))
	for _, at := range places {
		if bitset.Has(s, at) {
			in = append(in, at)
		}
	}
	return in
}
