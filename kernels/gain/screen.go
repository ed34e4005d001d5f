package gain

import (
	"slices"

	"resolwe/internal/elementary"
)

// Screened is what a candidate promises on its own.
type Screened struct {
	Candidate int       // of the target
	Gain      float64   // nats that the best of its columns adds to the base rate
	Support   int       // rows that have a grounding, or a value
	Middle    float64   // of a measure: the boundary in the middle, which divides its values
	Hash      [2]uint64 // of all that its columns could say: equal where that is
}

// Screen tells what each candidate promises on rows of the task, by target, which are not to be used any more. Of the options
// Support and Stop count. The errors are those of Builder.Matrix and Matrix.Select.
func (t *Task) Screen(rows *Rows, opt Options) ([][]Screened, error) {
	o := opt.filled()
	out := make([][]Screened, len(t.Targets))
	for i, b := range rows.Builders {
		m, err := b.Matrix()
		if err != nil {
			return nil, err
		}
		if m.Rows() > 0 {
			out[i] = m.screen(&o)
		}
	}
	return out, o.Stop()
}

func (m *Matrix) screen(o *Options) []Screened {
	v := m.view(m.all())
	s := newSearch(v, FamilyThresholds, o, 1)
	s.read(v.fit())
	out := make([]Screened, len(m.spans))
	for c := range out {
		s.score(c)
		k := &v.cells[c]
		x := Screened{Candidate: c, Gain: s.tops[c].best.gain, Support: len(k.places), Hash: k.hash()}
		if bounds := m.bounds[c]; len(bounds) > 0 {
			x.Middle = bounds[len(bounds)/2].from()
		}
		out[c] = x
	}
	return out
}

// hash stands for places and levels, of which only the order counts.
func (k *cells) hash() (h [2]uint64) {
	different := slices.Compact(slices.Sorted(slices.Values(k.levels)))
	for i, at := range k.places {
		rank, _ := slices.BinarySearch(different, k.levels[i])
		for j := range h {
			h[j] = elementary.Mix(h[j] ^ elementary.Mix(uint64(at)<<8+uint64(rank)+uint64(j)<<63))
		}
	}
	return h
}
