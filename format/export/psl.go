package export

import (
	"math"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// psl writes rules of probabilistic soft logic. A soft formula with one target literal becomes a rule that costs the absolute
// weight whenever the formula costs it. PSL relaxes truth to numbers between 0 and 1, so its results differ.
func psl(t *text) {
	t.line("// Rules of a Markov logic network. Linear hinges: a rule costs its weight times its distance to satisfaction.")
	t.claimed["CENTER"] = "the predicate of the center"
	for _, p := range t.model.Schema.Predicates {
		t.claim(strings.ToUpper(p.Name), "predicate "+p.Name, p.Name)
	}
	for i := range t.model.Formulas {
		f := t.factor(i)
		if f == nil || f.forbidden == nil && len(f.targets) == 0 {
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
			lead, end := strings.ReplaceAll(mln.FormatWeight(math.Abs(f.weight)), "e+", "e")+": ", "" // PSL's exponents have no plus
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

// unescaped is what is wrong with a constant in PSL, which undoes escapes one kind after the other, and so reads an escaped backslash
// before a t as a backslash and a tab; and in ProbLog, which undoes none: a quote after any backslash, even after two, does not end the
// constant.
func unescaped(name string) string { return barred(`\`, "a backslash", name) }

func pslName(name string) string { return matching(plain, name) }
