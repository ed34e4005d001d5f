package selection

import (
	"errors"
	"slices"

	"resolwe/internal/wire"
)

// Sums are the totals of all candidates of a task over a part of a stream; they can be sent as bytes. They are exact: however a stream is
// cut, and in whatever order its parts are added, the result is the same.
type Sums []Totals

// ErrSums says that sums belong to another task.
var ErrSums = errors.New("counts of other candidates")

// NewSums returns sums of zero.
func (t *Task) NewSums() Sums {
	out := make(Sums, len(t.compiled))
	for i, c := range t.compiled {
		out[i] = newTotals(len(c.targets), t.Criterion)
	}
	return out
}

// Add adds sums of the same task. For sums of another task it adds nothing and returns ErrSums.
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

// Write appends the sums. For each candidate it writes the numbers of conditionals and of truth patterns of the joint, then the words of
// its statistics, the joint before the conditionals.
func (s Sums) Write(w *wire.Writer) {
	w.Int(len(s))
	for i := range s {
		t := &s[i]
		w.Int(len(t.Conditional))
		w.Int(len(t.Joint.patterns))
		t.words(func(v *uint64) { w.Uint(*v) })
	}
}

// ReadSums reads arbitrary bytes as written by Write: memory is in proportion to them.
func ReadSums(r *wire.Reader) Sums {
	return wire.List(r, 16, func() Totals {
		l, patterns, crit := r.Int(), r.Int(), Paper
		if patterns > 0 {
			crit = KL
		}
		if l == 1 || l > maxLiterals || patterns > 0 && patterns != 1<<max(l, 1) {
			r.Refuse(true)
			return Totals{}
		}
		t := newTotals(max(l, 1), crit)
		t.words(func(v *uint64) { *v = r.Uint() })
		return t
	})
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
