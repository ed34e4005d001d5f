package gain

import (
	"cmp"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
	"resolwe/kernels/features"
)

// Screened is what a candidate promises by itself.
type Screened struct {
	Candidate int       // of the target
	Gain      float64   // nats that the best of its columns adds to the base rate
	Support   int       // rows with a grounding, or a value
	Middle    float64   // for a measure: its middle boundary
	Hash      [2]uint64 // of everything its columns can express: equal hashes mean equal columns
}

// Screen returns, by target, what each candidate with support promises on rows of the task, which must not be used again. Of the options,
// it uses Support and Stop. The errors are those of NewMatrix and Matrix.Select.
func (t *Task) Screen(rows *Rows, opt Options) ([][]Screened, error) {
	o, out := opt.filled(), make([][]Screened, len(t.Targets))
	for i, b := range rows.Builders {
		m, err := NewMatrix(b, nil)
		if err != nil {
			return nil, err
		}
		if m.Rows() > 0 {
			out[i] = m.screen(opt)
		}
	}
	return out, o.Stop()
}

func (m *Matrix) screen(opt Options) (out []Screened) {
	opt.Support = cmp.Or(opt.Support, m.LeastSupport())
	o, v := opt.filled(), m.view(m.all())
	s := newSearch(v, family{Family: FamilyThresholds}, &o, 1)
	s.read(v.fit(&o))
	for c := range m.spans {
		k := &v.cells[c]
		if len(k.Rows) < o.Support || v.isMeasure(c) && !v.comparable(c) {
			continue
		}
		s.score(c)
		x := Screened{Candidate: c, Gain: s.tops[c].best.gain, Support: len(k.Rows), Hash: hash(k)}
		if bounds := m.Bounds[c]; len(bounds) > 0 {
			x.Middle = bounds[len(bounds)/2].Least()
		}
		out = append(out, x)
	}
	return out
}

// hash identifies the rows and levels of a column, of which only the order matters.
func hash(k *features.Column) (h [2]uint64) {
	different := slices.Compact(slices.Sorted(slices.Values(k.Levels)))
	for i, at := range k.Rows {
		rank, _ := slices.BinarySearch(different, k.Levels[i])
		for j := range h {
			h[j] = elementary.Mix(h[j] ^ elementary.Mix(uint64(at)<<8+uint64(rank)+uint64(j)<<63))
		}
	}
	return h
}

// Doubt is a candidate that predicts the truth so well that it may be the answer in disguise.
type Doubt struct {
	Candidate int
	AUC       float64 // of its count, or of the reverse order, over all rows
	Rows      int     // rows with a grounding, or a value
	Only      bool    // all of these are true, or all false, which is unlikely by chance: P below 1e-6
	Truth     bool    // which of the two it is
}

const (
	doubtfulAUC = .98
	doubtfulP   = 1e-6
)

// Doubts returns the candidates whose AUC-ROC is above .98, and those of a single relation that occur only in true rows, or only in false
// ones, if that is unlikely by chance; relation says which candidates have a single relation.
func (m *Matrix) Doubts(relation func(candidate int) bool) (out []Doubt) {
	side := make([]uint8, len(m.Truth))
	var all [2]int // false and true rows
	for row, truth := range m.Truth {
		if truth {
			side[row] = 1
		}
		all[side[row]]++
	}
	if all[0] == 0 || all[1] == 0 {
		return nil
	}
	for c, k := range m.Columns {
		d := Doubt{Candidate: c}
		var counts [features.Levels][2]int
		var some [2]int
		for i, row := range k.Rows {
			counts[k.Levels[i]][side[row]]++
			some[side[row]]++
		}
		wins := 0. // twice the number of pairs in the right order
		below := all[0] - some[0]
		wins += float64(float64(all[1]-some[1]) * float64(below))
		for _, n := range counts {
			wins += float64(float64(n[1]) * float64(2*below+n[0]))
			below += n[0]
		}
		d.AUC = wins / 2 / float64(all[0]) / float64(all[1])
		d.AUC = max(d.AUC, 1-d.AUC)
		d.Rows, d.Truth = some[0]+some[1], some[0] == 0
		d.Only = d.Rows > 0 && min(some[0], some[1]) == 0 && relation(c) && isUnlikely(d.Rows, all, d.Truth)
		if d.AUC > doubtfulAUC || d.Only {
			out = append(out, d)
		}
	}
	return out
}

