package gain

import (
	"slices"

	"resolwe/kernels/features"
)

// Family is a set of kinds of columns. Each includes the previous one.
type Family uint8

// The families, from the simplest.
const (
	FamilyLogs       Family = iota + 1 // logarithms
	FamilyRanks                        // and ranks
	FamilyThresholds                   // and thresholds
	FamilyRules                        // and rules
)

// String returns logs, ranks, thresholds or rules.
func (f Family) String() string {
	if f < FamilyLogs || f > FamilyRules {
		return "none"
	}
	return [...]string{"logs", "ranks", "thresholds", "rules"}[f-FamilyLogs]
}

// family is a family with or without differences from a subgraph's mean.
type family struct {
	Family
	relative bool
}

const (
	perLiteral = .3   // each literal after the first adds this to the divisor of gain, 1
	leastGain  = 1e-3 // nats
)

// search finds the best column of a round. A candidate's gains are recomputed only if its last known ones are the greatest, and all of them
// every few rounds: lazy greedy selection (Minoux, 1978).
type search struct {
	*view
	opt    *Options
	family family
	period int // rounds between those that compute all gains
	growth float64
	fit    *features.Fit // in this round

	rounds int
	words  []uint64 // by place
	all    total
	counts [][features.Levels]int64 // of places, by candidate
	tops   []top                    // by candidate
	means  [][]float64              // by candidate: those of subgraphs, once they were needed
	spent  map[single]bool
	taken  map[int]int // columns of one literal, by quantity

	sample *sampling
}

// found is a column with its gain in nats, not divided by its literals.
type found struct {
	column Column
	gain   float64
	score  float64 // gain after dividing for literals
}

// single is a column with one literal.
type single struct {
	kind Kind
	Literal
}

func (c *Column) single() single { return single{c.Kind, c.Literals[0]} }

// top is the best single-candidate columns of a candidate.
type top struct {
	best  found // of those not spent
	start found // threshold with which a rule may start
	gain  float64
	fresh bool // computed in this round
}

// newSearch returns a search over a view.
func newSearch(v *view, family family, opt *Options, period int) *search {
	s := &search{view: v, opt: opt, family: family, period: period, growth: growth(len(v.rows)), spent: map[single]bool{}, taken: map[int]int{}}
	s.words = make([]uint64, len(v.rows))
	s.tops, s.means = make([]top, len(v.spans)), make([][]float64, len(v.spans))
	s.counts = make([][features.Levels]int64, len(v.cells))
	for c := range v.cells {
		for _, l := range v.cells[c].Levels {
			s.counts[c][l]++
		}
	}
	if family.Family == FamilyRules {
		s.sample = v.sampling()
	}
	return s
}

// gains returns the gain of each candidate's best column, spent or not.
func (s *search) gains() []float64 {
	g := make([]float64, len(s.tops))
	for c := range s.tops {
		g[c] = s.tops[c].gain
	}
	return g
}

// read takes the residuals of a fit.
func (s *search) read(f *features.Fit) {
	s.fit, s.all = f, total{n: int64(len(s.words))}
	for i, r := range f.Residual {
		s.words[i] = pack(r, f.Variance[i])
		s.all = s.all.plus(unpack(s.words[i]))
	}
}

// round returns the best column for the residuals and its values, skipping columns like one already taken; ok is false if none gains
// anything. Ties go to the first: by candidate (see Target.ranks), then thresholds ascending before the logarithm, rules last.
func (s *search) round(taken []features.Column) (best found, e features.Column, ok bool) {
	for c := range s.tops {
		s.tops[c].fresh = false
	}
	if s.rounds%s.period == 0 {
		s.opt.Run(len(s.tops), s.score)
	}
	s.rounds++
	var rules []found
	if s.family.Family == FamilyRules && s.opt.Depth > 1 {
		if start := s.greatest(func(t *top) *found { return &t.start }); start.gain > 0 {
			rules = s.grow(start)
		}
	}
	for {
		best = *s.greatest(func(t *top) *found { return &t.best })
		at := -1
		for i, r := range rules {
			if r.score > best.score {
				best, at = r, i
			}
		}
		if best.score <= leastGain {
			return best, e, false
		}
		e = s.values(&best.column)
		if at < 0 {
			// Already taken, or like one that is; of a measure, so is the other side of the cut.
			of := best.column.single()
			s.spent[of] = true
			if of.kind == KindRule && s.isMeasure(of.Candidate) {
				s.spent[single{of.kind, s.opposite(of.Literal)}] = true
			}
			s.tops[best.column.Literals[0].Candidate].fresh = false
		}
		if !slices.ContainsFunc(taken, func(o features.Column) bool { return e.Alike(&o, len(s.words)) }) {
			if at < 0 {
				s.taken[s.quantity(best.column.Literals[0].Candidate)]++
			}
			return best, e, true
		}
		if at >= 0 {
			rules = slices.Delete(rules, at, at+1)
		}
	}
}

