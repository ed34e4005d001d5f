package naive

import (
	"math"

	"resolwe/format/mln"
)

// Values returns the value of each formula on the data: the number of its true groundings, or that of its shape. Atoms of
// unknown truth do not exist.
func (w *World) Values(fs []*mln.Formula) []float64 {
	r := w.interpret(Rules{})
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = r.value(f, r.groundings(f))
	}
	return out
}

// value returns the value of a formula, of which these groundings exist.
func (r *interpretation) value(f *mln.Formula, groundings [][]int) float64 {
	if f.Shape == mln.ShapeNone {
		return float64(r.count(f, groundings))
	}
	literals, head := f.Head()
	n, m := make([]int, len(r.holds[head.Atom.Pred])), make([]int, len(r.holds[head.Atom.Pred])) // by atom of the head
	for _, binding := range groundings {
		evidence, rest := true, true
		for _, l := range literals {
			if r.isTrue(f, l.Expr(), binding) {
				continue
			}
			rest = false
			if l.Atom == nil || !r.schema.Predicates[l.Atom.Pred].Role.IsTarget() {
				evidence = false
			}
		}
		position, _ := r.locate(head.Atom, binding)
		if evidence {
			m[position]++
		}
		if rest {
			n[position]++
		}
	}
	sum := 0.0
	for position, holds := range r.holds[head.Atom.Pred] {
		if holds == head.Negated {
			continue
		}
		switch f.Shape {
		case mln.ShapeOnce:
			sum += float64(min(n[position], 1))
		case mln.ShapeLog:
			sum += math.Log2(1 + float64(n[position]))
		case mln.ShapeMean:
			sum += float64(n[position]) / max(1, float64(m[position]))
		case mln.ShapeNone:
		}
	}
	return sum
}
