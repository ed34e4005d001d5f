package gain

import (
	"cmp"
	"slices"

	"resolwe/kernels/features"
)

// sampleRows is about how many rows are searched for rules; a rule found is then scored on all rows.
const sampleRows = 1 << 14

// sampling is every n-th row of a search, on which rules are searched.
type sampling struct {
	*view
	places []uint32 // among the search's rows
	words  []uint64
	all    total
	share  float64 // of the search's rows
}

func (v *view) sampling() *sampling {
	step := max(1, (len(v.rows)+sampleRows-1)/sampleRows)
	s := &sampling{}
	var rows []uint32
	for at := 0; at < len(v.rows); at += step {
		s.places, rows = append(s.places, uint32(at)), append(rows, v.rows[at]) // #nosec G115 -- an index of rows
	}
	if s.view = v; step > 1 {
		s.view = v.view(rows)
	}
	s.share = float64(len(rows)) / float64(max(1, len(v.rows)))
	return s
}

// rule is a conjunction of literals, with the places that it covers among all rows and in the sample.
type rule struct {
	found
	covers, some []uint64
}

// and returns the rule with one more literal.
func (s *search) and(r *rule, l Literal) *rule {
	out := &rule{covers: s.view.and(r.covers, &l), some: s.sample.and(r.some, &l)}
	out.column.Literals = append(slices.Clone(r.column.Literals), l)
	return out
}

// grow returns rules that start with a threshold or its negation. It extends each with the best literal, and the better of the two with
// further ones while the gain rises.
func (s *search) grow(start *found) (rules []found) {
	s.sample.words, s.sample.all = pick(s.words, s.sample.places), totalOf(s.words, s.sample.places)
	l, none := start.column.Literals[0], &rule{covers: s.everywhere(), some: s.sample.everywhere()}
	a, b := s.extend(s.and(none, l)), s.extend(s.and(none, s.opposite(l)))
	rules = append(rules, a.found, b.found)
	// Continue with the better one.
	if b.gain > a.gain {
		a = b
	}
	for before := start.gain; a.gain > before && len(a.column.Literals) < s.opt.Depth; {
		before = a.gain
		a = s.extend(a)
		rules = append(rules, a.found)
	}
	return rules
}

// shortlist is the number of candidates, the best on a sample, whose best literal is found on all rows.
const shortlist = 8

// extend returns the rule with the literal of the greatest gain added. Its gain is 0 if there is none.
func (s *search) extend(r *rule) *rule {
	covered, list := totalOf(s.words, places(r.covers)), s.promising(r.some)
	var gains [shortlist]float64
	var literals [shortlist]Literal
	s.opt.Run(len(list), func(i int) {
		var m slotSums
		c := list[i]
		gains[i], literals[i] = s.best(c, s.within(&m, &s.cells[c], s.words, r.covers, c), covered, s.all, 1)
	})
	most := 0.0
	var add Literal
	for i, gain := range gains {
		if gain > most || gain == most && gain > 0 && s.rank(list[i]) < s.rank(add.Candidate) {
			most, add = gain, literals[i]
		}
	}
	if most == 0 {
		return &rule{}
	}
	longer := s.and(r, add)
	longer.gain, longer.score = most, most/(1+float64(perLiteral*float64(len(longer.column.Literals)-1)))
	return longer
}

// best returns the gain and the literal of a candidate with the greatest gain when added to a rule; covered are the rule's rows, a given
// share of the search's; t is over the covered ones.
func (s *search) best(c int, t []total, covered, all total, share float64) (most float64, add Literal) {
	ones, least, shrink := all.ones(), int64(float64(s.opt.Support)*share), s.growth*share
	measure := s.isMeasure(c)
	for _, k := range s.cutsOf(c) {
		of := k.of(t, s.spans[c].lo)
		for _, negated := range [2]bool{false, true} {
			if negated && measure {
				break // a cut of its own, unless there is no value
			}
			if negated {
				of = covered.minus(of)
			}
			if of.n == covered.n || of.n < least || all.n-of.n < least {
				continue
			}
			if gain := of.ones().gain(ones, shrink); gain > most {
				most, add = gain, k.literal(c)
				add.Negated = negated
			}
		}
	}
	return most, add
}

// promising returns the candidates whose literals gain most on the given places of the sample, ascending.
func (s *search) promising(of []uint64) (list []int) {
	x, gains := s.sample, make([]float64, len(s.spans))
	covered := totalOf(x.words, places(of))
	s.opt.Run(len(gains), func(c int) {
		if !s.comparable(c) {
			return
		}
		var m slotSums
		gains[c], _ = s.best(c, s.within(&m, &x.cells[c], x.words, of, c), covered, x.all, x.share)
	})
	for c, gain := range gains {
		if gain > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(gains[b], gains[a]), cmp.Compare(s.rank(a), s.rank(b))) })
	list = list[:min(len(list), shortlist)]
	slices.Sort(list)
	return list
}

// slotSums is the memory of slots, zero before.
type slotSums struct {
	inside [features.Levels + 1]total // of slots
	sums   [features.Levels]uint64    // as they are added up by level
	count  [features.Levels]int64
}

// within returns the totals of a candidate's slots, each summed with all later ones, over the cells whose places are in a set. They lie in
// the memory given.
func (s *search) within(m *slotSums, k *features.Column, words, of []uint64, c int) []total {
	return s.slots(m, c, len(k.Rows), func(lo, hi int) {
		sums, count, levels := &m.sums, &m.count, k.Levels[lo:hi]
		for i, at := range k.Rows[lo:hi] {
			in := of[at/64] >> (at % 64) & 1
			sums[levels[i]] += words[at] & -in
			count[levels[i]] += int64(in) // #nosec G115 -- 0 or 1
		}
	})
}

// slots returns the totals of a candidate's slots, each summed with all later ones, over n rows that add adds by level, some at a time.
func (s *search) slots(m *slotSums, c, n int, add func(lo, hi int)) []total {
	those := s.level[s.spans[c].lo:s.spans[c].hi]
	t := m.inside[:len(those)+1]
	for lo := 0; lo < n; lo += wordRows {
		add(lo, min(lo+wordRows, n))
		for i, l := range those {
			t[i] = t[i].plus(unpack(m.sums[l]))
			m.sums[l] = 0
		}
	}
	for i := len(t) - 2; i >= 0; i-- {
		t[i].n = m.count[those[i]]
		t[i] = t[i].plus(t[i+1])
	}
	return t
}
