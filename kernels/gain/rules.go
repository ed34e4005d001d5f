package gain

import (
	"math/bits"
	"slices"
)

// sampleRows is about how many rows rules are looked for on; what is found counts by all.
const sampleRows = 1 << 14

// sampled returns evenly spaced places.
func sampled(rows int) []int32 {
	step := (rows + sampleRows - 1) / sampleRows
	var places []int32
	for at := 0; at < rows; at += step {
		places = append(places, int32(at)) // #nosec G115 -- an index of rows
	}
	return places
}

// rule is a conjunction of literals, with the places that it covers.
type rule struct {
	found
	covers set
}

// grow returns rules that start with a threshold or its negation: the best two literals of either, and the better of these
// with more added one by one, while the gain rises.
func (s *search) grow(start *found) (rules []found) {
	l := start.column.literals[0]
	inside := rule{*start, s.and(s.everywhere(), &l)}
	l.negated = true
	outside := rule{*start, s.and(s.everywhere(), &l)}
	outside.column.literals = []literal{l}
	s.whole.fill(s.Matrix, s.rows, s.sample, s.words, s.rounds == 1)
	in, out := &s.inside, &s.outside
	// What the smaller side has is counted, what the other has is the rest.
	if a, b := inside.covers.among(s.sample), outside.covers.among(s.sample); len(a) <= len(b) {
		in.fill(s.Matrix, s.rows, a, s.words, true)
		out.complement(&s.whole, in)
	} else {
		out.fill(s.Matrix, s.rows, b, s.words, true)
		in.complement(&s.whole, out)
	}
	a, b := s.extend(&inside, in), s.extend(&outside, out)
	rules = append(rules, a.found, b.found)
	// The better one grows on.
	if b.gain > a.gain {
		a = b
	}
	for before := start.gain; a.gain > before && len(a.column.literals) < s.opt.Depth; {
		before = a.gain
		s.deeper.fill(s.Matrix, s.rows, a.covers.among(s.sample), s.words, true)
		a = s.extend(&a, &s.deeper)
		rules = append(rules, a.found)
	}
	return rules
}

// shortlist is the number of literals, the best on a sample, of which all rows tell the best.
const shortlist = 8

// extend returns the rule with the literal that gains most added to it; g is over the sample's places that it covers. Its gain
// is 0 where there is none.
func (s *search) extend(r *rule, g *histogram) (longer rule) {
	all, most := s.all.ones(), 0.0
	var add literal
	covered := s.total(r.covers)
	for _, l := range s.promising(g) {
		of := s.within(r.covers, &l)
		if l.negated {
			of = covered.minus(of)
		}
		if of.n == covered.n || !s.supported(of) {
			continue
		}
		if gain := of.ones().gain(all, growth); gain > most {
			most, add = gain, l
		}
	}
	if most == 0 {
		return rule{}
	}
	longer.covers = s.and(r.covers, &add)
	longer.column.literals = append(slices.Clone(r.column.literals), add)
	longer.gain, longer.score = most, most/(1+float64(perLiteral*float64(len(longer.column.literals)-1)))
	return longer
}

// promising returns the literals that gain most on the sample, in the order in which ties are to be broken.
func (s *search) promising(g *histogram) (list []literal) {
	type scored struct {
		literal
		at   int
		gain float64
	}
	var best []scored
	all, share := s.whole.all.ones(), float64(len(s.sample))/float64(len(s.rows))
	support := int64(float64(s.opt.Support) * share)
	for i, k := range s.cuts {
		t := g.span(k.span)
		for n, negated := range [2]bool{false, true} {
			if negated {
				t = g.all.minus(t)
			}
			if t.n == g.all.n || t.n < support || s.whole.all.n-t.n < support {
				continue
			}
			gain := t.ones().gain(all, growth*share)
			if len(best) == shortlist && gain <= best[shortlist-1].gain || gain == 0 {
				continue
			}
			best = append(best, scored{literal{k, negated}, 2*i + n, gain})
			for at := len(best) - 1; at > 0 && best[at].gain > best[at-1].gain; at-- {
				best[at], best[at-1] = best[at-1], best[at]
			}
			best = best[:min(len(best), shortlist)]
		}
	}
	slices.SortFunc(best, func(x, y scored) int { return x.at - y.at })
	for _, b := range best {
		list = append(list, b.literal)
	}
	return list
}

// within returns the total of the places of a set whose count is at least the literal's.
func (s *search) within(of set, l *literal) (t total) {
	k, from := s.cells[l.candidate], int(s.level[l.lo])
	for len(k.places) > 0 {
		n := min(len(k.places), batch)
		places, levels := k.places[:n], k.levels[:n]
		k = cells{k.places[n:], k.levels[n:]}
		sum := uint64(0)
		for i, at := range places {
			holds := of[at/64] >> (at % 64) & 1 &^ (uint64(int(levels[i])-from) >> 63) // #nosec G115 -- the sign
			t.n += int64(holds)                                                        // #nosec G115 -- 0 or 1
			sum += s.words[at] & -holds
		}
		u := unpack(sum)
		t.r += u.r
		t.h += u.h
	}
	return t
}

// total returns that of places.
func (s *search) total(of set) (t total) {
	for w, word := range of {
		t.n += int64(bits.OnesCount64(word))
		sum := uint64(0)
		for ; word != 0; word &= word - 1 {
			sum += s.words[w*64+bits.TrailingZeros64(word)]
		}
		u := unpack(sum)
		t.r += u.r
		t.h += u.h
	}
	return t
}

// among returns those of the places that are in the set.
func (s set) among(places []int32) []int32 {
	in := make([]int32, 0, len(places))
	for _, at := range places {
		if s.has(at) {
			in = append(in, at)
		}
	}
	return in
}
