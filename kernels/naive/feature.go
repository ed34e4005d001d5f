package naive

import (
	"math"

	"resolwe/format/mln"
)

// Features returns the value of a formula for each query atom, in the order of QueryAtoms with UnknownExist: what its shape makes
// of the number of groundings for which all but the head, the last target literal, holds in the data, the head being the atom
// and no other target atom being it or of unknown truth. Of a formula that is neither a conjunction of literals nor an
// implication of target literals by such a one it is by how many the true groundings become more as the atom becomes true.
func (w *World) Features(f *mln.Formula) []float64 {
	all := Rules{UnknownExist: true}
	queries := w.queries(all)
	out := make([]float64, len(queries))
	known, r := w.interpret(Rules{}), w.interpret(all)
	headed, ok := f.Headed(w.schema)
	for i, q := range queries {
		if !ok {
			r.holds[q.pred][q.position] = false
			n := r.count(f, r.groundings(f))
			r.holds[q.pred][q.position] = true
			out[i] = float64(r.count(f, r.groundings(f)) - n)
			r.holds[q.pred][q.position] = known.holds[q.pred][q.position]
			continue
		}
		out[i] = r.feature(headed, q, known)
	}
	return out
}

// feature returns the value of a formula for one atom.
func (r *interpretation) feature(f *mln.Formula, q query, known *interpretation) float64 {
	literals, head := f.Head()
	n, m := 0.0, 0.0
	for _, binding := range r.groundings(f) {
		if at, ok := r.locate(head.Atom, binding); head.Atom.Pred != q.pred || !ok || at != q.position {
			continue
		}
		exists, evidence, rest := true, true, true
		for _, l := range literals {
			target := l.Atom != nil && r.schema.Predicates[l.Atom.Pred].Role.IsTarget()
			if target {
				at, _ := r.locate(l.Atom, binding)
				exists = exists && known.exists[l.Atom.Pred][at] && (query{l.Atom.Pred, at}) != q
			}
			holds := r.isTrue(f, l.Expr(), binding)
			rest = rest && holds
			evidence = evidence && (holds || target)
		}
		switch {
		case exists && rest:
			n++
			m++
		case exists && evidence:
			m++
		}
	}
	switch f.Shape {
	case mln.ShapeOnce:
		return min(n, 1)
	case mln.ShapeLog:
		return math.Log2(1 + n)
	case mln.ShapeMean:
		return n / max(1, m)
	case mln.ShapeNone:
	}
	return n
}
