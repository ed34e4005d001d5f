package export

import (
	"math"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/mln"
)

// psl writes rules of probabilistic soft logic. A soft formula with one target literal becomes a rule that costs the absolute
// weight whenever the formula costs it. PSL relaxes truth to numbers between 0 and 1, so its results differ.
func psl(t *text) {
	t.line("// Rules of a Markov logic network. Linear hinges: a rule costs its weight times its distance to satisfaction.")
	for _, p := range t.model.Schema.Predicates {
		if !lex.IsPlain(p.Name) {
			t.reasons = append(t.reasons, "the name of predicate "+p.Name+" has a hyphen or a prime")
		}
	}
	for i := range t.model.Formulas {
		f := t.factor(i)
		if f == nil || f.forbidden == nil && len(f.targets) == 0 {
			continue
		}
		if slices.ContainsFunc(t.model.Formulas[i].Constants(), func(c mln.Term) bool { return strings.ContainsAny(c.Name, "\n\r") }) {
			t.refuse(i, "has a constant with a line break in it")
			continue
		}
		broken := f.broken()
		if len(broken) > 1 && f.forbidden == nil {
			t.refuse(i, "rewards several target literals at once")
			continue
		}
		for _, conj := range broken {
			if !slices.ContainsFunc(conj, func(l mln.Literal) bool { return l.Atom != nil }) {
				t.refuse(i, "is over equalities alone")
				continue
			}
			lead, end := mln.FormatWeight(math.Abs(f.weight))+": ", ""
			if f.forbidden != nil {
				lead, end = "", " ."
			}
			t.line("%s%s%s", lead, t.pslRule(conj), end)
		}
	}
}

// pslRule writes the rule that a conjunction violates.
func (t *text) pslRule(conj []mln.Literal) string {
	head := -1
	for i, l := range conj {
		if l.Atom != nil && (head < 0 || t.isTarget(l.Atom.Pred)) {
			head = i
		}
	}
	var body []string
	center := false
	for i, l := range conj {
		mln.EachTerm(l.Expr(), func(term mln.Term) { center = center || term.Kind == mln.TermCenter })
		if i != head {
			body = append(body, softLogic.literal(l))
		}
	}
	if center {
		body = append([]string{"Center(C_)"}, body...)
	}
	last := conj[head]
	last.Negated = !last.Negated
	if len(body) == 0 {
		return softLogic.literal(last)
	}
	return strings.Join(body, " & ") + " -> " + softLogic.literal(last)
}