// A number is taken to follow the size of subgraphs from a rank correlation of leastGrowth, over at least leastSubgraphs of them.
const (
	leastGrowth    = .9
	leastSubgraphs = 20
)

// Growth returns the highest rank correlation (Spearman) of what a column counts or sums, on average over a subgraph's rows, with the
// subgraph's number of facts, and for which candidate. grows is whether the number follows the size of subgraphs, and so says nothing of a
// larger one. Whether there are any groundings is no such number.
func (s *Selected) Growth(c *Column) (correlation float64, candidate int, grows bool) {
	if c.Kind == KindExtra || c.Kind == KindValue || len(s.Matrix.Subgraphs) < leastSubgraphs {
		return 0, 0, false
	}
	for _, l := range c.Literals {
		if s.Matrix.isMeasure(l.Candidate) {
			if n := s.Candidates[l.Candidate].Selector[0].Count; n == nil || n.Kind != mln.AggregateSum {
				continue
			}
		} else if c.Kind == KindRule && l.AtLeast <= 1 {
			continue
		}
		if r := s.Matrix.growth(l.Candidate); r > correlation {
			correlation, candidate = r, l.Candidate
		}
	}
	return correlation, candidate, correlation >= leastGrowth
}

// growth returns the rank correlation of a candidate's mean count in a subgraph, or mean bin of its value, with the number of facts; 0
// unless that doubles from the first tenth of subgraphs to the last.
func (m *Matrix) growth(candidate int) float64 {
	k, measure := &m.Columns[candidate], m.isMeasure(candidate)
	means, facts := make([]float64, len(m.Subgraphs)), make([]float64, len(m.Subgraphs))
	at := 0
	for i, row := range k.Rows {
		for int(row) >= m.Start[at+1] {
			at++
		}
		n := int64(k.Levels[i])
		if !measure {
			n = features.Least(int(n))
		}
		means[at] += float64(n)
	}
	for i := range means {
		means[i] /= float64(m.Start[i+1] - m.Start[i])
		facts[i] = float64(m.Subgraphs[i].Facts)
	}
	sizes := slices.Sorted(slices.Values(facts))
	if n := len(sizes); sizes[n*9/10] < 2*sizes[n/10] {
		return 0 // subgraphs are about as large: the number's own facts tell them apart
	}
	return elementary.RankCorrelation(means, facts)
}

// ShareOf returns a candidate whose value is a share of what another counts: the share of what holds for some of its groundings among those
// without one of its conditions; nil if there is none.
func (s *Selected) ShareOf(candidate int) *mln.Candidate {
	if s.Matrix.isMeasure(candidate) {
		return nil
	}
	key := mln.Canonical(s.Candidates[candidate].Joint())
	for _, c := range s.Measures {
		if n := s.Candidates[c].Selector[0].Count; n != nil && n.Kind == mln.AggregateShare {
			parts := n.X.(*mln.Implies)
			whole, ok := mln.LiteralsOf(&mln.And{Xs: slices.Concat(mln.Conjuncts(parts.L), mln.Conjuncts(parts.R))})
			counted := *s.Candidates[c]
			if counted.Selector = whole; ok && mln.Canonical(counted.Joint()) == key {
				return s.Candidates[c]
			}
		}
	}
	return nil
}

// isUnlikely reports whether random rows would hardly be all true, or all false.
func isUnlikely(rows int, all [2]int, truth bool) bool {
	like := all[0]
	if truth {
		like = all[1]
	}
	p := 1.
	for i := 0; i < rows && p >= doubtfulP; i++ {
		p *= float64(like-i) / float64(all[0]+all[1]-i)
	}
	return p < doubtfulP
}
