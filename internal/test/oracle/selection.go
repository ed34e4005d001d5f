package oracle

import (
	"slices"

	"resolwe/format/mln"
)

// Selection counts groundings of a candidate's enforcer Q whose atoms are distinct and of known truth. Both results are indexed by the
// subsets S of Q's literals, bit k for literal k, and count the groundings in which the literals in S are true: [0] is the number of
// groundings, the last entry the number of true ones. all counts over every grounding of Q, selected over those that the selector E
// picks: the set I_E of the paper's Algorithm 1.
func (w *World) Selection(c *mln.Candidate) (selected, all []int64) {
	selected, all = make([]int64, 1<<len(c.Enforcer)), make([]int64, 1<<len(c.Enforcer))
	r := w.interpret(Rules{})
	var enforcer, others []int // variables of Q, and those only in E
	for v := range c.Formula.Free {
		if slices.ContainsFunc(c.Enforcer, func(a *mln.Atom) bool { return mentions(a, v) }) {
			enforcer = append(enforcer, v)
		} else {
			others = append(others, v)
		}
	}
	binding := make([]int, len(c.Formula.Vars))
	w.each(c.Formula, enforcer, binding, func() {
		truth, ok := r.enforcerTruth(c, binding)
		if !ok {
			return
		}
		picked := false
		w.each(c.Formula, others, binding, func() {
			picked = picked || !slices.ContainsFunc(c.Selector, func(l mln.Literal) bool { return !r.isTrue(c.Formula, l.Expr(), binding) })
		})
		for s := range all {
			if s&truth != s {
				continue
			}
			all[s]++
			if picked {
				selected[s]++
			}
		}
	})
	return selected, all
}

// mentions reports whether a variable is an argument of an atom.
func mentions(a *mln.Atom, v int) bool {
	return slices.ContainsFunc(a.Args, func(t mln.Term) bool { return t.Kind == mln.TermVariable && t.Var == v })
}

// enforcerTruth returns the set of Q's literals that are true, and whether its atoms all exist and are distinct.
func (r *interpretation) enforcerTruth(c *mln.Candidate, binding []int) (truth int, ok bool) {
	var atoms []int
	for k, a := range c.Enforcer {
		at, inDomain := r.locate(a, binding)
		if !inDomain || !r.exists[at] || slices.Contains(atoms, at) {
			return 0, false
		}
		atoms = append(atoms, at)
		if r.holds[at] {
			truth |= 1 << k
		}
	}
	return truth, true
}
