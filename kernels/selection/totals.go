package selection

import (
	"math/bits"
	"slices"
)

// Totals is the statistics of one candidate over a stream.
type Totals struct {
	Joint       Stat
	Conditional []Stat // for each target literal given the others; empty if there is only one
}

// Stat is the statistics of one variant of a candidate. All sums are exact: merging is associative and commutative.
type Stat struct {
	Mean     Mean
	Selected uint64 // n: groundings that the selector selects
	True     uint64 // k: true groundings among them
	Expected Fixed  // e: true groundings expected under the default distribution
	all      uint64 // sum of N_s
	allTrue  uint64 // sum of K_s
	patterns []pattern
}

// pattern is the groundings with one truth pattern: selected, and expected by default.
type pattern struct {
	selected uint64
	expected Fixed
}

func newTotals(l int, crit Criterion) Totals {
	t := Totals{}
	if l > 1 {
		t.Conditional = make([]Stat, l)
	}
	if crit == KL {
		t.Joint.patterns = make([]pattern, 1<<l)
		for k := range t.Conditional {
			t.Conditional[k].patterns = make([]pattern, 2)
		}
	}
	return t
}

// add adds one subgraph's counts, both by position in the candidate's masks.
func (t *Totals) add(c *candidate, selected, all []int64) {
	last := len(c.masks) - 1
	full := c.masks[last]
	t.Joint.add(selected[0], selected[last], all, 0, last)
	for k := range t.Conditional {
		given := slices.Index(c.masks, full&^(1<<k))
		t.Conditional[k].add(selected[given], selected[last], all, given, last)
	}
	if t.Joint.patterns == nil || selected[0] == 0 {
		return
	}
	for b := range t.Joint.patterns { // kl counts every mask, in order: mask b is at position b
		p := &t.Joint.patterns[b]
		p.selected += uint64(exactly(selected, uint32(b), full))
		p.expected.AddRatio(selected[0], exactly(all, uint32(b), full), all[0])
	}
	for k := range t.Conditional {
		given := full &^ (1 << k)
		n := selected[given]
		if n == 0 {
			continue
		}
		for truth, a := range [2]int64{n - selected[full], selected[full]} {
			b := [2]int64{all[given] - all[full], all[full]}[truth]
			p := &t.Conditional[k].patterns[truth]
			p.selected += uint64(a)
			p.expected.AddRatio(n, b, all[given])
		}
	}
}

// add adds k true of n selected groundings; all, unless empty, has the default counts at positions n and k.
func (s *Stat) add(n, k int64, all []int64, atN, atK int) {
	if len(all) > 0 {
		s.all += uint64(all[atN])
		s.allTrue += uint64(all[atK])
	}
	if n == 0 {
		return
	}
	s.Mean.Add(k, n)
	s.Selected += uint64(n)
	s.True += uint64(k)
	if len(all) > 0 {
		s.Expected.AddRatio(n, all[atK], all[atN])
	}
}

// exactly counts the groundings in which the literals of mask are true and no others, from counts in which at least the literals of a set
// are true.
func exactly(counts []int64, mask, full uint32) int64 {
	n := int64(0)
	for rest := full &^ mask; ; rest = (rest - 1) & (full &^ mask) {
		if bits.OnesCount32(rest)%2 == 0 {
			n += counts[mask|rest]
		} else {
			n -= counts[mask|rest]
		}
		if rest == 0 {
			return n
		}
	}
}

func (t *Totals) merge(o *Totals) {
	t.Joint.merge(&o.Joint)
	for k := range t.Conditional {
		t.Conditional[k].merge(&o.Conditional[k])
	}
}

func (s *Stat) merge(o *Stat) {
	s.Mean.Merge(o.Mean)
	s.Selected += o.Selected
	s.True += o.True
	s.Expected.Merge(o.Expected)
	s.all += o.all
	s.allTrue += o.allTrue
	for i := range s.patterns {
		s.patterns[i].selected += o.patterns[i].selected
		s.patterns[i].expected.Merge(o.patterns[i].expected)
	}
}
