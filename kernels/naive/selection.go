package naive

import (
	"slices"

	"resolwe/format/mln"
)

// Selection counts groundings of a candidate's enforcer Q whose atoms are distinct and of known truth. Both results are
// indexed by the subsets S of Q's literals, bit k for literal k, and count the groundings whose literals in S are true,
// whatever the others: [0] is the number of groundings, the last entry that of the groundings which are true. all counts
// over every grounding of Q, selected over those that the selector E picks: the set I_E of the paper's Algorithm 1.
func (w *World) Selection(c *mln.Candidate) (selected, all []int64) {
	selected, all = make([]int64, 1<<len(c.Enforcer)), make([]int64, 1<<len(c.Enforcer))
	r := w.interpret(Rules{})
	enforcer, others := candidateVars(c)
	binding := make([]int, len(c.Formula.Vars))
	w.each(c.Formula, enforcer, binding, func() {
		truth, ok := r.enforcerTruth(c, binding)
		if !ok {
			return
		}
		picked := false
		w.each(c.Formula, others, binding, func() {
			picked = picked || r.selectorHolds(c, binding)
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

// candidateVars returns the variables of Q, and those that E alone mentions.
func candidateVars(c *mln.Candidate) (enforcer, others []int) {
	add := func(vars []int, t mln.Term) []int {
		if t.Kind != mln.TermVariable || slices.Contains(enforcer, t.Var) || slices.Contains(vars, t.Var) {
			return vars
		}
		return append(vars, t.Var)
	}
	for _, a := range c.Enforcer {
		for _, t := range a.Args {
			enforcer = add(enforcer, t)
		}
	}
	for _, l := range c.Selector {
		mln.EachTerm(l.Expr(), func(t mln.Term) {
			if t.Var < c.Formula.Free {
				others = add(others, t)
			}
		})
	}
	return enforcer, others
}

// enforcerTruth returns the set of Q's literals that are true, and whether all its atoms exist and are distinct.
func (r *interpretation) enforcerTruth(c *mln.Candidate, binding []int) (truth int, ok bool) {
	seen := map[query]bool{}
	for k, a := range c.Enforcer {
		position, inDomain := r.locate(a, binding)
		q := query{a.Pred, position}
		if !inDomain || !r.exists[a.Pred][position] || seen[q] {
			return 0, false
		}
		seen[q] = true
		if r.holds[a.Pred][position] {
			truth |= 1 << k
		}
	}
	return truth, true
}

// selectorHolds reports whether every literal of E is true.
func (r *interpretation) selectorHolds(c *mln.Candidate, binding []int) bool {
	for _, l := range c.Selector {
		if !r.isTrue(c.Formula, l.Expr(), binding) {
			return false
		}
	}
	return true
}
