package gain

import "slices"

// Family is a set of kinds of columns. Each holds those before it.
type Family uint8

// The families, from the simplest.
const (
	FamilyLogs       Family = iota + 1 // logarithms
	FamilyThresholds                   // and thresholds
	FamilyRules                        // and rules
)

// String returns logs, thresholds or rules.
func (f Family) String() string {
	if f < FamilyLogs || f > FamilyRules {
		return "none"
	}
	return [...]string{"logs", "thresholds", "rules"}[f-FamilyLogs]
}

const (
	perLiteral = .3   // what a literal after the first divides gain by, less 1
	leastGain  = 1e-3 // nats
)

// search looks for the best column of a round.
type search struct {
	*Matrix
	opt    *Options
	family Family
	rows   []int32
	words  []uint64 // of a place in rows

	places                  []int32 // all of them
	whole                   histogram
	used                    []column
	taken                   []moments // of the used columns, in this round
	best                    found
	inside, outside, deeper histogram // of a rule's rows, scratch

	single, before []float64 // gain of a candidate's best column of its own, in this round and in the last
}

// read takes over the residuals.
func (s *search) read(f *fit) {
	for i, r := range f.r {
		s.words[i] = pack(r, f.h[i])
	}
}

// found is a column with its gain in nats, not divided by its literals.
type found struct {
	column column
	gain   float64
	score  float64 // gain after that division
	total  total   // of a column of ones
}

// round returns the best column for the words; ok is false where none gains anything. In ties the
// first counts: by candidate, thresholds ascending before the logarithm, rules last.
func (s *search) round(taken []entries) (found, bool) {
	s.whole.fill(s.Matrix, s.rows, s.places, s.words, len(s.used) == 0)
	s.taken = s.taken[:0]
	for i := range s.used {
		s.taken = append(s.taken, s.usedMoments(&s.used[i], taken[i]))
	}
	s.best = found{score: leastGain}
	starts := s.singles()
	if s.family == FamilyRules && s.opt.Depth > 1 {
		for i := range starts {
			s.grow(&starts[i])
		}
	}
	return s.best, s.best.gain > 0
}

func (s *search) usedMoments(c *column, e entries) moments {
	switch {
	case c.log:
		return s.logMoments(&s.whole, c.literals[0].span)
	case len(c.literals) == 1:
		return s.whole.span(c.literals[0].span).ones()
	}
	t := total{n: int64(len(e.rows))}
	for _, at := range e.rows {
		t = t.plus(unpack(s.words[at]))
	}
	return t.ones()
}

// singles tries logarithms and single thresholds, and returns the thresholds that rules start from.
func (s *search) singles() []found {
	all := s.whole.all.ones()
	s.before, s.single = s.single, make([]float64, len(s.spans))
	var starts []found
	at := 0
	for c, sp := range s.spans {
		hasLog := sp.lo < sp.hi
		for ; at < len(s.cuts) && s.cuts[at].candidate == c; at++ {
			if s.family == FamilyLogs {
				continue
			}
			k := s.cuts[at]
			t := s.whole.span(k.span)
			if !s.supported(t) {
				continue
			}
			gain := t.ones().gain(all)
			f := found{column{literals: []literal{{k, false}}}, gain, gain, t}
			s.offer(&f, t.ones())
			s.single[c] = max(s.single[c], gain)
			starts = s.start(starts, &f)
			// A count that is 1 or 0 is its own logarithm.
			hasLog = hasLog && (k.k > 1 || sp.hi > sp.lo+1 || s.level[sp.lo] > 1)
		}
		if hasLog && s.whole.span(sp).n > 0 {
			mo := s.logMoments(&s.whole, sp)
			gain := mo.gain(all)
			f := found{column: column{log: true, literals: []literal{{cut{c, 1, sp}, false}}}, gain: gain, score: gain}
			s.offer(&f, mo)
			s.single[c] = max(s.single[c], gain)
		}
	}
	return starts
}

// start keeps f among the best, which are sorted.
func (s *search) start(starts []found, f *found) []found {
	if s.family != FamilyRules || f.gain <= 0 {
		return starts
	}
	i := len(starts)
	for i > 0 && starts[i-1].gain < f.gain {
		i--
	}
	if i == beam {
		return starts
	}
	starts = append(starts, found{})
	copy(starts[i+1:], starts[i:])
	starts[i] = *f
	return starts[:min(len(starts), beam)]
}

func (s *search) supported(t total) bool {
	return t.n >= int64(s.opt.Support) && s.whole.all.n-t.n >= int64(s.opt.Support)
}

// offer makes f the best where it scores higher and no used column says the same.
func (s *search) offer(f *found, mo moments) {
	if f.score <= s.best.score {
		return
	}
	if !slices.Contains(s.taken, mo) {
		s.best = *f
	}
}
