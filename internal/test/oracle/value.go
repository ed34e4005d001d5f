package oracle

import (
	"math"
	"slices"

	"resolwe/format/mln"
	"resolwe/internal/elementary"
)

// Values returns the value of each formula on the data: its number of true groundings, or the value of its shape. Atoms of unknown truth
// do not exist.
func (w *World) Values(fs []*mln.Formula) []float64 {
	r := w.interpret(Rules{})
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = r.value(f, r.groundings(f))
	}
	return out
}

// value returns the value of a formula with the given groundings.
func (r *interpretation) value(f *mln.Formula, groundings [][]int) float64 {
	if f.Shape == mln.ShapeNone {
		return float64(r.count(f, groundings))
	}
	_, head := f.Head()
	sum := 0.0
	for a, n := range r.bodies(f, groundings, nil) {
		if r.holds[a] != head.Negated {
			sum += n
		}
	}
	return sum
}

// Features returns the value of a formula for each query atom, in the order of QueryAtoms with UnknownExist. It is the formula's shape
// applied to the number of groundings whose head, the last target literal, is the atom, whose other literals hold in the data, and whose
// other target atoms are of known truth and not the atom itself. For a formula that is neither a conjunction of literals nor an
// implication of a target literal by one, it is the increase in true groundings as the atom becomes true.
func (w *World) Features(f *mln.Formula) []float64 {
	known, r := w.interpret(Rules{}), w.interpret(Rules{UnknownExist: true})
	out := make([]float64, len(r.queries))
	if headed, ok := f.Headed(w.schema); ok {
		values := r.bodies(headed, r.groundings(headed), known)
		for i, a := range r.queries {
			out[i] = values[a]
		}
		return out
	}
	groundings := r.groundings(f)
	for i, a := range r.queries {
		r.holds[a] = true
		n := r.count(f, groundings)
		r.holds[a] = false
		out[i] = float64(n - r.count(f, groundings))
		r.holds[a] = known.holds[a]
	}
	return out
}

// bodies returns, by atom, a formula's shape applied to two numbers of groundings whose head is the atom: those in which the rest holds,
// and those in which the evidence holds. If known is not nil, the other target atoms must exist in it and must not be the head.
func (r *interpretation) bodies(f *mln.Formula, groundings [][]int, known *interpretation) []float64 {
	if f.Shape == mln.ShapeRank || f.Shape == mln.ShapeRelative {
		return r.compared(f)
	}
	literals, head := f.Head()
	n, m := make([]float64, len(r.stated)), make([]float64, len(r.stated))
	for _, binding := range groundings {
		at, _ := r.locate(head.Atom, binding)
		exists, evidence, rest := true, true, true
		for _, l := range literals {
			holds := r.isTrue(f, l.Expr(), binding)
			rest = rest && holds
			if l.Atom == nil || !r.schema.Predicates[l.Atom.Pred].Role.IsTarget() {
				evidence = evidence && holds
			} else if a, _ := r.locate(l.Atom, binding); known != nil && (a == at || !known.exists[a]) {
				exists = false
			}
		}
		if exists && rest {
			n[at]++
		}
		if exists && evidence {
			m[at]++
		}
	}
	for a := range n {
		n[a] = worth(f.Shape, n[a], m[a])
	}
	return n
}

// worth returns the feature of an atom with n groundings in which the rest holds, and m in which the evidence does.
func worth(shape mln.Shape, n, m float64) float64 {
	switch shape {
	case mln.ShapeOnce:
		return min(n, 1)
	case mln.ShapeLog:
		return elementary.Log2(1 + n)
	case mln.ShapeMean:
		return n / max(1, m)
	case mln.ShapeNone, mln.ShapeRank, mln.ShapeRelative:
	}
	return n
}

// compared returns, by atom that exists, the feature of a formula that compares values, those of all query atoms.
func (r *interpretation) compared(f *mln.Formula) []float64 {
	out, values := make([]float64, len(r.stated)), map[int]float64{}
	rest, head := f.Head()
	measure, _, _ := f.Quantity(r.schema)
	var free, others []int // variables of the head, and those of the groundings that are counted
	for v := range f.Free {
		if slices.ContainsFunc(head.Atom.Args, func(t mln.Term) bool { return t.Kind == mln.TermVariable && t.Var == v }) {
			free = append(free, v)
		} else {
			others = append(others, v)
		}
	}
	matches := map[int]bool{}
	sum, n := 0.0, 0.0
	for _, a := range r.interpret(Rules{UnknownExist: true}).queries {
		if r.pred[a] != head.Atom.Pred {
			continue
		}
		groundings, binding := 0, make([]int, len(f.Vars))
		r.each(f, free, binding, func() {
			if at, ok := r.locate(head.Atom, binding); !ok || at != a {
				return
			}
			matches[a] = true
			if measure != nil {
				if v, defined := r.aggregate(f, measure, binding); defined {
					values[a] = v
				}
				return
			}
			r.each(f, others, binding, func() {
				if !slices.ContainsFunc(rest, func(l mln.Literal) bool { return !r.isTrue(f, l.Expr(), binding) }) {
					groundings++
				}
			})
		})
		if measure == nil {
			values[a] = math.Log2(1 + float64(groundings))
		}
		if v, defined := values[a]; defined {
			sum += v
			n++
		}
	}
	for a, v := range values {
		switch {
		case !matches[a] || !r.exists[a]:
		case f.Shape == mln.ShapeRank:
			out[a] = share(f.Numbers, v) - .5
		case measure != nil:
			out[a] = (v - sum/n) / f.Numbers[0]
		default:
			out[a] = v - sum/n
		}
	}
	return out
}

// share returns the share of knots below a value, linear between two knots.
func share(knots []float64, v float64) float64 {
	for i, k := range knots {
		switch {
		case v > k:
		case i == 0:
			return 0
		default:
			return (float64(i-1) + (v-knots[i-1])/(k-knots[i-1])) / float64(len(knots))
		}
	}
	return 1
}

// Quantities returns, for each query atom in the order of QueryAtoms with UnknownExist, the number that a formula is about (see
// mln.Formula.Quantity), or NaN if there is none; and whether the formula is about a number.
func (w *World) Quantities(f *mln.Formula) ([]float64, bool) {
	r := w.interpret(Rules{UnknownExist: true})
	c, head, ok := f.Quantity(w.schema)
	if !ok {
		return nil, false
	}
	out := make([]float64, len(r.queries))
	free := make([]int, 0, len(head.Args))
	for _, t := range head.Args {
		if t.Kind == mln.TermVariable && !slices.Contains(free, t.Var) {
			free = append(free, t.Var)
		}
	}
	for i, a := range r.queries {
		out[i] = math.NaN()
		binding := make([]int, len(f.Vars))
		r.each(f, free, binding, func() {
			at, there := r.locate(head, binding)
			if !there || at != a || w.pred[a] != head.Pred {
				return
			}
			if v, defined := r.aggregate(f, c, binding); defined {
				out[i] = v
			}
		})
	}
	return out, true
}