// greatest returns the highest-scoring column of a kind, the first in ties; its candidate is fresh, and no other candidate's last known
// score was higher.
func (s *search) greatest(of func(*top) *found) *found {
	if len(s.tops) == 0 {
		return &found{}
	}
	for {
		most := 0
		for c := range s.tops {
			score, best := of(&s.tops[c]).score, of(&s.tops[most]).score
			if score > best || score == best && s.rank(c) < s.rank(most) {
				most = c
			}
		}
		if s.tops[most].fresh {
			return of(&s.tops[most])
		}
		s.score(most)
	}
}

// rounding is the variance of differences from means that are nothing but the rounding of the means.
const rounding = 1e-12

// mostOfOne is the most columns of one literal about one quantity.
const mostOfOne = 3

// score computes the gains of a candidate's columns.
func (s *search) score(c int) {
	if s.opt.Stop() != nil || s.opt.over() {
		s.tops[c] = top{fresh: true} // nothing gains, which ends the path
		return
	}
	o := scoring{search: s, c: c, all: s.all.ones(), to: top{fresh: true}}
	var m slotSums
	t := m.inside[:1] // nothing of a measure, which has no logarithm, where there are no thresholds and ranks
	if !s.isMeasure(c) || s.family.Family > FamilyLogs {
		t = s.over(&m, c)
	}
	hasLog := !s.isMeasure(c) && t[0].n > 0
	if s.family.Family >= FamilyThresholds {
		hasLog = o.thresholds(t) && hasLog
	}
	o.shapes(t, hasLog)
	s.tops[c] = o.to
}

// scoring is the best columns of a candidate so far.
type scoring struct {
	*search

	to  top
	c   int
	all moments
}

// offer considers a column, and returns it with its gain.
func (o *scoring) offer(column Column, of moments) found {
	gain := of.gain(o.all, o.growth)
	f := found{column, gain, gain}
	o.to.gain = max(o.to.gain, gain)
	if gain > o.to.best.score && o.taken[o.quantity(o.c)] < mostOfOne && !o.spent[column.single()] {
		o.to.best = f
	}
	return f
}

// thresholds offers the candidate's thresholds, given the totals of its slots. It reports whether its logarithm may say something else.
func (o *scoring) thresholds(t []total) (hasLog bool) {
	sp := o.spans[o.c]
	hasLog = true
	for _, k := range o.cutsOf(o.c) {
		of := k.of(t, sp.lo)
		// If all rows have a value, at most this bound means not at least the next one.
		if !o.supported(of) || k.atMost && t[0].n == o.search.all.n {
			continue
		}
		f := o.offer(Column{Literals: []Literal{k.literal(o.c)}}, of.ones())
		if f.score > o.to.start.score && o.comparable(o.c) {
			o.to.start = f
		}
		hasLog = hasLog && (k.k > 1 || sp.hi > sp.lo+1) // of a count with a single nonzero value it says the same
	}
	return hasLog
}

// shapes offers the candidate's logarithm, unless it has none, ranks and differences.
func (o *scoring) shapes(t []total, hasLog bool) {
	whole := []Literal{{Candidate: o.c, AtLeast: 1}}
	if hasLog {
		o.offer(Column{Kind: KindLog, Literals: whole}, o.moments(o.c, t, features.Logs[:]))
	}
	// The rank at a single knot says the same as a threshold.
	if scale := o.scales[o.c]; scale != nil && o.family.Family >= FamilyRanks && (len(scale.knots) > 1 || o.family.Family == FamilyRanks) {
		o.offer(Column{Kind: KindRank, Literals: whole, Numbers: scale.knots}, o.moments(o.c, t, scale.ranks))
	}
	if column, ok := o.relative(o.c); ok && o.family.relative {
		if o.means[o.c] == nil {
			o.means[o.c] = o.view.means(o.c)
		}
		e := o.relativeColumn(&column, o.means[o.c])
		if of := score(&e, o.fit); of.variance(o.all.n) > rounding { // else all atoms of a subgraph have the same
			o.offer(column, of)
		}
	}
}

// over returns the totals of a candidate's slots, each summed with all later ones, over all rows. They lie in the memory given.
func (s *search) over(m *slotSums, c int) []total {
	k := &s.cells[c]
	m.count = s.counts[c]
	return s.slots(m, c, len(k.Rows), func(lo, hi int) {
		sums, of := &m.sums, k.Levels[lo:hi]
		for i, at := range k.Rows[lo:hi] {
			sums[of[i]] += s.words[at]
		}
	})
}

// moments returns the moments of a candidate's column with a value for each level.
func (s *search) moments(c int, t []total, values []float64) (sum moments) {
	lo := int(s.spans[c].lo)
	for i := range t[:len(t)-1] {
		of, v := t[i].minus(t[i+1]).ones(), values[s.level[lo+i]]
		sum.r += float64(v * of.r)
		sum.h += float64(v * of.h)
		sum.n += float64(v * of.n)
		sum.hh += float64(v * v * of.h)
		sum.nn += float64(v * v * of.n)
	}
	return sum
}

func (s *search) supported(t total) bool {
	return t.n >= int64(s.opt.Support) && s.all.n-t.n >= int64(s.opt.Support)
}
