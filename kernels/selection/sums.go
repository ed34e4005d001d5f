package selection

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Sums are the totals of all candidates of a task over a part of a stream, which travel as bytes. They are exact:
// however a stream is cut, and in whatever order its parts are added, the sums are those of the whole.
type Sums []Totals

// ErrSums says that bytes, or other sums, are not those of a task.
var ErrSums = errors.New("counts of other candidates, or damaged")

// NewSums returns sums of 0.
func (t *Task) NewSums() Sums {
	out := make(Sums, len(t.compiled))
	for i, c := range t.compiled {
		out[i] = newTotals(len(c.targets), t.Criterion)
	}
	return out
}

// Add adds other sums of the same task. The error is ErrSums, and nothing is added, where they are of another one.
func (s Sums) Add(o Sums) error {
	same := func(a, b Totals) bool {
		return len(a.Conditional) == len(b.Conditional) && len(a.Joint.patterns) == len(b.Joint.patterns)
	}
	if !slices.EqualFunc(s, o, same) {
		return ErrSums
	}
	for i := range s {
		s[i].merge(&o[i])
	}
	return nil
}

// A candidate's sums are its number of conditionals and of truth patterns of the joint, a byte each, then the words of
// its statistics, little-endian, the joint before the conditionals.
const shapeBytes = 2

// AppendBinary appends the sums as bytes.
func (s Sums) AppendBinary(dst []byte) []byte {
	for i := range s {
		t := &s[i]
		dst = append(dst, byte(len(t.Conditional)), byte(len(t.Joint.patterns)))
		t.words(func(w *uint64) { dst = binary.LittleEndian.AppendUint64(dst, *w) })
	}
	return dst
}

// UnmarshalSums reads what AppendBinary wrote. Any bytes may be given: memory is in proportion to them, and the error
// is ErrSums.
func UnmarshalSums(data []byte) (Sums, error) {
	var out Sums
	for len(data) > 0 {
		if len(data) < shapeBytes {
			return nil, ErrSums
		}
		l, patterns := int(data[0]), int(data[1])
		data = data[shapeBytes:]
		crit := Paper
		if patterns > 0 {
			crit = KL
		}
		if l == 1 || l > maxLiterals || (patterns > 0 && patterns != 1<<max(l, 1)) {
			return nil, ErrSums
		}
		t := newTotals(max(l, 1), crit)
		n := 0
		t.words(func(*uint64) { n++ })
		if len(data) < 8*n {
			return nil, ErrSums
		}
		t.words(func(w *uint64) {
			*w = binary.LittleEndian.Uint64(data)
			data = data[8:]
		})
		out = append(out, t)
	}
	return out, nil
}

// words visits the words of all statistics.
func (t *Totals) words(visit func(*uint64)) {
	t.Joint.words(visit)
	for k := range t.Conditional {
		t.Conditional[k].words(visit)
	}
}

func (s *Stat) words(visit func(*uint64)) {
	for _, w := range []*uint64{
		&s.Mean.hi, &s.Mean.lo, &s.Mean.n, &s.Selected, &s.True, &s.Expected.whole, &s.Expected.frac, &s.all, &s.allTrue,
	} {
		visit(w)
	}
	for i := range s.patterns {
		p := &s.patterns[i]
		visit(&p.selected)
		visit(&p.expected.whole)
		visit(&p.expected.frac)
	}
}
