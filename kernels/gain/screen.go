package gain

import (
	"cmp"
	"slices"

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
